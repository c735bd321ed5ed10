/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One list and the place that is held against it: first what lies there, then what it holds.
 */
#ifndef MXT_MANIFEST_LIST_CHECK_H
#define MXT_MANIFEST_LIST_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "file_list.h"
#include "verify.h"

struct mxt_error;

struct mxt_list_check {
	const struct mxt_file_list *list; /* borrowed */
	size_t number;                    /* of the list in the manifest */
	const char *id;                   /* borrowed: of the manifest, for the quick cache */
	const char *elsewhere; /* borrowed: an entry that may be missing, since it is held against a copy; NULL: none */
	const char **left_out; /* owned: see struct mxt_tree_request */
	bool files_only;       /* the list can hold no links, nor names that are no UTF-8 */

	bool is_there;             /* there is such a place */
	struct mxt_file_list here; /* what lies there, with sizes and times; its root is absolute */
	int root_fd;
	size_t *twins;                        /* owned: per entry here, its number in the list; SIZE_MAX: it has none */
	bool *skip;                           /* owned: per entry here, not to be hashed */
	struct mxt_file_identity *identities; /* owned: per entry of the list, of what is as it should be; else zero */
	size_t files_left, files_hashed;
	uint64_t bytes; /* of the files that are left to be hashed */
};
#define MXT_LIST_CHECK_INIT                                                                                            \
	{                                                                                                              \
		.root_fd = -1                                                                                          \
	}
#define MXT_CLEANUP_LIST_CHECK MXT_CLEANUP(mxt_list_check_finish)
void mxt_list_check_finish(struct mxt_list_check *check);

/* Compares names, kinds, links and sizes with what lies at `place`; in quick mode, times with the cache's. */
int mxt_list_check_look(struct mxt_list_check *check, const struct mxt_verify_request *request, const char *place,
			struct mxt_verify_report *report, struct mxt_error *err) MXT_WUR;

/* Hashes what is left. `before`, `total`: bytes, for the progress over all lists. */
int mxt_list_check_hash(struct mxt_list_check *check, const struct mxt_verify_request *request, uint64_t before,
			uint64_t total, struct mxt_verify_report *report, struct mxt_error *err) MXT_WUR;

/* Keeps in the cache what was seen to be as it should. A cache that cannot be written is no loss. */
void mxt_list_check_remember(const struct mxt_list_check *check, const struct mxt_verify_request *request);

#endif
