/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "module_pattern.h"

struct match_case {
	const char *pattern, *name;
	bool matches;
};

/* What Python's re.fullmatch() says. */
static const struct match_case cases[] = {
    {"q_proj", "q_proj", true},
    {"q_proj", "xq_proj", false},
    {"q_proj", "q_projx", false},
    {"", "", true},
    {"", "a", false},
    {"a.c", "abc", true},
    {"a\\.c", "abc", false},
    {"a\\.c", "a.c", true},
    {"a|b|cd", "b", true},
    {"a|b|cd", "cd", true},
    {"a|b|cd", "acd", false},
    {"(a|b)c", "bc", true},
    {"(?:a|b)*", "abba", true},
    {"(a|b)+", "", false},
    {"(a|)b", "b", true},
    {"x?y", "y", true},
    {"x?y", "xxy", false},
    {"x*?y", "xxxy", true},
    {"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
    {"(a|a)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
    {"[\\d]+", "120", true},
    {"[\\d]+", "12x", false},
    {"[a-c_]+", "a_b", true},
    {"[^a-c]", "d", true},
    {"[^a-c]", "b", false},
    {"[]", "]", false},
    {"[-a]+", "a-", true},
    {"\\w+\\W\\S\\s\\D", "a1_-b \x0b", true},
    {"\\w+\\W\\S\\s\\D", "a1_-b x", true},
    {"^a$", "a", true},
    {"^(a|b)c$", "bc", true},
    {".*\\.mlp\\.(gate|up|down)_proj", "model.layers.3.mlp.up_proj", true},
    {"model.layers.[\\d]+.(mlp|self_attn).(up|down|gate|q|k|v|o)_proj", "model.layers.31.self_attn.v_proj", true},
    {"model.layers.[\\d]+.(mlp|self_attn).(up|down|gate|q|k|v|o)_proj", "model.visual.layers.31.self_attn.v_proj",
     false},
    {"a.(_checkpoint_wrapped_module.)?b", "a.b", true},
    {"a.(_checkpoint_wrapped_module.)?b", "a._checkpoint_wrapped_module.b", true},
    {"fc[12]", "fc2", true},
};

static void whole_names_match(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		struct mxt_module_pattern pattern;
		int rc = mxt_module_pattern_parse(cases[i].pattern, &pattern);
		bool matches = rc == 0 && mxt_module_pattern_matches(&pattern, cases[i].name);
		if (matches != cases[i].matches)
			fail_msg("'%s' and '%s': %d", cases[i].pattern, cases[i].name, matches);
	}
}

static void what_is_not_understood_is_refused(void **state)
{
	(void)state;
	static const char *const patterns[] = {
	    "(", ")",    "(a",    "a)",       "[a",  "[]a]", "[",  "[\\", "[z-a]", "a**",   "*a",
	    "?", "a{2}", "(?=a)", "(?P<n>a)", "\\1", "\\b",  "\\", "a^b", "a$b",   "(?i)a",
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(patterns); i++) {
		struct mxt_module_pattern pattern;
		if (mxt_module_pattern_parse(patterns[i], &pattern) != -ENOTSUP)
			fail_msg("'%s' is understood", patterns[i]);
	}
}

static void long_and_deep_patterns_are_refused(void **state)
{
	(void)state;
	static const char units[] = "(a|";
	for (size_t i = 0; units[i]; i++) {
		struct mxt_module_pattern pattern;
		char text[2 * MXT_MODULE_PATTERN_MAX];
		memset(text, units[i], sizeof text - 1);
		text[sizeof text - 1] = '\0';
		assert_int_equal(mxt_module_pattern_parse(text, &pattern), -ENOTSUP);
		text[40] = '\0';
		assert_int_equal(mxt_module_pattern_parse(text, &pattern), units[i] == '(' ? -ENOTSUP : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whole_names_match),
	    cmocka_unit_test(what_is_not_understood_is_refused),
	    cmocka_unit_test(long_and_deep_patterns_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
