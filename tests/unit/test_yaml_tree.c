/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "yaml_tree.h"

static struct mxt_yaml_tree *parse(const char *text)
{
	struct mxt_yaml_tree *tree = NULL;
	struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_yaml_tree_parse("t.yaml", text, strlen(text), &tree, &err) < 0)
		fail_msg("%s: %s", text, mxt_error_text(&err));
	return tree;
}

static const struct mxt_yaml_node *get(const struct mxt_yaml_tree *tree, const char *key)
{
	const struct mxt_yaml_node *node = mxt_yaml_get(mxt_yaml_tree_root(tree), key);
	assert_non_null(node);
	return node;
}

struct scalar_case {
	const char *text;
	enum mxt_yaml_kind kind;
	int64_t integer; /* or truth */
	double real;
};

static const struct scalar_case scalars[] = {
    {"yes", MXT_YAML_BOOL, 1, 0},
    {"Off", MXT_YAML_BOOL, 0, 0},
    {"tRue", MXT_YAML_STRING, 0, 0},
    {"y", MXT_YAML_STRING, 0, 0},
    {"~", MXT_YAML_NULL, 0, 0},
    {"None", MXT_YAML_STRING, 0, 0},
    {"1e-4", MXT_YAML_STRING, 0, 0},
    {"1.5e5", MXT_YAML_STRING, 0, 0},
    {"1.0e-4", MXT_YAML_FLOAT, 0, 1e-4},
    {"1.e-4", MXT_YAML_FLOAT, 0, 1e-4},
    {".5", MXT_YAML_FLOAT, 0, 0.5},
    {"-.5", MXT_YAML_STRING, 0, 0},
    {"1_000.5", MXT_YAML_FLOAT, 0, 1000.5},
    {"012", MXT_YAML_INT, 10, 0},
    {"08", MXT_YAML_STRING, 0, 0},
    {"0o14", MXT_YAML_STRING, 0, 0},
    {"0x1F", MXT_YAML_INT, 31, 0},
    {"0b101", MXT_YAML_INT, 5, 0},
    {"1_000", MXT_YAML_INT, 1000, 0},
    {"1:30", MXT_YAML_INT, 90, 0},
    {"-1:30", MXT_YAML_INT, -90, 0},
    {"1:60", MXT_YAML_STRING, 0, 0},
    {"190:20:30.5", MXT_YAML_FLOAT, 0, 685230.5},
    {"9223372036854775807", MXT_YAML_INT, INT64_MAX, 0},
    {"-9223372036854775808", MXT_YAML_INT, INT64_MIN, 0},
    {"2024-02-29", MXT_YAML_TIMESTAMP, 0, 0},
    {"2001-12-14t21:59:43.10-05:00", MXT_YAML_TIMESTAMP, 0, 0},
    {"2024-1-1", MXT_YAML_STRING, 0, 0},
    {"'12'", MXT_YAML_STRING, 0, 0},
    {"\"yes\"", MXT_YAML_STRING, 0, 0},
    {"!!str 12", MXT_YAML_STRING, 0, 0},
    {"!!int '12'", MXT_YAML_INT, 12, 0},
    {"!!float 3", MXT_YAML_FLOAT, 0, 3},
};

static void scalars_are_what_the_trainer_takes_them_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(scalars); i++) {
		char text[64];
		(void)snprintf(text, sizeof text, "a: %s\n", scalars[i].text);
		struct mxt_yaml_tree *tree = parse(text);
		const struct mxt_yaml_value *v = &get(tree, "a")->value;
		int64_t integer = v->kind == MXT_YAML_BOOL ? v->boolean : v->integer;
		if (v->kind != scalars[i].kind || integer != scalars[i].integer || v->overflow ||
		    v->real < scalars[i].real - 1e-12 || v->real > scalars[i].real + 1e-12)
			fail_msg("%s is %s", scalars[i].text, mxt_yaml_kind_name(v->kind));
		mxt_yaml_tree_destroy(tree);
	}
}

