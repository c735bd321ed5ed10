/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: plan_docs schema | fields | man | variables | environment
 *
 * What the documentation says about plans, written from the tables that the reader checks them with: the JSON Schema,
 * the tables of docs/plan.md, docs/variables.md and docs/environment.md, and the fields of mindxtrain-plan(5). A test
 * holds the files in the tree against this.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "job_tuning.h"
#include "json.h"
#include "plan.h"
#include "plan_field.h"
#include "variables.h"

static json_t *need(json_t *value)
{
	if (!value)
		abort(); /* memory ran out */
	return value;
}

static void set(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, need(value)) < 0)
		abort();
}

/* ["a", "b"] for "a b". */
static json_t *word_array(const char *words)
{
	json_t *array = need(json_array());
	for (const char *word = words; *word;) {
		size_t len = strcspn(word, " ");
		if (json_array_append_new(array, need(json_stringn(word, len))) < 0)
			abort();
		word += len;
		word += strspn(word, " ");
	}
	return array;
}

/* ---- the schema: values of variables ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Appends "a|b" for "a b", escaped; every letter as [aA] when case does not matter. */
static void append_alternatives(const char *words, bool any_case, struct mxt_buf *buf)
{
	for (; *words; words++) {
		if (*words == ' ')
			mxt_buf_putc(buf, '|');
		else if (any_case && is_letter(*words))
			mxt_buf_printf(buf, "[%c%c]", *words | 0x20, *words & ~0x20);
		else
			mxt_buf_printf(buf, "%s%c", strchr("\\^$.|?*+()[]{}", *words) ? "\\" : "", *words);
	}
}

static json_t *pattern(const struct mxt_buf *buf)
{
	return need(json_pack("{s:s, s:s}", "type", "string", "pattern", mxt_buf_text(buf)));
}

static void append_value_pattern(const struct mxt_value_rule *rule, struct mxt_buf *buf)
{
	static const char number[] = "(0|[1-9][0-9]*)";
	bool any_case = rule->kind == MXT_VALUE_ANY_CASE;
	if (rule->kind == MXT_VALUE_INTEGER) {
		mxt_buf_puts(buf, rule->min < 0 ? "^(0|-?[1-9][0-9]*)$" : "^(0|[1-9][0-9]*)$");
	} else if (rule->kind == MXT_VALUE_PLACES) {
		mxt_buf_puts(buf, "^((");
		append_alternatives(rule->words, false, buf);
		mxt_buf_printf(buf, ")(\\(%s\\))?|\\{[0-9:,{}]+)$", number);
	} else if (rule->kind == MXT_VALUE_PROCESSORS) {
		mxt_buf_printf(buf, "^%s(-%s(:%s)?)?([, ]%s(-%s(:%s)?)?)*$", number, number, number, number, number,
			       number);
	} else if (rule->kind == MXT_VALUE_WORDS) {
		mxt_buf_puts(buf, "^\\^?(");
		append_alternatives(rule->words, false, buf);
		mxt_buf_puts(buf, ")(,(");
		append_alternatives(rule->words, false, buf);
		mxt_buf_puts(buf, "))*$");
	} else {
		mxt_buf_puts(buf, "^(");
		append_alternatives(rule->words, any_case, buf);
		mxt_buf_puts(buf, ")$");
	}
}

static json_t *value_schema(const struct mxt_value_rule *rule)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	if (rule->kind == MXT_VALUE_WORD)
		return need(json_pack("{s:o}", "enum", word_array(rule->words)));
	if (rule->kind == MXT_VALUE_FILE) {
		mxt_buf_printf(&buf, "@file:%s@", rule->words);
		return need(json_pack("{s:s}", "const", mxt_buf_text(&buf)));
	}
	if (rule->kind == MXT_VALUE_NONE)
		return need(json_pack("{s:{}}", "not"));
	append_value_pattern(rule, &buf);
	return pattern(&buf);
}

typedef bool class_test(enum mxt_variable_class class);

static bool may_be_set(enum mxt_variable_class class)
{
	return class == MXT_VARIABLE_SELECTOR || class == MXT_VARIABLE_STICKY;
}

static bool may_be_removed(enum mxt_variable_class class)
{
	return class == MXT_VARIABLE_SELECTOR;
}

static bool may_be_kept(enum mxt_variable_class class)
{
	return class == MXT_VARIABLE_CONTRACT || class == MXT_VARIABLE_STICKY;
}

