/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest_field.h"

#include <string.h>

#include "field_rows.h"
#include "json.h"
#include "json_path.h"

/* clang-format off */
#define OBJECT(name) {MXT_FIELD_OBJECT, 0, 0, "", MXT_MANIFEST_OBJECT_##name}
#define LIST(name)   {MXT_FIELD_LIST, 0, 0, "", MXT_MANIFEST_OBJECT_##name}
/* clang-format on */

static const struct mxt_field fields[] = {
#define MXT_MANIFEST_FIELD(object, key, need, rule, omitted, meaning)                                                  \
	{MXT_MANIFEST_OBJECT_##object, key, need, rule, omitted, ""}, /* only documents need the meaning */
#include "manifest_fields.def"
#undef MXT_MANIFEST_FIELD
};

static bool is_skipped(unsigned object, const json_t *value, const char *key)
{
	(void)value;
	return object == MXT_MANIFEST_OBJECT_MANIFEST && strcmp(key, "lists") == 0;
}

int mxt_manifest_fields_check(const json_t *document, struct mxt_error *err)
{
	static const struct mxt_field_table table = {
	    .fields = fields,
	    .count = MXT_ARRAY_LEN(fields),
	    .first_open = MXT_MANIFEST_OBJECT_RESULT,
	    .unknown_key = MXT_E_MANIFEST_FIELD,
	    .bad_value = MXT_E_MANIFEST_FIELD,
	    .skips = is_skipped,
	};
	static const struct mxt_json_path root = MXT_JSON_ROOT;
	return mxt_field_object_check(&table, MXT_MANIFEST_OBJECT_MANIFEST, document, &root, err);
}