static void integers_beyond_64_bits_are_marked(void **state)
{
	(void)state;
	struct mxt_yaml_tree *tree = parse("a: 9223372036854775808\nb: -99999999999999999999\n");
	assert_true(get(tree, "a")->value.overflow);
	assert_int_equal(get(tree, "a")->value.integer, INT64_MAX);
	assert_true(get(tree, "b")->value.overflow);
	assert_int_equal(get(tree, "b")->value.integer, INT64_MIN);
	mxt_yaml_tree_destroy(tree);
}

struct refusal {
	const char *text;
	enum mxt_error_id id;
	const char *says;
};

static const struct refusal refusals[] = {
    {"a: 1\nb: 2\na: 3\n", MXT_E_YAML_REFUSED, "t.yaml:3: key 'a' is there already, in line 1"},
    {"a:\n  x: 1\n  x: 1\n", MXT_E_YAML_REFUSED, "t.yaml:3: key 'x'"},
    {"1: a\ntrue: b\n", MXT_E_YAML_REFUSED, "t.yaml:2: key 'true' is there already"},
    {"a: 1\n---\nb: 1\n", MXT_E_YAML_REFUSED, "t.yaml:2: a second document"},
    {"a: !!python/tuple [1]\n", MXT_E_YAML_REFUSED, "t.yaml:1: tag tag:yaml.org,2002:python/tuple"},
    {"a: 1\nb: !custom x\n", MXT_E_YAML_REFUSED, "t.yaml:2: tag !custom"},
    {"a: !\n", MXT_E_YAML_REFUSED, "t.yaml:1: tag !"},
    {"a: !!timestamp 2024-01-01\n", MXT_E_YAML_REFUSED, "tag"},
    {"%TAG ! tag:example.com,2000:\n---\na: 1\n", MXT_E_YAML_REFUSED, "%TAG"},
    {"a: [?]\n", MXT_E_YAML_SYNTAX, "not valid YAML"},
    {"? a\n: b\n", MXT_E_YAML_REFUSED, "t.yaml:1: a question mark"},
    {"a: [b?c]\n", MXT_E_YAML_REFUSED, "t.yaml:1: a question mark"},
    {"a:\t1\n", MXT_E_YAML_SYNTAX, "t.yaml:1: a tab outside of quotes"},
    {"a: 1\nb: 2\t# c\n", MXT_E_YAML_SYNTAX, "t.yaml:2: a tab"},
    {"a: b\tc\n", MXT_E_YAML_SYNTAX, "t.yaml:1: a tab"},
    {"a: |\t\n  x\n", MXT_E_YAML_SYNTAX, "t.yaml:1: a tab"},
    {"a: |# c\n  x\n", MXT_E_YAML_SYNTAX, "t.yaml:1:"},
    {"\ta: 1\n", MXT_E_YAML_SYNTAX, "t.yaml:1"},
    {"a: \xef\xbb\xbf"
     "1\n",
     MXT_E_YAML_REFUSED, "t.yaml:1: a byte-order mark"},
    {"a: 1\nb: \xff\n", MXT_E_YAML_SYNTAX, "t.yaml:2: not UTF-8 (byte 0xff)"},
    {"a: \xed\xa0\x80\n", MXT_E_YAML_SYNTAX, "t.yaml:1: not UTF-8"},
    {"a: \xc0\x80\n", MXT_E_YAML_SYNTAX, "t.yaml:1: not UTF-8"},
    {"a: \xf4\x90\x80\x80\n", MXT_E_YAML_SYNTAX, "t.yaml:1: not UTF-8"},
    {"a: \xe2\x82", MXT_E_YAML_SYNTAX, "t.yaml:1: not UTF-8"},
    {"a: \x1b[2J\n", MXT_E_YAML_SYNTAX, "t.yaml:1: control character U+001B"},
    {"a: \x7f\n", MXT_E_YAML_SYNTAX, "t.yaml:1: control character U+007F"},
    {"a: \"\\0\"\n", MXT_E_YAML_REFUSED, "t.yaml:1: a NUL character"},
    {"a: [1, 2\n", MXT_E_YAML_SYNTAX, "not valid YAML"},
    {"a: 'b\n", MXT_E_YAML_SYNTAX, "not valid YAML"},
    {"a: *b\n", MXT_E_YAML_SYNTAX, "t.yaml:1: an alias to an anchor that is not there"},
    {"a: &b [*b]\n", MXT_E_YAML_REFUSED, "t.yaml:1: an alias inside of what it stands for"},
    {"a: &b 1\nc: &b 2\n", MXT_E_YAML_REFUSED, "t.yaml:2: an anchor with the name of an earlier one"},
    {"[1]: a\n", MXT_E_YAML_REFUSED, "a list or a map as a key"},
    {"a: 0x_\n", MXT_E_YAML_SYNTAX, "t.yaml:1: 0x_ has the form of a number"},
    {"a: 2024-02-30\n", MXT_E_YAML_SYNTAX, "t.yaml:1: 2024-02-30 has the form"},
    {"a: =\n", MXT_E_YAML_SYNTAX, "t.yaml:1: = stands for a value"},
    {"a: <<\n", MXT_E_YAML_SYNTAX, "t.yaml:1: << stands for a value"},
    {"<<: 1\n", MXT_E_YAML_SYNTAX, "t.yaml:1: the merge key << takes a map"},
    {"<<: [1]\n", MXT_E_YAML_SYNTAX, "t.yaml:1: the merge key << takes a map"},
    {"a: !!int x\n", MXT_E_YAML_SYNTAX, "t.yaml:1: the value does not have the type"},
    {"a: !!seq {b: 1}\n", MXT_E_YAML_SYNTAX, "t.yaml:1: the value does not have the type"},
    {"", MXT_E_YAML_REFUSED, "nothing but comments"},
    {"# only\n# comments\n", MXT_E_YAML_REFUSED, "nothing but comments"},
};

