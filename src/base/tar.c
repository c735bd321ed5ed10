/* SPDX-License-Identifier: Apache-2.0 */
#include "tar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

#define BLOCK 512

/* Numbers are octal text. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6],
	    version[2];
	char user[32], group[32], device_major[8], device_minor[8], prefix[155], unused[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "a header fills a block");

/* Long names are divided at a '/': the part before it goes into the prefix. */
static int set_name(struct header *header, const char *name, struct mxt_error *err)
{
	size_t len = strlen(name), start = 0;
	if (len > sizeof header->name) {
		const char *slash = strchr(name + len - sizeof header->name - 1, '/');
		start = slash ? (size_t)(slash - name) + 1 : 0;
		if (!slash || start - 1 > sizeof header->prefix || start == len)
			return mxt_error_set(err, -ENAMETOOLONG, MXT_E_IO, "a tar archive cannot hold the name %s",
					     name);
		memcpy(header->prefix, name, start - 1);
	}
	memcpy(header->name, name + start, len - start);
	return 0;
}

/* As if its own field were blanks. */
static void set_checksum(struct header *header)
{
	unsigned sum = 0;
	unsigned char bytes[BLOCK];
	memset(header->checksum, ' ', sizeof header->checksum);
	memcpy(bytes, header, sizeof bytes);
	for (size_t i = 0; i < sizeof bytes; i++)
		sum += bytes[i];
	(void)snprintf(header->checksum, sizeof header->checksum, "%06o", sum);
}

static void pad(struct mxt_buf *tar)
{
	static const char zeros[BLOCK];
	mxt_buf_append(tar, zeros, (BLOCK - tar->len % BLOCK) % BLOCK);
}

int mxt_tar_add(struct mxt_buf *tar, const char *name, const void *bytes, size_t len, struct mxt_error *err)
{
	struct header header = {.type = '0', .magic = "ustar", .version = {'0', '0'}};
	int rc = set_name(&header, name, err);
	if (rc < 0)
		return rc;
	(void)snprintf(header.mode, sizeof header.mode, "%07o", 0644U);
	(void)snprintf(header.uid, sizeof header.uid, "%07o", 0U);
	(void)snprintf(header.gid, sizeof header.gid, "%07o", 0U);
	(void)snprintf(header.size, sizeof header.size, "%011zo", len);
	(void)snprintf(header.mtime, sizeof header.mtime, "%011o", 0U);
	set_checksum(&header);
	mxt_buf_append(tar, &header, sizeof header);
	mxt_buf_append(tar, bytes, len);
	pad(tar);
	return mxt_buf_status(tar, err);
}

int mxt_tar_end(struct mxt_buf *tar, struct mxt_error *err)
{
	static const char zeros[2 * BLOCK];
	mxt_buf_append(tar, zeros, sizeof zeros);
	return mxt_buf_status(tar, err);
}
