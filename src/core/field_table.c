/* SPDX-License-Identifier: Apache-2.0 */
#include "field_table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "json_path.h"
#include "nearest.h"
#include "plan_variables.h"
#include "words.h"

#define MAX_NAME 256

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

static int refuse(const struct mxt_field_table *table, const struct mxt_field *field, const json_t *value,
		  const struct mxt_json_path *path, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf expected = MXT_BUF_INIT;
	append_value(value, &shown);
	mxt_field_rule_text(&field->rule, &expected);
	const char *glue = field->omitted[0] ? "; leave the key out for: " : "";
	return mxt_json_at(path,
			   mxt_error_set(err, -EINVAL, table->bad_value, "%s is not allowed; expected %s%s%s",
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

static bool is_list(const struct mxt_field_rule *rule, const json_t *value)
{
	return json_is_array(value) && json_array_size(value) >= (size_t)rule->min;
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

static int check_list(const struct mxt_field_table *table, const struct mxt_field_rule *rule, const json_t *value,
		      const struct mxt_json_path *path, struct mxt_error *err)
{
	for (size_t i = 0; i < json_array_size(value); i++) {
		const struct mxt_json_path at = {path, NULL, i};
		int rc = mxt_field_object_check(table, rule->child, json_array_get(value, i), &at, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int check_child(const struct mxt_field_table *table, const struct mxt_field_rule *rule, const json_t *value,
		       const struct mxt_json_path *path, struct mxt_error *err)
{
	return mxt_field_object_check(table, rule->child, value, path, err);
}

static int check_env(const struct mxt_field_table *table, const struct mxt_field_rule *rule, const json_t *value,
		     const struct mxt_json_path *path, struct mxt_error *err)
{
	(void)table;
	(void)rule;
	return mxt_plan_env_check(value, path, err);
}

static int check_unset(const struct mxt_field_table *table, const struct mxt_field_rule *rule, const json_t *value,
		       const struct mxt_json_path *path, struct mxt_error *err)
{
	(void)table;
	(void)rule;
	return mxt_plan_unset_check(value, path, err);
}

static int check_contract(const struct mxt_field_table *table, const struct mxt_field_rule *rule, const json_t *value,
			  const struct mxt_json_path *path, struct mxt_error *err)
{
	(void)table;
	(void)rule;
	return mxt_plan_contract_check(value, path, err);
}

/* `holds`: is the value itself of this kind? `check`: what is below it; NULL: nothing. */
static const struct {
	bool (*holds)(const struct mxt_field_rule *rule, const json_t *value);
	int (*check)(const struct mxt_field_table *table, const struct mxt_field_rule *rule, const json_t *value,
		     const struct mxt_json_path *path, struct mxt_error *err);
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

static int check_field(const struct mxt_field_table *table, const struct mxt_field *field, const json_t *value,
		       const struct mxt_json_path *path, struct mxt_error *err)
{
	const struct mxt_field_rule *rule = &field->rule;
	if (!kinds[rule->kind].holds(rule, value))
		return refuse(table, field, value, path, err);
	return kinds[rule->kind].check ? kinds[rule->kind].check(table, rule, value, path, err) : 0;
}

static const struct mxt_field *find_field(const struct mxt_field_table *table, unsigned object, const char *key)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->fields[i].object == object && strcmp(table->fields[i].key, key) == 0)
			return &table->fields[i];
	return NULL;
}

struct key_list {
	const struct mxt_field_table *table;
	unsigned object;
};

static const char *key_at(const void *context, size_t i)
{
	const struct key_list *list = context;
	const struct mxt_field *field = &list->table->fields[i];
	return field->object == list->object ? field->key : "";
}

static int refuse_key(const struct mxt_field_table *table, unsigned object, const struct mxt_json_path *path,
		      struct mxt_error *err)
{
	const struct key_list list = {table, object};
	const char *near = mxt_nearest(path->key, key_at, &list, table->count);
	return mxt_json_at(path,
			   mxt_error_set(err, -EINVAL, table->unknown_key,
					 "unknown key%s%s%s; a newer mindxtrain may know it",
					 near ? ", did you mean '" : "", near ? near : "", near ? "'?" : ""),
			   err);
}

static int check_members(const struct mxt_field_table *table, unsigned object, const json_t *value,
			 const struct mxt_json_path *path, struct mxt_error *err)
{
	json_t *members = (json_t *)value;
	for (void *iter = json_object_iter(members); iter; iter = json_object_iter_next(members, iter)) {
		const struct mxt_json_path at = {path, json_object_iter_key(iter), 0};
		const struct mxt_field *field = find_field(table, object, at.key);
		if (!field && object < table->first_open)
			return refuse_key(table, object, &at, err);
		if (!field || (table->skips && table->skips(object, value, at.key)))
			continue;
		int rc = check_field(table, field, json_object_iter_value(iter), &at, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mxt_field_object_check(const struct mxt_field_table *table, unsigned object, const json_t *value,
			   const struct mxt_json_path *path, struct mxt_error *err)
{
	if (!json_is_object(value))
		return mxt_json_at(path, mxt_error_set(err, -EINVAL, table->bad_value, "an object is expected here"),
				   err);
	for (size_t i = 0; i < table->count; i++) {
		const struct mxt_field *field = &table->fields[i];
		if (field->object != object || !field->required || json_object_get(value, field->key))
			continue;
		const struct mxt_json_path at = {path, field->key, 0};
		return mxt_json_at(&at, mxt_error_set(err, -EINVAL, table->bad_value, "the key is missing"), err);
	}
	return check_members(table, object, value, path, err);
}
