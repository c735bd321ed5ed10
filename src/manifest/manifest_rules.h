/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What parts of a manifest must have to do with each other.
 */
#ifndef MXT_MANIFEST_MANIFEST_RULES_H
#define MXT_MANIFEST_MANIFEST_RULES_H

#include <jansson.h>
#include <stddef.h>

#include "compiler.h"
#include "file_list.h"

struct mxt_error;

struct mxt_manifest_lists {
	struct mxt_file_list *items; /* owned */
	size_t count;
};
void mxt_manifest_lists_finish(struct mxt_manifest_lists *lists);

/* Fills an empty one from "lists": the run's folder, then datasets, then at most one checkpoint. */
int mxt_manifest_lists_read(struct mxt_manifest_lists *lists, const json_t *json, struct mxt_error *err) MXT_WUR;

/*
 * 0, or MXT_E_MANIFEST_FIELD: result_id is the hash of the result, or absent where that is unknown; files of the run
 * whose hash is among the fields, too, have the same in the list. The document's fields were checked before.
 */
int mxt_manifest_rules_check(const json_t *document, const struct mxt_manifest_lists *lists,
			     struct mxt_error *err) MXT_WUR;

#endif
