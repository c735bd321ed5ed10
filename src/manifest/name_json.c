/* SPDX-License-Identifier: Apache-2.0 */
#include "name_json.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "number.h"

/* Under `key`; json_object_set_new() fails for NULL, what could not be made, too. */
static int set(json_t *object, const char *key, json_t *value, struct mxt_error *err)
{
	return json_object_set_new(object, key, value) < 0 ? mxt_error_oom(err) : 0;
}

int mxt_name_json_set(json_t *object, const char *key, const char *bytes_key, const char *name, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf digits = MXT_BUF_INIT;
	if (mxt_json_is_text(name))
		return set(object, key, json_string(name), err);
	for (; *name; name++)
		mxt_buf_printf(&digits, "%02x", (unsigned char)*name);
	int rc = mxt_buf_status(&digits, err);
	return rc < 0 ? rc : set(object, bytes_key, json_string(digits.data), err);
}

/* The bytes that hexadecimal digits stand for, as a string; false: they are none, or one is a NUL. */
static bool decode(const char *digits, size_t len, char *ret_bytes)
{
	for (size_t i = 0; i < len; i += 2) {
		unsigned high = mxt_hex_digit(digits[i]), low = mxt_hex_digit(digits[i + 1]);
		if (high > 15 || low > 15 || high + low == 0)
			return false;
		ret_bytes[i / 2] = (char)(unsigned char)(high << 4 | low);
	}
	ret_bytes[len / 2] = '\0';
	return len > 0 && len % 2 == 0;
}

static const char *text_fault(const json_t *value)
{
	const char *text = json_string_value(value);
	bool fits = text && strlen(text) == json_string_length(value) && mxt_json_is_text(text);
	return fits ? NULL : "it is no text";
}

/* What digits stand for; NULL with a fault, or without one when memory ran out. */
static char *from_digits(const json_t *value, const char **ret_fault)
{
	size_t len = json_string_length(value);
	MXT_CLEANUP_FREE char *name = malloc(len / 2 + 1);
	*ret_fault = NULL;
	if (!name)
		return NULL;
	if (len % 2 != 0 || !decode(json_string_value(value), len, name))
		*ret_fault = "it is no even number of lower-case hexadecimal digits, or holds a NUL";
	else if (mxt_json_is_text(name))
		*ret_fault = "it is text, and has to stand as text";
	return *ret_fault ? NULL : mxt_steal_ptr(&name);
}

char *mxt_name_json_read(const json_t *object, const char *key, const char *bytes_key, const char **ret_fault)
{
	const json_t *text = json_object_get(object, key), *bytes = json_object_get(object, bytes_key);
	if (!text && json_is_string(bytes))
		return from_digits(bytes, ret_fault);
	*ret_fault = bytes ? "it stands in two forms, or in none" : text_fault(text);
	return *ret_fault ? NULL : strdup(json_string_value(text));
}
