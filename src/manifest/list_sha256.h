/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 of the files of a list, computed from the same bytes whose BLAKE3 is held against the list: one never says
 * of other bytes what the other says.
 */
#ifndef MXT_MANIFEST_LIST_SHA256_H
#define MXT_MANIFEST_LIST_SHA256_H

#include <stdint.h>

#include "compiler.h"
#include "hash_files.h"
#include "sha256.h"

struct mxt_error;
struct mxt_libcrypto;

/* Over all lists that are read one after the other. */
struct mxt_sha256_work {
	const struct mxt_libcrypto *library;
	const struct mxt_hash_watch *watch;
	struct mxt_hash_progress progress; /* totals: the caller's */
	uint64_t told_ns;                  /* when the watch was last called */
};

/*
 * `root`: where the list lies now, as realpath(3) says. Fills `ret_digests` (list->count); links have none.
 * MXT_E_VERIFY_FAILED for a file that is not there as it was listed; -ECANCELED (MXT_E_INTERRUPTED) when the watch says
 * so.
 */
int mxt_list_sha256(struct mxt_sha256_work *work, const struct mxt_file_list *list, const char *root,
		    uint8_t (*ret_digests)[MXT_SHA256_SIZE], struct mxt_error *err) MXT_WUR;

#endif
