/* SPDX-License-Identifier: Apache-2.0 */
/* Files to hash, and a list of them as mxt_tree_list() makes it. */
#ifndef MXT_TESTS_HASH_SAMPLE_H
#define MXT_TESTS_HASH_SAMPLE_H

#include <stddef.h>

#include "file_list.h"

/* A file of `size` bytes that repeat nowhere. A failed call here ends the test. */
void mxt_hash_sample_write(const char *folder, const char *name, size_t size);

/* The hash that it must have, by mxt_hash_bytes(). */
void mxt_hash_sample_expect(size_t size, const char *name, const uint8_t hash[MXT_HASH_SIZE]);

/* What lies in the folder; the caller finishes the list. */
void mxt_hash_sample_list(const char *folder, struct mxt_file_list *list);

#endif
