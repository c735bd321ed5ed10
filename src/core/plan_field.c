/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_field.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "json_path.h"
#include "nearest.h"
#include "plan_variables.h"
#include "words.h"

#define MAX_NAME 256

/* Rules of the table. */
/* clang-format off */
#define REQUIRED          true
#define OPTIONAL          false
#define INTEGER(min, max) {MXT_FIELD_INTEGER, (min), (max), "", MXT_PLAN_OBJECT_COUNT}
#define FLAG(value)       {MXT_FIELD_FLAG, (value), (value), "", MXT_PLAN_OBJECT_COUNT}
#define WORD(words)       {MXT_FIELD_WORD, 0, 0, (words), MXT_PLAN_OBJECT_COUNT}
#define WORDS(words)      {MXT_FIELD_WORDS, 0, 0, (words), MXT_PLAN_OBJECT_COUNT}
#define OBJECT(name)      {MXT_FIELD_OBJECT, 0, 0, "", MXT_PLAN_OBJECT_##name}
#define LIST(name)        {MXT_FIELD_LIST, 0, 0, "", MXT_PLAN_OBJECT_##name}
#define PLAIN(kind)       {MXT_FIELD_##kind, 0, 0, "", MXT_PLAN_OBJECT_COUNT}
#define NAME     PLAIN(NAME)
#define NAMES    PLAIN(NAMES)
#define TEXT     PLAIN(TEXT)
#define TEXTS    PLAIN(TEXTS)
#define HASH     PLAIN(HASH)
#define ENV      PLAIN(ENV)
#define UNSET    PLAIN(UNSET)
#define CONTRACT PLAIN(CONTRACT)
#define ANY      PLAIN(ANY)
/* clang-format on */

static const struct mxt_plan_field fields[] = {
#define MXT_PLAN_FIELD(object, key, need, rule, omitted, meaning)                                                      \
	{MXT_PLAN_OBJECT_##object, key, need, rule, omitted, meaning},
#include "plan_fields.def"
#undef MXT_PLAN_FIELD
};

size_t mxt_plan_field_count(void)
{
	return MXT_ARRAY_LEN(fields);
}

const struct mxt_plan_field *mxt_plan_field_at(size_t i)
{
	return &fields[i];
}

const char *mxt_plan_object_name(enum mxt_plan_object object)
{
	static const char *const names[] = {
	    [MXT_PLAN_OBJECT_PLAN] = "plan",
	    [MXT_PLAN_OBJECT_DECISION] = "decision",
	    [MXT_PLAN_OBJECT_PLATFORM] = "platform",
	    [MXT_PLAN_OBJECT_STACK] = "stack",
	    [MXT_PLAN_OBJECT_WORKLOAD] = "workload",
	    [MXT_PLAN_OBJECT_MODEL] = "model",
	    [MXT_PLAN_OBJECT_TRAINING] = "training",
	    [MXT_PLAN_OBJECT_SCALED] = "scaled",
	    [MXT_PLAN_OBJECT_ATTENTION] = "attention",
	    [MXT_PLAN_OBJECT_GEMM] = "gemm",
	    [MXT_PLAN_OBJECT_LIBRARIES] = "libraries",
	    [MXT_PLAN_OBJECT_PIN] = "pin",
	    [MXT_PLAN_OBJECT_PRODUCT] = "product",
	    [MXT_PLAN_OBJECT_COLLECTIVE] = "collective",
	    [MXT_PLAN_OBJECT_MESSAGE] = "message",
	    [MXT_PLAN_OBJECT_EVIDENCE] = "evidence",
	    [MXT_PLAN_OBJECT_BUDGET] = "budget",
	    [MXT_PLAN_OBJECT_LENGTHS] = "lengths",
	    [MXT_PLAN_OBJECT_SAMPLE] = "sample",
	    [MXT_PLAN_OBJECT_CHOICE] = "choice",
	    [MXT_PLAN_OBJECT_NEW_LENGTHS] = "new_lengths",
	    [MXT_PLAN_OBJECT_FIRST_CALL] = "first_call",
	    [MXT_PLAN_OBJECT_WARM_UP] = "warm_up",
	    [MXT_PLAN_OBJECT_HEURISTIC] = "heuristic",
	    [MXT_PLAN_OBJECT_RANKING] = "ranking",
	};
	return names[object];
}

static const struct mxt_plan_field *find_field(enum mxt_plan_object object, const char *key)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(fields); i++)
		if (fields[i].object == object && strcmp(fields[i].key, key) == 0)
			return &fields[i];
	return NULL;
}

