/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <string.h>

#include "buf.h"
#include "error.h"
#include "json.h"
#include "yaml_edit.h"

#define NO_FLASH                                                                                                       \
	{                                                                                                              \
		"flash_attention", "false", false, false                                                               \
	}
#define SDPA                                                                                                           \
	{                                                                                                              \
		"attn_implementation", "sdpa", false, false                                                            \
	}
#define GONE                                                                                                           \
	{                                                                                                              \
		"flash_attention", NULL, false, false                                                                  \
	}
#define OFF                                                                                                            \
	{                                                                                                              \
		"flash_attention", NULL, true, false                                                                   \
	}
#define PLUGIN                                                                                                         \
	{                                                                                                              \
		"plugins", "m.P", false, true                                                                          \
	}

struct edit_case {
	const char *before, *after;
	struct mxt_yaml_change changes[3];
};

static void run_edit(const struct edit_case *c)
{
	struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *made = NULL;
	size_t count = 0;
	mxt_buf_puts(&text, c->before);
	while (count < MXT_ARRAY_LEN(c->changes) && c->changes[count].key)
		count++;
	if (mxt_yaml_edit("t.yaml", &text, c->changes, count, &out, &made, &err) < 0)
		fail_msg("%s: %s", c->before, mxt_error_text(&err));
	assert_string_equal(mxt_buf_text(&out), c->after);
	assert_int_equal(out.len, strlen(c->after));
	assert_int_equal(json_array_size(made) > 0, strcmp(c->before, c->after) != 0);
}

static void run_edits(const struct edit_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		run_edit(&cases[i]);
}

static void values_are_replaced_where_they_are(void **state)
{
	(void)state;
	static const struct edit_case cases[] = {
	    {"a: 1\nflash_attention: true  # c\nb: 2\n", "a: 1\nflash_attention: false  # c\nb: 2\n", {NO_FLASH}},
	    {"\"flash_attention\": true\n", "\"flash_attention\": false\n", {NO_FLASH}},
	    {"'flash_attention' : true\n", "'flash_attention' : false\n", {NO_FLASH}},
	    {"flash_attention:\n  true # c\nb: 1\n", "flash_attention:\n  false # c\nb: 1\n", {NO_FLASH}},
	    {"flash_attention: # c\n  true\nb: 1\n", "flash_attention: # c\n  false\nb: 1\n", {NO_FLASH}},
	    {"flash_attention: a\n  b # c\nb: 1", "flash_attention: false # c\nb: 1", {NO_FLASH}},
	    {"flash_attention: 'a\n\n  b'   # c\n", "flash_attention: false   # c\n", {NO_FLASH}},
	    {"flash_attention: \"#\" # c\n", "flash_attention: false # c\n", {NO_FLASH}},
	    {"flash_attention: {a: b, # c\n c}\n", "flash_attention: false\n", {NO_FLASH}},
	    {"flash_attention: !!bool 'true'\n", "flash_attention: false\n", {NO_FLASH}},
	    {"flash_attention: &a true\nb: 1\n", "flash_attention: false\nb: 1\n", {NO_FLASH}},
	    {"a: &a true\nflash_attention: *a\n", "a: &a true\nflash_attention: false\n", {NO_FLASH}},
	    {"b: {flash_attention: true}\nflash_attention: 1\n",
	     "b: {flash_attention: true}\nflash_attention: false\n",
	     {NO_FLASH}},
	    {"\xc3\xa9: \xe2\x80\xa6\nflash_attention: \xc3\xa9\nb: \xc3\xa9\n",
	     "\xc3\xa9: \xe2\x80\xa6\nflash_attention: false\nb: \xc3\xa9\n",
	     {NO_FLASH}},
	};
	run_edits(cases, MXT_ARRAY_LEN(cases));
}

static void empty_values_are_filled(void **state)
{
	(void)state;
	static const struct edit_case cases[] = {
	    {"flash_attention:", "flash_attention: false", {NO_FLASH}},
	    {"flash_attention:\nb: 1\n", "flash_attention: false\nb: 1\n", {NO_FLASH}},
	    {"flash_attention:   # c\nb: 1\n", "flash_attention: false   # c\nb: 1\n", {NO_FLASH}},
	    {"flash_attention:\n\n# c\n\nb:\n", "flash_attention: false\n\n# c\n\nb:\n", {NO_FLASH}},
	    {"flash_attention: ~ # c\n", "flash_attention: false # c\n", {NO_FLASH}},
	    {"flash_attention: !!null\n", "flash_attention: false\n", {NO_FLASH}},
	    {"flash_attention: &a\nb: 1\n", "flash_attention: false\nb: 1\n", {NO_FLASH}},
	};
	run_edits(cases, MXT_ARRAY_LEN(cases));
}

