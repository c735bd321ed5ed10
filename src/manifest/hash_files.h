/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLAKE3 of many files, and of large ones, on several threads. read(2), never mmap(2): a file that shrinks or a disk
 * that fails is an error, not a signal. Memory is bounded, however large the files are.
 */
#ifndef MXT_MANIFEST_HASH_FILES_H
#define MXT_MANIFEST_HASH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "file_list.h"

struct mxt_error;

/* What came of one file. */
struct mxt_hash_outcome {
	int status; /* 0; -ENOENT: gone; -ESTALE: changed, or was swapped, while it was read; -ELOOP: a link; else
		       -errno */
	uint8_t hash[MXT_HASH_SIZE];       /* with 0 only */
	struct mxt_file_identity identity; /* of what was hashed */
};

struct mxt_hash_progress {
	uint64_t bytes_done, bytes_total;
	size_t files_done, files_total;
	const char *path; /* one of those at work */
};

/* Called about ten times a second from the calling thread; false ends the work with -ECANCELED. */
typedef bool (*mxt_hash_progress_fn)(void *context, const struct mxt_hash_progress *progress);

struct mxt_hash_watch {
	mxt_hash_progress_fn progress; /* NULL: nobody looks */
	void *context;
};

struct mxt_hash_request {
	int root_fd; /* see mxt_tree_open_root() */
	const struct mxt_file_entry *entries;
	size_t count;
	const bool *skip; /* count: entries that are not hashed; NULL: links only */
	unsigned threads; /* 0: one per processor that this process may use, at most MXT_HASH_MAX_THREADS */
	struct mxt_hash_watch watch;
	uint64_t bytes_before, bytes_total; /* of more lists than this one, for the progress; 0: of this one */
};
#define MXT_HASH_MAX_THREADS 16

/*
 * Fills `ret_outcomes` (count). What is wrong with a file is its outcome; fails for memory, threads and -ECANCELED
 * (MXT_E_INTERRUPTED).
 */
int mxt_hash_files(const struct mxt_hash_request *request, struct mxt_hash_outcome *ret_outcomes,
		   struct mxt_error *err) MXT_WUR;

/* Hashes a list that mxt_tree_list() made; the first outcome that is not 0 is an error that names the file and why. */
int mxt_hash_list(struct mxt_file_list *list, unsigned threads, const struct mxt_hash_watch *watch,
		  struct mxt_error *err) MXT_WUR;

#endif