void mxt_field_rule_text(const struct mxt_field_rule *rule, struct mxt_buf *buf)
{
	static const char *const texts[] = {
	    [MXT_FIELD_WORD] = "one of ",
	    [MXT_FIELD_WORDS] = "an array, in this order, of some of ",
	    [MXT_FIELD_NAME] = "a string of printable ASCII characters",
	    [MXT_FIELD_NAMES] = "an array of names in ascending order",
	    [MXT_FIELD_TEXT] = "a string",
	    [MXT_FIELD_TEXTS] = "an array of strings",
	    [MXT_FIELD_HASH] = "64 lower-case hexadecimal digits",
	    [MXT_FIELD_OBJECT] = "an object",
	    [MXT_FIELD_LIST] = "an array of objects",
	    [MXT_FIELD_ENV] = "an object of environment variables",
	    [MXT_FIELD_UNSET] = "an array of names of environment variables in ascending order",
	    [MXT_FIELD_CONTRACT] = "an object of environment variables",
	    [MXT_FIELD_ANY] = "any value",
	};
	if (rule->kind == MXT_FIELD_INTEGER && rule->min == rule->max)
		mxt_buf_printf(buf, "the number %" PRId64, rule->min);
	else if (rule->kind == MXT_FIELD_INTEGER)
		mxt_buf_printf(buf, "a whole number from %" PRId64 " to %" PRId64, rule->min, rule->max);
	else if (rule->kind == MXT_FIELD_FLAG)
		mxt_buf_puts(buf, rule->min ? "true" : "false");
	else
		mxt_buf_puts(buf, texts[rule->kind]);
	mxt_words_text(rule->words, buf);
}

static void append_string(const char *text, struct mxt_buf *buf)
{
	size_t len = strlen(text), shown = len > 64 ? 64 : len;
	while (shown < len && shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80)
		shown--; /* not within a character */
	mxt_buf_putc(buf, '"');
	mxt_buf_append(buf, text, shown);
	mxt_buf_puts(buf, shown < len ? "...\"" : "\"");
}

/* The value as messages show it. */
static void append_value(const json_t *value, struct mxt_buf *buf)
{
	if (json_is_string(value))
		append_string(json_string_value(value), buf);
	else if (json_is_integer(value))
		mxt_buf_printf(buf, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_object(value))
		mxt_buf_puts(buf, json_object_size(value) ? "this object" : "an empty object");
	else if (json_is_array(value))
		mxt_buf_puts(buf, json_array_size(value) ? "this array" : "an empty array");
	else
		mxt_buf_puts(buf, json_is_true(value) ? "true" : "false");
}

static int refuse(const struct mxt_plan_field *field, const json_t *value, const struct mxt_json_path *path,
		  struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf expected = MXT_BUF_INIT;
	append_value(value, &shown);
	mxt_field_rule_text(&field->rule, &expected);
	const char *glue = field->omitted[0] ? "; leave the key out for: " : "";
	return mxt_json_at(path,
			   mxt_error_set(err, -EINVAL, MXT_E_PLAN_FIELD, "%s is not allowed; expected %s%s%s",
					 mxt_buf_text(&shown), mxt_buf_text(&expected), glue, field->omitted),
			   err);
}

static int word_index(const struct mxt_field_rule *rule, const json_t *value)
{
	if (!json_is_string(value))
		return -1;
	return mxt_words_index(rule->words, json_string_value(value), json_string_length(value), false);
}

static bool is_name(const json_t *value)
{
	if (!json_is_string(value))
		return false;
	const char *text = json_string_value(value);
	size_t len = json_string_length(value);
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return len >= 1 && len <= MAX_NAME;
}

