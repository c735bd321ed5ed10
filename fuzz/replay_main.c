/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target on the files named on the command line and on all files of the folders named there, in name
 * order. Linked instead of a fuzz engine, so that every corpus is replayed by the plain test run. Finding no input at
 * all is a failure: a moved corpus must not look like a passed test.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "file.h"

#define MAX_INPUT_BYTES (16u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int complain(const char *what, const char *why)
{
	(void)fprintf(stderr, "%s: %s\n", what, why);
	return -1;
}

/* The input is copied into a block of exactly its size, so that a sanitizer sees a read past its end. */
static int run_bytes(const char *bytes, size_t len)
{
	MXT_CLEANUP_FREE uint8_t *exact = malloc(len ? len : 1);
	if (!exact)
		return complain("input", "memory ran out");
	if (len)
		memcpy(exact, bytes, len);
	(void)LLVMFuzzerTestOneInput(exact, len);
	return 0;
}

static int run_file(const char *path)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_file_read(path, MAX_INPUT_BYTES, &buf, &err) < 0)
		return complain(path, mxt_error_text(&err));
	return run_bytes(mxt_buf_text(&buf), buf.len);
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int run_entry(const char *folder, const char *name)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", folder, name);
	return run_file(mxt_buf_text(&path));
}

/* Returns how many inputs were run, or -1. */
static int run_folder(const char *folder)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, not_hidden, alphasort);
	if (n < 0)
		return complain(folder, strerror(errno));
	int rc = 0;
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = run_entry(folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return rc < 0 ? rc : n;
}

static int run_path(const char *path)
{
	struct stat st;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return run_folder(path);
	return run_file(path) < 0 ? -1 : 1;
}

int main(int argc, char **argv)
{
	int total = 0;
	for (int i = 1; i < argc; i++) {
		int n = run_path(argv[i]);
		if (n < 0)
			return EXIT_FAILURE;
		total += n;
	}
	(void)printf("%d inputs\n", total);
	return total > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
