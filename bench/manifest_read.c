/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long it takes to read a manifest of many files from memory and to check all of it, without a look at the files:
 *
 *     manifest_read [FILES [REPEATS]]
 *
 * Prints the least and the median of the processor's and of the passed time, in ms, and the peak memory of this
 * process, which made the manifest, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "buf.h"
#include "error.h"
#include "file_list.h"
#include "hash.h"
#include "manifest.h"

#define MAX_REPEATS 100

static void need(bool holds)
{
	if (!holds)
		abort();
}

static json_t *list_of(const char *root, enum mxt_list_role role, size_t n_files)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	json_t *json = NULL;
	list.root = strdup(root);
	list.role = role;
	for (size_t i = 0; i < n_files; i++) {
		char path[64];
		int len = snprintf(path, sizeof path, "shard-%05zu/part-%07zu-of-%07zu.parquet", i / 1000, i, n_files);
		struct mxt_file_entry entry = {.path = strdup(path), .size = len};
		mxt_hash_bytes(path, (size_t)len, entry.hash);
		need(entry.path && mxt_file_list_add(&list, &entry, NULL) == 0);
	}
	need(list.root && mxt_file_list_sort(&list, NULL) == 0 && mxt_file_list_json(&list, &json, NULL) == 0);
	return json;
}

static void make(size_t n_files, struct mxt_buf *text)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	MXT_CLEANUP_JSON json_t *document =
	    json_pack("{s:s, s:i, s:s, s:{s:s}, s:{s:[s]}, s:[o, o]}", "schema", MXT_MANIFEST_SCHEMA, "created", 0,
		      "tool", "bench", "run", "name", "bench", "result", "unknown", "there is none", "lists",
		      list_of("/run", MXT_LIST_RUN, 0), list_of("/data", MXT_LIST_DATASET, n_files));
	need(mxt_manifest_seal(document, &manifest, NULL) == 0 && mxt_manifest_text(manifest, text, NULL) == 0);
}

static double ms_of(clockid_t clock)
{
	struct timespec now;
	need(clock_gettime(clock, &now) == 0);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void read_once(const struct mxt_buf *text, double *ret_processor_ms, double *ret_passed_ms)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	double processor = ms_of(CLOCK_PROCESS_CPUTIME_ID), passed = ms_of(CLOCK_MONOTONIC);
	need(mxt_manifest_parse("manifest", text->data, text->len, &manifest, NULL) == 0);
	*ret_processor_ms = ms_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
	*ret_passed_ms = ms_of(CLOCK_MONOTONIC) - passed;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void print_times(const char *name, double *times, size_t count)
{
	qsort(times, count, sizeof *times, by_size);
	printf("%-9s  least %.0f ms, median %.0f ms\n", name, times[0], times[count / 2]);
}

int main(int argc, char **argv)
{
	size_t n_files = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	size_t repeats = argc > 2 ? strtoul(argv[2], NULL, 10) : 9;
	double processor[MAX_REPEATS] = {0}, passed[MAX_REPEATS] = {0};
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct rusage usage;
	need(repeats > 0 && repeats <= MAX_REPEATS);
	make(n_files, &text);
	for (size_t i = 0; i < repeats; i++)
		read_once(&text, &processor[i], &passed[i]);
	need(getrusage(RUSAGE_SELF, &usage) == 0);
	printf("%zu files, %.1f MB, read %zu times\n", n_files, (double)text.len / 1e6, repeats);
	print_times("processor", processor, repeats);
	print_times("passed", passed, repeats);
	printf("peak memory %ld MiB\n", usage.ru_maxrss / 1024);
	return 0;
}