static void refusals_name_the_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(refusals); i++) {
		struct mxt_yaml_tree *tree = NULL;
		struct mxt_error err = MXT_ERROR_INIT;
		int rc = mxt_yaml_tree_parse("t.yaml", refusals[i].text, strlen(refusals[i].text), &tree, &err);
		if (rc >= 0 || err.id != refusals[i].id || !strstr(mxt_error_text(&err), refusals[i].says))
			fail_msg("%s: %d %s", refusals[i].text, rc, mxt_error_text(&err));
		assert_null(tree);
		mxt_error_clear(&err);
	}
}

static void merge_keys_take_the_nearest_value(void **state)
{
	(void)state;
	struct mxt_yaml_tree *tree = parse("base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\n"
					   "one: {<<: *b, y: 9}\ntwo: {<<: [*o, *b]}\n");
	const struct mxt_yaml_node *one = get(tree, "one"), *two = get(tree, "two");
	assert_int_equal(one->count, 2);
	assert_int_equal(mxt_yaml_get(one, "y")->value.integer, 9);
	assert_int_equal(mxt_yaml_get(one, "x")->value.integer, 1);
	assert_int_equal(two->count, 3);
	assert_int_equal(mxt_yaml_get(two, "y")->value.integer, 3);
	assert_int_equal(mxt_yaml_get(two, "x")->value.integer, 1);
	mxt_yaml_tree_destroy(tree);
}

/* libyaml counts characters; an editor of the file needs bytes. */
static void places_are_bytes_and_lines(void **state)
{
	(void)state;
	static const char text[] = "\xef\xbb\xbf# \xc3\xa9t\xc3\xa9 \xf0\x9f\x98\x80\r\nkey: value\r\n"
				   "long: &a !!str  text # c\r\nquoted: \"\xc3\xa9\"\r\n";
	struct mxt_yaml_tree *tree = parse(text);
	static const struct {
		const char *key, *written;
		size_t line;
	} places[] = {{"key", "value", 2}, {"long", "text", 3}, {"quoted", "\"\xc3\xa9\"", 4}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(places); i++) {
		const struct mxt_yaml_node *node = get(tree, places[i].key);
		assert_int_equal(node->line, places[i].line);
		assert_int_equal(node->end - node->begin, strlen(places[i].written));
		assert_memory_equal(text + node->begin, places[i].written, node->end - node->begin);
	}
	mxt_yaml_tree_destroy(tree);
}