static void values_of_several_lines_go_whole(void **state)
{
	(void)state;
	static const struct edit_case cases[] = {
	    {"flash_attention: |  # h\n  t\n\n  u\n\n# next\nb: 1\n",
	     "flash_attention: false  # h\n\n# next\nb: 1\n",
	     {NO_FLASH}},
	    {"flash_attention: >2-\n   t\n  u", "flash_attention: false", {NO_FLASH}},
	    {"flash_attention: &a |+\n  t\n\nb: 1\n", "flash_attention: false\n\nb: 1\n", {NO_FLASH}},
	    {"flash_attention: |\nb: 1\n", "flash_attention: false\nb: 1\n", {NO_FLASH}},
	    {"flash_attention: # x\n# y\n- a # c\n- b # d\nb: 1",
	     "flash_attention: false # x\n# y\n# d\nb: 1",
	     {NO_FLASH}},
	    {"flash_attention:\n   k:\n   - |\n     x\n\n# e\nb: 1", "flash_attention: false\n\n# e\nb: 1", {NO_FLASH}},
	    {"flash_attention:\n- a\n- b", "flash_attention: false\n", {NO_FLASH}},
	    {"flash_attention:\n  &a\n  k: 1\nb: 1\n", "flash_attention: false\nb: 1\n", {NO_FLASH}},
	};
	run_edits(cases, MXT_ARRAY_LEN(cases));
}

static void missing_keys_go_to_the_end(void **state)
{
	(void)state;
	static const struct edit_case cases[] = {
	    {"a: 1\n", "a: 1\nattn_implementation: sdpa\nflash_attention: false\n", {SDPA, NO_FLASH}},
	    {"a: 1", "a: 1\nattn_implementation: sdpa\n", {SDPA}},
	    {"a: 1\n# c", "a: 1\n# c\nattn_implementation: sdpa\n", {SDPA}},
	    {"a: 1\n\n\n", "a: 1\n\n\nattn_implementation: sdpa\n", {SDPA}},
	    {"a: 1\r\nb: 2\r\n", "a: 1\r\nb: 2\r\nattn_implementation: sdpa\r\n", {SDPA}},
	    {"a: 1\r\nb: 2", "a: 1\r\nb: 2\r\nattn_implementation: sdpa\r\n", {SDPA}},
	    {"a: 1\rb: 2", "a: 1\rb: 2\rattn_implementation: sdpa\r", {SDPA}},
	    {"\xef\xbb\xbf"
	     "a: 1",
	     "\xef\xbb\xbf"
	     "a: 1\nattn_implementation: sdpa\n",
	     {SDPA}},
	    {"\xef\xbb\xbf"
	     "  a: 1\n  b: 1",
	     "\xef\xbb\xbf"
	     "  a: 1\n  b: 1\n  attn_implementation: sdpa\n",
	     {SDPA}},
	    {"---\na: 1\n...\n# c\n", "---\na: 1\nattn_implementation: sdpa\n...\n# c\n", {SDPA}},
	    {"--- &r\n  a: 1\n  b:\n    c: 2\n",
	     "--- &r\n  a: 1\n  b:\n    c: 2\n  attn_implementation: sdpa\n",
	     {SDPA}},
	    {"a: 1\nb: |+\n  t\n\n", "a: 1\nb: |+\n  t\n\nattn_implementation: sdpa\n", {SDPA}},
	    {"a: 1\nb: |\n  no break behind", "a: 1\nattn_implementation: sdpa\nb: |\n  no break behind", {SDPA}},
	    {"x:\n  flash_attention: true\n", "x:\n  flash_attention: true\nflash_attention: false\n", {NO_FLASH}},
	};
	run_edits(cases, MXT_ARRAY_LEN(cases));
}

static void keys_go_or_become_false(void **state)
{
	(void)state;
	static const struct edit_case cases[] = {
	    {"a: 1\n# c\nflash_attention: yes # d\nb: 1\n", "a: 1\n# c\nb: 1\n", {GONE}},
	    {"a: 1\nflash_attention:\n  - x\n  - y # d\n", "a: 1\n", {GONE}},
	    {"a: 1\r\nflash_attention: 1", "a: 1\r\n", {GONE}},
	    {"flash_attention: true", "attn_implementation: sdpa\n", {GONE, SDPA}},
	    {"\xef\xbb\xbf"
	     "flash_attention: |\n  t\n\na: 1\n",
	     "\xef\xbb\xbf"
	     "\na: 1\n",
	     {GONE}},
	    {"a: 1\n", "a: 1\n", {GONE}},
	    {"a: 1\nflash_attention: yes # d\n", "a: 1\nflash_attention: false # d\n", {OFF}},
	    {"flash_attention: no\n", "flash_attention: no\n", {OFF}},
	    {"flash_attention:\n", "flash_attention:\n", {OFF}},
	    {"a: 1\n", "a: 1\n", {OFF}},
	};
	run_edits(cases, MXT_ARRAY_LEN(cases));
}

