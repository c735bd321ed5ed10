/* SPDX-License-Identifier: Apache-2.0 */
#include "recording_field.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "json.h"
#include "json_path.h"
#include "nearest.h"
#include "words.h"

#define MAX_NAME  256
#define MAX_ARRAY 65536 /* ranks times steps */

enum kind { KIND_INTEGER, KIND_INTEGERS, KIND_FLAG, KIND_WORD, KIND_NAME, KIND_OBJECT, KIND_LIST, KIND_PAIRS };

struct rule {
	enum kind kind;
	int64_t min, max; /* of PAIRS: largest first and largest second member */
	const char *words;
	enum mxt_recording_object child;
};

struct field {
	enum mxt_recording_object object;
	const char *key;
	bool required;
	struct rule rule;
};

/* clang-format off */
#define REQUIRED           true
#define OPTIONAL           false
#define INTEGER(min, max)  {KIND_INTEGER, (min), (max), "", MXT_RECORDING_OBJECT_COUNT}
#define INTEGERS(min, max) {KIND_INTEGERS, (min), (max), "", MXT_RECORDING_OBJECT_COUNT}
#define PAIRS(first, second) {KIND_PAIRS, (first), (second), "", MXT_RECORDING_OBJECT_COUNT}
#define WORD(words)        {KIND_WORD, 0, 0, (words), MXT_RECORDING_OBJECT_COUNT}
#define OBJECT(name)       {KIND_OBJECT, 0, 0, "", MXT_RECORDING_##name}
#define LIST(name)         {KIND_LIST, 0, 0, "", MXT_RECORDING_##name}
#define FLAG               {KIND_FLAG, 0, 0, "", MXT_RECORDING_OBJECT_COUNT}
#define NAME               {KIND_NAME, 0, 0, "", MXT_RECORDING_OBJECT_COUNT}
/* clang-format on */

static const struct field fields[] = {
#define MXT_RECORDING_FIELD(object, key, need, rule, meaning) {MXT_RECORDING_##object, key, need, rule},
#include "recording_fields.def"
#undef MXT_RECORDING_FIELD
};

static void rule_text(const struct rule *rule, struct mxt_buf *buf)
{
	static const char *const texts[] = {
	    [KIND_INTEGER] = "a whole number",
	    [KIND_INTEGERS] = "an array of whole numbers",
	    [KIND_FLAG] = "true; leave the key out for false",
	    [KIND_WORD] = "one of ",
	    [KIND_NAME] = "a string of printable ASCII characters",
	    [KIND_OBJECT] = "an object",
	    [KIND_LIST] = "an array of objects",
	    [KIND_PAIRS] = "an array of [call, bytes]",
	};
	mxt_buf_puts(buf, texts[rule->kind]);
	mxt_words_text(rule->words, buf);
	if (rule->kind == KIND_INTEGER || rule->kind == KIND_INTEGERS)
		mxt_buf_printf(buf, " from %" PRId64 " to %" PRId64, rule->min, rule->max);
}

static bool in_range(const json_t *value, int64_t min, int64_t max)
{
	return json_is_integer(value) && json_integer_value(value) >= min && json_integer_value(value) <= max;
}

static bool is_name(const json_t *value)
{
	const char *text = json_string_value(value);
	size_t len = json_string_length(value);
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return len >= 1 && len <= MAX_NAME;
}

static bool is_word(const struct rule *rule, const json_t *value)
{
	return json_is_string(value) &&
	       mxt_words_index(rule->words, json_string_value(value), json_string_length(value), false) >= 0;
}

static bool are_integers(const struct rule *rule, const json_t *value)
{
	for (size_t i = 0; i < json_array_size(value); i++)
		if (!in_range(json_array_get(value, i), rule->min, rule->max))
			return false;
	return json_is_array(value) && json_array_size(value) <= MAX_ARRAY;
}

static bool are_pairs(const struct rule *rule, const json_t *value)
{
	for (size_t i = 0; i < json_array_size(value); i++) {
		const json_t *pair = json_array_get(value, i);
		if (json_array_size(pair) != 2 || !in_range(json_array_get(pair, 0), 0, rule->min) ||
		    !in_range(json_array_get(pair, 1), 0, rule->max))
			return false;
	}
	return json_is_array(value) && json_array_size(value) <= MXT_RECORDING_MAX_ORDER;
}