static int try_parse(const struct mxt_buf *buf, struct mxt_error *err)
{
	struct mxt_yaml_tree *tree = NULL;
	int rc = mxt_yaml_tree_parse("t.yaml", mxt_buf_text(buf), buf->len, &tree, err);
	mxt_yaml_tree_destroy(tree);
	return rc;
}

static void nesting_is_limited_to_64_levels(void **state)
{
	(void)state;
	static const int depths[] = {63, 64, 65, 66, 4000};
	for (size_t at = 0; at < MXT_ARRAY_LEN(depths); at++) {
		int depth = depths[at];
		struct mxt_buf buf = MXT_BUF_INIT;
		struct mxt_error err = MXT_ERROR_INIT;
		mxt_buf_puts(&buf, "a: ");
		for (int i = 1; i < depth; i++)
			mxt_buf_putc(&buf, '[');
		for (int i = 1; i < depth; i++)
			mxt_buf_putc(&buf, ']');
		int rc = try_parse(&buf, &err);
		assert_true(depth <= 64 ? rc == 0 : rc < 0 && strstr(mxt_error_text(&err), "64 levels"));
		mxt_error_clear(&err);
		mxt_buf_finish(&buf);
	}
}

static void alias_bombs_are_refused(void **state)
{
	(void)state;
	struct mxt_buf buf = MXT_BUF_INIT;
	struct mxt_error err = MXT_ERROR_INIT;
	mxt_buf_puts(&buf, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 12; i++) {
		mxt_buf_printf(&buf, "a%d: &a%d [", i, i);
		for (int j = 0; j < 10; j++)
			mxt_buf_printf(&buf, "%s*a%d", j ? ", " : "", i - 1);
		mxt_buf_puts(&buf, "]\n");
	}
	assert_true(try_parse(&buf, &err) < 0);
	assert_int_equal(err.id, MXT_E_YAML_REFUSED);
	assert_non_null(strstr(mxt_error_text(&err), "aliases that stand for more than 100000 values"));
	mxt_buf_truncate(&buf, 0);
	mxt_buf_puts(&buf, "a0: &a0 [x]\n"); /* depth by aliases */
	for (int i = 1; i < 70; i++)
		mxt_buf_printf(&buf, "a%d: &a%d [*a%d]\n", i, i, i - 1);
	assert_true(try_parse(&buf, &err) < 0);
	assert_non_null(strstr(mxt_error_text(&err), "64 levels"));
	mxt_error_clear(&err);
	mxt_buf_finish(&buf);
}

static void size_is_limited(void **state)
{
	(void)state;
	struct mxt_buf buf = MXT_BUF_INIT;
	struct mxt_error err = MXT_ERROR_INIT;
	mxt_buf_puts(&buf, "a: [");
	while (buf.len < 300000)
		mxt_buf_puts(&buf, "1,");
	mxt_buf_puts(&buf, "]");
	assert_true(try_parse(&buf, &err) < 0);
	assert_int_equal(err.id, MXT_E_YAML_REFUSED);
	mxt_buf_truncate(&buf, 0);
	mxt_buf_puts(&buf, "# ");
	while (buf.len <= MXT_YAML_MAX_BYTES)
		mxt_buf_puts(&buf, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	assert_true(try_parse(&buf, &err) < 0);
	assert_int_equal(err.id, MXT_E_TOO_LARGE);
	mxt_error_clear(&err);
	mxt_buf_finish(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(scalars_are_what_the_trainer_takes_them_for),
	    cmocka_unit_test(integers_beyond_64_bits_are_marked),
	    cmocka_unit_test(refusals_name_the_line),
	    cmocka_unit_test(merge_keys_take_the_nearest_value),
	    cmocka_unit_test(places_are_bytes_and_lines),
	    cmocka_unit_test(nesting_is_limited_to_64_levels),
	    cmocka_unit_test(alias_bombs_are_refused),
	    cmocka_unit_test(size_is_limited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
