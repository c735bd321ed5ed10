/* SPDX-License-Identifier: Apache-2.0 */
#include "device_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "compiler.h"
#include "sysroot.h"

static const char *const names[MXT_DEVICE_ACCESS_COUNT] = {
    [MXT_DEVICE_NOT_RECORDED] = "not recorded",
    [MXT_DEVICE_OPEN] = "open",
    [MXT_DEVICE_ABSENT] = "absent",
    [MXT_DEVICE_DENIED] = "denied",
    [MXT_DEVICE_FORBIDDEN] = "forbidden",
};

const char *mxt_device_access_name(enum mxt_device_access access)
{
	return names[access];
}

/* The word before the first blank of a line. */
static enum mxt_device_access access_of(const char *line, size_t len)
{
	for (size_t i = MXT_DEVICE_OPEN; i < MXT_DEVICE_ACCESS_COUNT; i++)
		if (strlen(names[i]) == len && strncmp(names[i], line, len) == 0)
			return (enum mxt_device_access)i;
	return MXT_DEVICE_ABSENT;
}

enum mxt_device_access mxt_device_file_find(const char *text, const char *path)
{
	size_t path_len = strlen(path);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		size_t len = strcspn(line, " \n");
		const char *rest = line + len + 1;
		if (line[len] == ' ' && strcspn(rest, "\n") == path_len && strncmp(rest, path, path_len) == 0)
			return access_of(line, len);
	}
	return MXT_DEVICE_ABSENT;
}

/* access(2) asks the rules of control groups for devices, too: these say EPERM. Nothing is opened. */
static enum mxt_device_access ask_kernel(const char *path)
{
	if (access(path, R_OK | W_OK) == 0)
		return MXT_DEVICE_OPEN;
	if (errno == EPERM)
		return MXT_DEVICE_FORBIDDEN;
	return errno == ENOENT || errno == ENOTDIR ? MXT_DEVICE_ABSENT : MXT_DEVICE_DENIED;
}

int mxt_device_file_access(const struct mxt_sysroot *root, const char *path, enum mxt_device_access *ret_access)
{
	if (mxt_sysroot_is_live(root)) {
		*ret_access = ask_kernel(path);
		return 0;
	}
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	int rc = mxt_sysroot_read(root, "/device-files", 65536, &text, NULL);
	if (rc == -ENOMEM)
		return rc;
	*ret_access = rc < 0 ? MXT_DEVICE_NOT_RECORDED : mxt_device_file_find(mxt_buf_text(&text), path);
	return 0;
}