static bool is_integer(const struct mxt_field_rule *rule, const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= rule->min &&
	       json_integer_value(value) <= rule->max;
}

static bool is_flag(const struct mxt_field_rule *rule, const json_t *value)
{
	return json_is_boolean(value) && json_is_true(value) == (rule->min != 0);
}

static bool is_word(const struct mxt_field_rule *rule, const json_t *value)
{
	return word_index(rule, value) >= 0;
}

static bool is_words(const struct mxt_field_rule *rule, const json_t *value)
{
	int last = -1;
	for (size_t i = 0; i < json_array_size(value); i++) {
		int index = word_index(rule, json_array_get(value, i));
		if (index <= last)
			return false;
		last = index;
	}
	return last >= 0;
}

static bool is_any_name(const struct mxt_field_rule *rule, const json_t *value)
{
	(void)rule;
	return is_name(value);
}

static bool is_names(const struct mxt_field_rule *rule, const json_t *value)
{
	(void)rule;
	const char *last = "";
	for (size_t i = 0; i < json_array_size(value); i++) {
		const json_t *element = json_array_get(value, i);
		if (!is_name(element) || strcmp(last, json_string_value(element)) >= 0)
			return false;
		last = json_string_value(element);
	}
	return last[0] != '\0';
}

static bool is_text(const struct mxt_field_rule *rule, const json_t *value)
{
	(void)rule;
	return json_is_string(value);
}

static bool is_texts(const struct mxt_field_rule *rule, const json_t *value)
{
	(void)rule;
	for (size_t i = 0; i < json_array_size(value); i++)
		if (!json_is_string(json_array_get(value, i)))
			return false;
	return json_is_array(value);
}

static bool is_hash(const struct mxt_field_rule *rule, const json_t *value)
{
	(void)rule;
	return json_is_string(value) && json_string_length(value) == 64 &&
	       strspn(json_string_value(value), "0123456789abcdef") == 64;
}

static bool is_object(const struct mxt_field_rule *rule, const json_t *value)
{
	(void)rule;
	return json_is_object(value);
}

/* A decision has no empty lists: leaving the key out says the same. */
static bool is_list(const struct mxt_field_rule *rule, const json_t *value)
{
	return json_is_array(value) && (json_array_size(value) > 0 || rule->child >= MXT_PLAN_OBJECT_EVIDENCE);
}

static bool is_filled_object(const struct mxt_field_rule *rule, const json_t *value)
{
	(void)rule;
	return json_object_size(value) > 0;
}

static bool is_anything(const struct mxt_field_rule *rule, const json_t *value)
{
	(void)rule;
	(void)value;
	return true;
}