static void what_means_the_same_stays(void **state)
{
	(void)state;
	static const struct edit_case cases[] = {
	    {"flash_attention: Off # c\n", "flash_attention: Off # c\n", {NO_FLASH}},
	    {"attn_implementation: \"sdpa\"\n", "attn_implementation: \"sdpa\"\n", {SDPA}},
	    {"b: &b {attn_implementation: sdpa}\n<<: *b\n", "b: &b {attn_implementation: sdpa}\n<<: *b\n", {SDPA}},
	    {"plugins: [a, 'm.P']\n", "plugins: [a, 'm.P']\n", {PLUGIN}},
	    {"lr: 0x10", "lr: 0x10", {{"lr", "16", false, false}}},
	    {"lr: 0.0001", "lr: 0.0001", {{"lr", "1.0e-4", false, false}}},
	};
	run_edits(cases, MXT_ARRAY_LEN(cases));
}

static void lists_grow(void **state)
{
	(void)state;
	static const struct edit_case cases[] = {
	    {"a: 1\n", "a: 1\nplugins:\n  - m.P\n", {PLUGIN}},
	    {"plugins:\n    - a # c\n# d\nx: 1", "plugins:\n    - a # c\n    - m.P\n# d\nx: 1", {PLUGIN}},
	    {"plugins:\n- a # c", "plugins:\n- a # c\n- m.P\n", {PLUGIN}},
	    {"plugins:\n - a\n -\nx: 1\n", "plugins:\n - a\n -\n - m.P\nx: 1\n", {PLUGIN}},
	    {"plugins: &p\r\n    - a\r\n", "plugins: &p\r\n    - a\r\n    - m.P\r\n", {PLUGIN}},
	    {"plugins:\n - |+\n  a\n\nx: 1\n", "plugins:\n - |+\n  a\n\n - m.P\nx: 1\n", {PLUGIN}},
	    {"plugins:\n - k: [1,\n   2]\nx: 1\n", "plugins:\n - k: [1,\n   2]\n - m.P\nx: 1\n", {PLUGIN}},
	    {"plugins: [a, b,] # c\n", "plugins: [a, b, m.P,] # c\n", {PLUGIN}},
	    {"plugins: [ # c\n  a, # d\n  b # e\n ]\n", "plugins: [ # c\n  a, # d\n  b, m.P # e\n ]\n", {PLUGIN}},
	    {"plugins: [a: b # c\n ]\n", "plugins: [a: b # c\n , m.P]\n", {PLUGIN}},
	    {"plugins: [ ]", "plugins: [m.P ]", {PLUGIN}},
	    {"plugins: # c\n", "plugins: [m.P] # c\n", {PLUGIN}},
	    {"plugins: null\n", "plugins: [m.P]\n", {PLUGIN}},
	    {"plugins: [a]\n", "plugins: [a, m.P, n.Q]\n", {PLUGIN, {"plugins", "n.Q", false, true}}},
	};
	run_edits(cases, MXT_ARRAY_LEN(cases));
}

struct refusal_case {
	const char *text;
	struct mxt_yaml_change change;
	enum mxt_error_id id;
	const char *says;
};