static json_t *assignments_schema(class_test *test)
{
	json_t *properties = need(json_object());
	for (size_t i = 0; i < mxt_variable_count(); i++)
		if (test(mxt_variable_at(i)->class))
			set(properties, mxt_variable_at(i)->name, value_schema(&mxt_variable_at(i)->rule));
	return need(json_pack("{s:s, s:i, s:b, s:o}", "type", "object", "minProperties", 1, "additionalProperties", 0,
			      "properties", properties));
}

static json_t *unset_schema(void)
{
	json_t *names = need(json_array());
	for (size_t i = 0; i < mxt_variable_count(); i++)
		if (may_be_removed(mxt_variable_at(i)->class) &&
		    json_array_append_new(names, json_string(mxt_variable_at(i)->name)) < 0)
			abort();
	return need(json_pack("{s:s, s:i, s:b, s:{s:o}}", "type", "array", "minItems", 1, "uniqueItems", 1, "items",
			      "enum", names));
}

/* ---- the schema: objects ---- */

static json_t *reference(const char *name)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_printf(&buf, "#/$defs/%s", name);
	return need(json_pack("{s:s}", "$ref", mxt_buf_text(&buf)));
}

static json_t *array_of(json_t *items, int min_items, int unique)
{
	return need(json_pack("{s:s, s:i, s:b, s:o}", "type", "array", "minItems", min_items, "uniqueItems", unique,
			      "items", items));
}

static json_t *name_schema(void)
{
	return need(json_pack("{s:s, s:s}", "type", "string", "pattern", "^[ -~]{1,256}$"));
}

static json_t *flag_or_word_schema(const struct mxt_field_rule *rule)
{
	if (rule->kind == MXT_FIELD_FLAG)
		return need(json_pack("{s:b}", "const", (int)rule->min));
	return need(json_pack("{s:o}", "enum", word_array(rule->words)));
}

static json_t *rule_schema(const struct mxt_field_rule *rule)
{
	switch (rule->kind) {
	case MXT_FIELD_INTEGER:
		return need(json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", (json_int_t)rule->min, "maximum",
				      (json_int_t)rule->max));
	case MXT_FIELD_FLAG:
	case MXT_FIELD_WORD:
		return flag_or_word_schema(rule);
	case MXT_FIELD_WORDS:
		return array_of(json_pack("{s:o}", "enum", word_array(rule->words)), 1, 1);
	case MXT_FIELD_NAME:
		return name_schema();
	case MXT_FIELD_NAMES:
		return array_of(name_schema(), 1, 1);
	case MXT_FIELD_TEXT:
		return need(json_pack("{s:s}", "type", "string"));
	case MXT_FIELD_TEXTS:
		return array_of(json_pack("{s:s}", "type", "string"), 0, 0);
	case MXT_FIELD_HASH:
		return need(json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9a-f]{64}$"));
	case MXT_FIELD_OBJECT:
		return reference(mxt_plan_object_name(rule->child));
	case MXT_FIELD_LIST:
		return array_of(reference(mxt_plan_object_name(rule->child)), rule->child < MXT_PLAN_OBJECT_EVIDENCE,
				rule->child < MXT_PLAN_OBJECT_EVIDENCE);
	case MXT_FIELD_ENV:
		return assignments_schema(may_be_set);
	case MXT_FIELD_UNSET:
		return unset_schema();
	case MXT_FIELD_CONTRACT:
		return assignments_schema(may_be_kept);
	default:
		return need(json_object());
	}
}

static json_t *field_schema(const struct mxt_field *field)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	json_t *schema = rule_schema(&field->rule);
	mxt_buf_puts(&text, field->meaning);
	if (field->omitted[0])
		mxt_buf_printf(&text, "%sleft out: %s", text.len ? "; " : "", field->omitted);
	if (text.len)
		set(schema, "description", json_string(mxt_buf_text(&text)));
	return schema;
}

static json_t *object_schema(enum mxt_plan_object object)
{
	json_t *properties = need(json_object()), *required = need(json_array());
	for (size_t i = 0; i < mxt_plan_field_count(); i++) {
		const struct mxt_field *field = mxt_plan_field_at(i);
		if (field->object != object)
			continue;
		set(properties, field->key, field_schema(field));
		if (field->required && json_array_append_new(required, json_string(field->key)) < 0)
			abort();
	}
	json_t *schema =
	    need(json_pack("{s:s, s:o, s:o}", "type", "object", "required", required, "properties", properties));
	if (object < MXT_PLAN_OBJECT_EVIDENCE)
		set(schema, "additionalProperties", json_false());
	return schema;
}

