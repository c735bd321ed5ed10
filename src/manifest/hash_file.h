/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file that is being hashed: what it was when it was opened, and whether it still is that at the end. Any thread
 * may read it. Statuses are those of struct mxt_hash_outcome.
 */
#ifndef MXT_MANIFEST_HASH_FILE_H
#define MXT_MANIFEST_HASH_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "file_list.h"

struct mxt_hash_file {
	int fd; /* owned */
	struct mxt_file_identity identity;
};

/* Opens a regular file below the root. -ESTALE where the entry was seen (entry->seen) and this is another file. */
int mxt_hash_file_open(int root_fd, const struct mxt_file_entry *entry, struct mxt_hash_file *ret_file) MXT_WUR;

/* Reads exactly `size` bytes at `offset`; -ESTALE where the file ends before. */
int mxt_hash_file_read(const struct mxt_hash_file *file, void *bytes, size_t size, uint64_t offset) MXT_WUR;

/*
 * 0: nothing tells the file from what was opened, it ends where it did, and its path still leads to it. A change that
 * leaves size and times as they were, within one tick of the file system's clock, is not seen. Closes it in any case.
 */
int mxt_hash_file_close(struct mxt_hash_file *file, int root_fd, const struct mxt_file_entry *entry) MXT_WUR;

#endif