static void what_is_not_safe_is_refused_with_its_line(void **state)
{
	(void)state;
	static const struct refusal_case cases[] = {
	    {"\n{a: 1}\n", NO_FLASH, MXT_E_LAUNCH_YAML, "t.yaml:2: the config is a map in braces"},
	    {"- a\n", NO_FLASH, MXT_E_LAUNCH_YAML, "t.yaml:1: the config is no map"},
	    {"text\n", NO_FLASH, MXT_E_LAUNCH_YAML, "no map"},
	    {"---\n", NO_FLASH, MXT_E_LAUNCH_YAML, "no map"},
	    {"# c\n", NO_FLASH, MXT_E_YAML_REFUSED, "nothing but comments"},
	    {"a: 1\nb: 2\na: 3\n", NO_FLASH, MXT_E_YAML_REFUSED, "t.yaml:3: key 'a'"},
	    {"a: 1\n---\nb: 1\n", NO_FLASH, MXT_E_YAML_REFUSED, "second document"},
	    {"a: !x 1\n", NO_FLASH, MXT_E_YAML_REFUSED, "t.yaml:1: tag !x"},
	    {"a: [1\n", NO_FLASH, MXT_E_YAML_SYNTAX, "not valid YAML"},
	    {"a: 1\nflash_attention: &f true\nc: *f\n", NO_FLASH, MXT_E_LAUNCH_YAML,
	     "t.yaml:2: the value of 'flash_attention' is used again in line 3"},
	    {"flash_attention: [&f 1]\n\n\nc: [*f]\n", GONE, MXT_E_LAUNCH_YAML, "used again in line 4"},
	    {"a: &a\n  flash_attention: true\n<<: *a\n", NO_FLASH, MXT_E_LAUNCH_YAML,
	     "t.yaml:2: 'flash_attention' comes out"},
	    {"a: &a {flash_attention: 1}\n<<: *a\nflash_attention: 2\n", GONE, MXT_E_LAUNCH_YAML, "t.yaml:3: "},
	    {"a: &a [x]\nplugins: *a\n", PLUGIN, MXT_E_LAUNCH_YAML, "t.yaml:2: 'plugins' is an alias"},
	    {"a: 1\nplugins: x\n", PLUGIN, MXT_E_LAUNCH_YAML, "t.yaml:2: 'plugins' is not a list"},
	    {"plugins: {x: m.P}\n", PLUGIN, MXT_E_LAUNCH_YAML, "is not a list"},
	    {"flash_attention: &f\n  - a\n", NO_FLASH, MXT_E_LAUNCH_YAML, "an anchor or a tag"},
	    {"flash_attention: 1\n", GONE, MXT_E_LAUNCH_YAML, "without changing more"},
	    {"a: |\n  t\nflash_attention: 1\n   # text without it\n", GONE, MXT_E_LAUNCH_YAML, "without changing more"},
	    {"a: 1 \xc2\x85"
	     "flash_attention: 1\n",
	     GONE, MXT_E_LAUNCH_YAML, "without changing more"},
	    {"plugins: [a]\n", {"plugins", "b, c", false, true}, MXT_E_LAUNCH_YAML, "without changing more"},
	    {"a: 1\n", {"k", "v # c", false, false}, MXT_E_LAUNCH_YAML, "cannot be set"},
	    {"a: 1\n", {"k", "- v", false, false}, MXT_E_LAUNCH_YAML, "cannot be set"},
	    {"a: 1\n", {"k", "1\nb: 2", false, false}, MXT_E_LAUNCH_YAML, "cannot be set"},
	    {"a: 1\n", {"k", "|", false, false}, MXT_E_LAUNCH_YAML, "cannot be set"},
	    {"a: 1\n", {"k", "", false, false}, MXT_E_LAUNCH_YAML, "cannot be set"},
	    {"a: 1\n", {"1", "2", false, false}, MXT_E_LAUNCH_YAML, "cannot be set"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		const struct refusal_case *c = &cases[i];
		struct mxt_error err = MXT_ERROR_INIT;
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
		json_t *made = NULL;
		mxt_buf_puts(&text, c->text);
		if (mxt_yaml_edit("t.yaml", &text, &c->change, 1, &out, &made, &err) == 0)
			fail_msg("taken: %s -> %s", c->text, mxt_buf_text(&out));
		if (err.id != c->id || !strstr(mxt_error_text(&err), c->says))
			fail_msg("%s: %s", c->text, mxt_error_text(&err));
		assert_int_equal(out.len, 0);
		assert_null(made);
		mxt_error_clear(&err);
	}
}

static void changes_are_told_with_lines_of_the_new_text(void **state)
{
	(void)state;
	static const char before[] = "a: 1\nb:\n  - x\n  - y\nflash_attention: |\n  t\nplugins:\n  - p\n";
	static const struct mxt_yaml_change changes[] = {GONE, {"b", "2", false, false}, PLUGIN, SDPA};
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *made = NULL;
	mxt_buf_puts(&text, before);
	int rc = mxt_yaml_edit("t.yaml", &text, changes, MXT_ARRAY_LEN(changes), &out, &made, NULL);
	assert_int_equal(rc, 0);
	assert_string_equal(out.data, "a: 1\nb: 2\nplugins:\n  - p\n  - m.P\nattn_implementation: sdpa\n");
	mxt_yaml_changes_text(made, &shown);
	assert_string_equal(shown.data, "2  - b: - x ...\n2  + b: 2\n"
					"5  + plugins: - m.P\n"
					"6  + attn_implementation: sdpa\n"
					"3  - flash_attention: | ...\n");
	assert_string_equal(mxt_json_text(json_array_get(made, 0), "from"), "- x\n  - y");
	assert_null(json_object_get(json_array_get(made, 3), "to"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_are_replaced_where_they_are),
	    cmocka_unit_test(empty_values_are_filled),
	    cmocka_unit_test(values_of_several_lines_go_whole),
	    cmocka_unit_test(missing_keys_go_to_the_end),
	    cmocka_unit_test(keys_go_or_become_false),
	    cmocka_unit_test(what_means_the_same_stays),
	    cmocka_unit_test(lists_grow),
	    cmocka_unit_test(what_is_not_safe_is_refused_with_its_line),
	    cmocka_unit_test(changes_are_told_with_lines_of_the_new_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