/* Evidence of a newer version: only what every version has. */
static json_t *evidence_schema(void)
{
	json_t *known = object_schema(MXT_PLAN_OBJECT_EVIDENCE);
	json_t *properties = json_object_get(known, "properties");
	json_t *common = need(json_pack("{s:O, s:O}", "version", json_object_get(properties, "version"), "simulated",
					json_object_get(properties, "simulated")));
	return need(json_pack("{s:s, s:[s], s:o, s:{s:{s:{s:i}}}, s:o}", "type", "object", "required", "version",
			      "properties", common, "if", "properties", "version", "const", 1, "then", known));
}

static void print_schema(void)
{
	MXT_CLEANUP_JSON json_t *defs = need(json_object());
	for (int i = 0; i < MXT_PLAN_OBJECT_COUNT; i++)
		set(defs, mxt_plan_object_name((enum mxt_plan_object)i),
		    i == MXT_PLAN_OBJECT_EVIDENCE ? evidence_schema() : object_schema((enum mxt_plan_object)i));
	MXT_CLEANUP_JSON json_t *schema = need(json_pack(
	    "{s:s, s:s, s:s, s:s, s:s, s:O}", "$schema", "https://json-schema.org/draft/2020-12/schema", "$comment",
	    "SPDX-License-Identifier: Apache-2.0. Written by tests/tools/plan_docs.c; do not edit.", "title",
	    "mindXtrain plan", "description",
	    "What a schema can say about " MXT_PLAN_SCHEMA
	    "; `mindxtrain plan check` also verifies the id, ranges of variables, orders and defaults.",
	    "$ref", "#/$defs/plan", "$defs", defs));
	if (json_dumpf(schema, stdout, JSON_INDENT(1)) < 0)
		abort();
	(void)putchar('\n');
}

/* ---- Markdown ---- */

static void print_field(const struct mxt_field *field)
{
	MXT_CLEANUP_BUF struct mxt_buf rule = MXT_BUF_INIT;
	if (field->rule.kind == MXT_FIELD_OBJECT || field->rule.kind == MXT_FIELD_LIST)
		mxt_buf_printf(&rule, "%s `%s`", field->rule.kind == MXT_FIELD_LIST ? "array of" : "object",
			       mxt_plan_object_name(field->rule.child));
	else
		mxt_field_rule_text(&field->rule, &rule);
	printf("| `%s` | %s | %s | %s |\n", field->key, mxt_buf_text(&rule),
	       field->required ? "required" : field->omitted, field->meaning);
}

static void print_fields(void)
{
	for (int object = 0; object < MXT_PLAN_OBJECT_COUNT; object++) {
		printf("### %s\n\n| key | value | left out | meaning |\n|---|---|---|---|\n",
		       mxt_plan_object_name((enum mxt_plan_object)object));
		for (size_t i = 0; i < mxt_plan_field_count(); i++)
			if ((int)mxt_plan_field_at(i)->object == object)
				print_field(mxt_plan_field_at(i));
		printf("\n");
	}
}

/* ---- the manual page ---- */

/* In roff only a backslash is more than itself here; the page has no backquotes. */
static void print_words(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\')
			printf("\\e");
		else if (*text != '`')
			printf("%c", *text);
	}
}

static void print_man_field(const struct mxt_field *field)
{
	MXT_CLEANUP_BUF struct mxt_buf rule = MXT_BUF_INIT;
	if (field->rule.kind == MXT_FIELD_OBJECT || field->rule.kind == MXT_FIELD_LIST)
		mxt_buf_printf(&rule, "%s%s",
			       field->rule.kind == MXT_FIELD_LIST ? "an array of objects like " : "the object ",
			       mxt_plan_object_name(field->rule.child));
	else
		mxt_field_rule_text(&field->rule, &rule);
	printf(".It Cm %s%s\n", field->key, field->required ? "" : " Pq optional");
	print_words(field->meaning);
	printf("%s", field->meaning[0] ? ":\n" : "");
	print_words(mxt_buf_text(&rule));
	if (!field->required)
		printf(".\nLeft out: ");
	print_words(field->omitted);
	printf(".\n");
}

