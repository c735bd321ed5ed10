/* SPDX-License-Identifier: Apache-2.0 */
#include "model_reader.h"

const json_t *mxt_model_value(const struct mxt_model_reader *r, const char *key)
{
	const json_t *value = json_object_get(r->object, key);
	return json_is_null(value) ? NULL : value;
}

bool mxt_model_is_true(const struct mxt_model_reader *r, const char *key)
{
	return json_is_true(json_object_get(r->object, key));
}

const char *mxt_model_kind(const json_t *value)
{
	static const char *const kinds[] = {
	    [JSON_OBJECT] = "an object",
	    [JSON_ARRAY] = "an array",
	    [JSON_STRING] = "a string",
	    [JSON_INTEGER] = "a whole number",
	    [JSON_REAL] = "a number with a fraction",
	    [JSON_TRUE] = "true",
	    [JSON_FALSE] = "false",
	    [JSON_NULL] = "null",
	};
	return kinds[json_typeof(value)];
}
