/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What parts of a manifest must have to do with each other.
 */
#ifndef MXT_MANIFEST_MANIFEST_RULES_H
#define MXT_MANIFEST_MANIFEST_RULES_H

#include <jansson.h>

#include "compiler.h"
#include "list_set.h"

struct mxt_error;

/* Fills an empty set from "lists": the run's folder, then datasets, then at most one checkpoint. */
int mxt_manifest_lists_read(struct mxt_list_set *set, const json_t *json, struct mxt_error *err) MXT_WUR;

/*
 * 0, or MXT_E_MANIFEST_FIELD: result_id is the hash of the result, or absent where that is unknown (MXT_E_RESULT_FORM
 * where the result is none of this plan and these lists); files of the run whose hash is among the fields, too, have
 * the same in the list. The document's fields were checked before.
 */
int mxt_manifest_rules_check(const json_t *document, const struct mxt_list_set *set, struct mxt_error *err) MXT_WUR;

#endif