static void print_man(void)
{
	for (int object = 0; object < MXT_PLAN_OBJECT_COUNT; object++) {
		printf(".Ss %s\n.Bl -tag -width Ds\n", mxt_plan_object_name((enum mxt_plan_object)object));
		for (size_t i = 0; i < mxt_plan_field_count(); i++)
			if ((int)mxt_plan_field_at(i)->object == object)
				print_man_field(mxt_plan_field_at(i));
		printf(".El\n");
	}
}

/* ---- Markdown: variables ---- */

static void print_variable(const struct mxt_variable *row)
{
	MXT_CLEANUP_BUF struct mxt_buf rule = MXT_BUF_INIT;
	if (row->class != MXT_VARIABLE_DENY)
		mxt_value_rule_text(&row->rule, &rule);
	printf("| `%s` | %s%s%s%s%s | %s | %s |\n", row->name, row->reader, row->since[0] ? ", from " : "", row->since,
	       row->until[0] ? " to " : "", row->until, mxt_buf_text(&rule), row->why);
}

static void print_variables(void)
{
	static const struct {
		enum mxt_variable_class class;
		const char *title;
	} parts[] = {
	    {MXT_VARIABLE_SELECTOR, "Selectors: a plan may set and remove them"},
	    {MXT_VARIABLE_STICKY, "Kept where they are set, else selectors"},
	    {MXT_VARIABLE_CONTRACT, "Contracts: kept as they are, and part of the decision"},
	    {MXT_VARIABLE_DENY, "Denied: never from a plan"},
	};
	for (size_t p = 0; p < MXT_ARRAY_LEN(parts); p++) {
		printf("## %s\n\n| variable | reader | values in a plan | what it does |\n|---|---|---|---|\n",
		       parts[p].title);
		for (size_t i = 0; i < mxt_variable_count(); i++)
			if (mxt_variable_at(i)->class == parts[p].class)
				print_variable(mxt_variable_at(i));
		printf("\n");
	}
}

/* "1", "1, true, yes in any case", "everything but 0": the values that make it tune. */
static void print_tuning_values(const struct mxt_job_tuning *row)
{
	bool but = row->form == MXT_TUNING_BUT || row->form == MXT_TUNING_BUT_ANY_CASE;
	printf("%s", but ? "all but " : "");
	for (const char *c = row->words; *c; c++)
		printf("%s%c", *c == ' ' ? "," : "", *c);
	if (row->form == MXT_TUNING_ANY_CASE || row->form == MXT_TUNING_BUT_ANY_CASE)
		printf(" (any case)");
}

static void print_tuning(const struct mxt_job_tuning *row)
{
	printf("| `%s` | ", row->name);
	print_tuning_values(row);
	if (row->still[0])
		printf(" | `%s=%s`", row->still, row->still_value);
	else
		printf(" |");
	printf(" | %s | %s |\n", row->off, row->what);
}

static void print_environment(void)
{
	static const struct {
		enum mxt_variable_class class;
		const char *title, *why;
	} parts[] = {
	    {MXT_VARIABLE_CALLER, "The caller's own", "what it is about"},
	    {MXT_VARIABLE_DEAD, "Read by nothing", "what is read instead"},
	};
	printf("### What tunes while a job runs\n\n| variable | values that do | harmless with | set under "
	       "torch.compile | "
	       "what happens |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < mxt_job_tuning_count(); i++)
		print_tuning(mxt_job_tuning_at(i));
	for (size_t p = 0; p < MXT_ARRAY_LEN(parts); p++) {
		printf("\n### %s\n\n| variable | reader | %s |\n|---|---|---|\n", parts[p].title, parts[p].why);
		for (size_t i = 0; i < mxt_variable_count(); i++)
			if (mxt_variable_at(i)->class == parts[p].class)
				printf("| `%s` | %s%s%s | %s |\n", mxt_variable_at(i)->name, mxt_variable_at(i)->reader,
				       mxt_variable_at(i)->since[0] ? ", from " : "", mxt_variable_at(i)->since,
				       mxt_variable_at(i)->why);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} parts[] = {{"schema", print_schema},
		     {"fields", print_fields},
		     {"man", print_man},
		     {"variables", print_variables},
		     {"environment", print_environment}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(parts); i++) {
		if (argc != 2 || strcmp(argv[1], parts[i].name) != 0)
			continue;
		parts[i].print();
		return fflush(stdout) == 0 ? 0 : 1;
	}
	(void)fprintf(stderr, "usage: plan_docs schema | fields | man | variables | environment\n");
	return 2;
}
