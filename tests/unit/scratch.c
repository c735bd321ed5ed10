/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "cmocka_all.h"

int mxt_scratch_setup(void **state)
{
	const char *base = getenv("TMPDIR");
	struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/mxt-unit-XXXXXX", base ? base : "/tmp");
	char *folder = mxt_buf_steal(&path);
	if (!folder || !mkdtemp(folder)) {
		free(folder);
		return -1;
	}
	*state = folder;
	return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int mxt_scratch_remove(const char *folder)
{
	return nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int mxt_scratch_teardown(void **state)
{
	int rc = mxt_scratch_remove(*state);
	free(*state);
	return rc;
}

char *mxt_scratch_path(const char *folder, const char *name)
{
	struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", folder, name);
	char *text = mxt_buf_steal(&path);
	assert_non_null(text);
	return text;
}

char *mxt_scratch_write(const char *folder, const char *name, const char *text)
{
	char *path = mxt_scratch_path(folder, name);
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	return path;
}

void mxt_scratch_expect(const char *path, const char *text)
{
	char found[4096];
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	size_t len = fread(found, 1, sizeof found - 1, file);
	assert_int_equal(fclose(file), 0);
	found[len] = '\0';
	assert_string_equal(found, text);
}

size_t mxt_scratch_count(const char *folder)
{
	size_t count = 0;
	DIR *dir = opendir(folder);
	assert_non_null(dir);
	for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			count++;
	assert_int_equal(closedir(dir), 0);
	return count;
}