static int check_list(const struct mxt_field_rule *rule, const json_t *value, const struct mxt_json_path *path,
		      struct mxt_error *err)
{
	for (size_t i = 0; i < json_array_size(value); i++) {
		const struct mxt_json_path at = {path, NULL, i};
		int rc = mxt_plan_object_check(rule->child, json_array_get(value, i), &at, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int check_child(const struct mxt_field_rule *rule, const json_t *value, const struct mxt_json_path *path,
		       struct mxt_error *err)
{
	return mxt_plan_object_check(rule->child, value, path, err);
}

static int check_env(const struct mxt_field_rule *rule, const json_t *value, const struct mxt_json_path *path,
		     struct mxt_error *err)
{
	(void)rule;
	return mxt_plan_env_check(value, path, err);
}

static int check_unset(const struct mxt_field_rule *rule, const json_t *value, const struct mxt_json_path *path,
		       struct mxt_error *err)
{
	(void)rule;
	return mxt_plan_unset_check(value, path, err);
}

static int check_contract(const struct mxt_field_rule *rule, const json_t *value, const struct mxt_json_path *path,
			  struct mxt_error *err)
{
	(void)rule;
	return mxt_plan_contract_check(value, path, err);
}

/* `holds`: is the value itself of this kind? `check`: what is below it; NULL: nothing. */
static const struct {
	bool (*holds)(const struct mxt_field_rule *rule, const json_t *value);
	int (*check)(const struct mxt_field_rule *rule, const json_t *value, const struct mxt_json_path *path,
		     struct mxt_error *err);
} kinds[] = {
    [MXT_FIELD_INTEGER] = {is_integer, NULL},    [MXT_FIELD_FLAG] = {is_flag, NULL},
    [MXT_FIELD_WORD] = {is_word, NULL},          [MXT_FIELD_WORDS] = {is_words, NULL},
    [MXT_FIELD_NAME] = {is_any_name, NULL},      [MXT_FIELD_NAMES] = {is_names, NULL},
    [MXT_FIELD_TEXT] = {is_text, NULL},          [MXT_FIELD_TEXTS] = {is_texts, NULL},
    [MXT_FIELD_HASH] = {is_hash, NULL},          [MXT_FIELD_OBJECT] = {is_object, check_child},
    [MXT_FIELD_LIST] = {is_list, check_list},    [MXT_FIELD_ENV] = {is_filled_object, check_env},
    [MXT_FIELD_UNSET] = {is_names, check_unset}, [MXT_FIELD_CONTRACT] = {is_filled_object, check_contract},
    [MXT_FIELD_ANY] = {is_anything, NULL},
};

static int check_field(const struct mxt_plan_field *field, const json_t *value, const struct mxt_json_path *path,
		       struct mxt_error *err)
{
	const struct mxt_field_rule *rule = &field->rule;
	if (!kinds[rule->kind].holds(rule, value))
		return refuse(field, value, path, err);
	return kinds[rule->kind].check ? kinds[rule->kind].check(rule, value, path, err) : 0;
}

struct key_list {
	enum mxt_plan_object object;
};

static const char *key_at(const void *list, size_t i)
{
	return fields[i].object == ((const struct key_list *)list)->object ? fields[i].key : "";
}

static int refuse_key(enum mxt_plan_object object, const struct mxt_json_path *path, struct mxt_error *err)
{
	const struct key_list list = {object};
	const char *near = mxt_nearest(path->key, key_at, &list, MXT_ARRAY_LEN(fields));
	return mxt_json_at(path,
			   mxt_error_set(err, -EINVAL, MXT_E_PLAN_KEY,
					 "unknown key%s%s%s; a newer mindxtrain may know it",
					 near ? ", did you mean '" : "", near ? near : "", near ? "'?" : ""),
			   err);
}

/* Evidence of a newer version: only what decides how the plan may be used is looked at. */
static bool is_skipped(enum mxt_plan_object object, const json_t *value, const char *key)
{
	return object == MXT_PLAN_OBJECT_EVIDENCE && json_integer_value(json_object_get(value, "version")) > 1 &&
	       strcmp(key, "version") != 0 && strcmp(key, "simulated") != 0;
}

static int check_members(enum mxt_plan_object object, const json_t *value, const struct mxt_json_path *path,
			 struct mxt_error *err)
{
	json_t *members = (json_t *)value;
	for (void *iter = json_object_iter(members); iter; iter = json_object_iter_next(members, iter)) {
		const struct mxt_json_path at = {path, json_object_iter_key(iter), 0};
		const struct mxt_plan_field *field = find_field(object, at.key);
		if (!field && object < MXT_PLAN_OBJECT_EVIDENCE)
			return refuse_key(object, &at, err);
		if (!field || is_skipped(object, value, at.key))
			continue;
		int rc = check_field(field, json_object_iter_value(iter), &at, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mxt_plan_object_check(enum mxt_plan_object object, const json_t *value, const struct mxt_json_path *path,
			  struct mxt_error *err)
{
	if (!json_is_object(value))
		return mxt_json_at(path, mxt_error_set(err, -EINVAL, MXT_E_PLAN_FIELD, "an object is expected here"),
				   err);
	for (size_t i = 0; i < MXT_ARRAY_LEN(fields); i++) {
		if (fields[i].object != object || !fields[i].required || json_object_get(value, fields[i].key))
			continue;
		const struct mxt_json_path at = {path, fields[i].key, 0};
		return mxt_json_at(&at, mxt_error_set(err, -EINVAL, MXT_E_PLAN_FIELD, "the key is missing"), err);
	}
	return check_members(object, value, path, err);
}