/* Is the value itself of the rule's kind? What is below it is looked at later. */
static bool holds(const struct rule *rule, const json_t *value)
{
	switch (rule->kind) {
	case KIND_INTEGER:
		return in_range(value, rule->min, rule->max);
	case KIND_INTEGERS:
		return are_integers(rule, value);
	case KIND_FLAG:
		return json_is_true(value);
	case KIND_WORD:
		return is_word(rule, value);
	case KIND_NAME:
		return json_is_string(value) && is_name(value);
	case KIND_OBJECT:
		return json_is_object(value);
	case KIND_LIST:
		return json_is_array(value) && json_array_size(value) <= MXT_RECORDING_MAX_CALLS;
	case KIND_PAIRS:
		return are_pairs(rule, value);
	}
	return false;
}

static int check_list(const struct rule *rule, const json_t *value, const struct mxt_json_path *path,
		      struct mxt_error *err)
{
	for (size_t i = 0; i < json_array_size(value); i++) {
		const struct mxt_json_path at = {path, NULL, i};
		int rc = mxt_recording_object_check(rule->child, json_array_get(value, i), &at, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int check_field(const struct field *field, const json_t *value, const struct mxt_json_path *path,
		       struct mxt_error *err)
{
	const struct rule *rule = &field->rule;
	if (!holds(rule, value)) {
		MXT_CLEANUP_BUF struct mxt_buf expected = MXT_BUF_INIT;
		rule_text(rule, &expected);
		return mxt_json_at(path,
				   mxt_error_set(err, -EINVAL, MXT_E_RECORDING,
						 "this value is not allowed; expected %s", mxt_buf_text(&expected)),
				   err);
	}
	if (rule->kind == KIND_LIST)
		return check_list(rule, value, path, err);
	return rule->kind == KIND_OBJECT ? mxt_recording_object_check(rule->child, value, path, err) : 0;
}

static const char *key_at(const void *object, size_t i)
{
	return fields[i].object == *(const enum mxt_recording_object *)object ? fields[i].key : "";
}

static int refuse_key(enum mxt_recording_object object, const struct mxt_json_path *path, struct mxt_error *err)
{
	const char *near = mxt_nearest(path->key, key_at, &object, MXT_ARRAY_LEN(fields));
	return mxt_json_at(path,
			   mxt_error_set(err, -EINVAL, MXT_E_RECORDING,
					 "unknown key%s%s%s; a newer mindxtrain may know it",
					 near ? ", did you mean '" : "", near ? near : "", near ? "'?" : ""),
			   err);
}

static const struct field *find_field(enum mxt_recording_object object, const char *key)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(fields); i++)
		if (fields[i].object == object && strcmp(fields[i].key, key) == 0)
			return &fields[i];
	return NULL;
}

static int check_members(enum mxt_recording_object object, const json_t *value, const struct mxt_json_path *path,
			 struct mxt_error *err)
{
	json_t *members = (json_t *)value; /* jansson's iterators take no const; nothing is changed */
	for (void *iter = json_object_iter(members); iter; iter = json_object_iter_next(members, iter)) {
		const struct mxt_json_path at = {path, json_object_iter_key(iter), 0};
		const struct field *field = find_field(object, at.key);
		int rc =
		    field ? check_field(field, json_object_iter_value(iter), &at, err) : refuse_key(object, &at, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mxt_recording_object_check(enum mxt_recording_object object, const json_t *value, const struct mxt_json_path *path,
			       struct mxt_error *err)
{
	if (!json_is_object(value))
		return mxt_json_at(path, mxt_error_set(err, -EINVAL, MXT_E_RECORDING, "an object is expected here"),
				   err);
	for (size_t i = 0; i < MXT_ARRAY_LEN(fields); i++) {
		if (fields[i].object != object || !fields[i].required || json_object_get(value, fields[i].key))
			continue;
		const struct mxt_json_path at = {path, fields[i].key, 0};
		return mxt_json_at(&at, mxt_error_set(err, -EINVAL, MXT_E_RECORDING, "the key is missing"), err);
	}
	return check_members(object, value, path, err);
}
