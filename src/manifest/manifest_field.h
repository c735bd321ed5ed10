/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a manifest, as a table (manifest_fields.def).
 */
#ifndef MXT_MANIFEST_MANIFEST_FIELD_H
#define MXT_MANIFEST_MANIFEST_FIELD_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;

enum mxt_manifest_object {
	MXT_MANIFEST_OBJECT_MANIFEST,
	MXT_MANIFEST_OBJECT_RUN,
	MXT_MANIFEST_OBJECT_PLAN,
	MXT_MANIFEST_OBJECT_CONFIG,
	MXT_MANIFEST_OBJECT_PROOF,
	MXT_MANIFEST_OBJECT_NOT_LISTED,
	MXT_MANIFEST_OBJECT_LIST,
	MXT_MANIFEST_OBJECT_ENTRY,
	/* From here on any key is taken: what others wrote, in forms of their own. */
	MXT_MANIFEST_OBJECT_RESULT,
	MXT_MANIFEST_OBJECT_OPEN,
	MXT_MANIFEST_OBJECT_COUNT,
};

/* 0 when the document keeps to the table; its lists are not looked at. Else MXT_E_MANIFEST_FIELD. */
int mxt_manifest_fields_check(const json_t *document, struct mxt_error *err) MXT_WUR;

#endif
