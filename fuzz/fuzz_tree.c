/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_tree.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

#define MARK      "=== /"
#define MAX_FILES 96

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

/* Makes the folders above `path`. */
static void make_parents(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		(void)mkdir(path, 0700);
	}
}

/* A name that leaves the folder, or that the file system refuses, makes no file. */
static void write_file(const char *root, const char *name, size_t name_len, const char *bytes, size_t len)
{
	char path[PATH_MAX];
	int used = snprintf(path, sizeof path, "%s/%.*s", root, (int)name_len, name);
	if (name_len > NAME_MAX || used < 0 || (size_t)used >= sizeof path || strstr(path, ".."))
		return;
	make_parents(path);
	MXT_CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0700);
	if (fd >= 0 && write(fd, bytes, len) < 0)
		return;
}

static const char *find_mark(const char *text, const char *end)
{
	return end > text ? memmem(text, (size_t)(end - text), MARK, sizeof MARK - 1) : NULL;
}

static void write_machine(const char *root, const char *text, size_t size)
{
	const char *end = text + size, *at = find_mark(text, end);
	for (int files = 0; at && files < MAX_FILES; files++) {
		const char *name = at + sizeof MARK - 1;
		const char *line = memchr(name, '\n', (size_t)(end - name));
		if (!line)
			return;
		const char *next = find_mark(line, end);
		write_file(root, name, (size_t)(line - name), line + 1, (size_t)((next ? next : end) - line) - 1);
		at = next;
	}
}

bool mxt_fuzz_tree_make(char root[sizeof MXT_FUZZ_ROOT], const uint8_t *data, size_t size)
{
	if (!mkdtemp(root))
		return false;
	write_machine(root, (const char *)data, size);
	return true;
}

void mxt_fuzz_tree_remove(const char *root)
{
	(void)nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
