/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions for mistyped names. */
#include "nearest.h"

#include <string.h>

#include "cmocka_all.h"
#include "compiler.h"

static const char *const names[] = {"autotune", "doctor", "plan", "run", "train", "verify", "seq-len", "budget"};

static const char *name_at(const void *list, size_t i)
{
	return ((const char *const *)list)[i];
}

static const char *suggest(const char *given)
{
	return mxt_nearest(given, name_at, names, MXT_ARRAY_LEN(names));
}

struct suggestion {
	const char *given, *expected; /* NULL: nothing is near */
};

static void test_suggestions(void **state)
{
	(void)state;
	static const struct suggestion cases[] = {
	    {"autotune", "autotune"},
	    {"autotun", "autotune"},
	    {"autotnue", "autotune"},
	    {"atuotnue", NULL},
	    {"dokter", "doctor"},
	    {"plam", "plan"},
	    {"paln", NULL},
	    {"run", "run"},
	    {"rum", "run"},
	    {"budgte", "budget"},
	    {"seqlen", "seq-len"},
	    {"trian", "train"},
	    {"xx", NULL},
	    {"", NULL},
	    {"completely-different", NULL},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		const char *found = suggest(cases[i].given);
		if (cases[i].expected)
			assert_string_equal(found, cases[i].expected);
		else
			assert_null(found);
	}
}

static void test_no_names(void **state)
{
	(void)state;
	assert_null(mxt_nearest("plan", name_at, names, 0));
}

static void test_very_long_names(void **state)
{
	(void)state;
	char given[400];
	memset(given, 'a', sizeof given - 1);
	given[sizeof given - 1] = '\0';
	assert_null(suggest(given));
	const char *const list[] = {given};
	assert_null(mxt_nearest("aaaa", name_at, list, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_suggestions),
	    cmocka_unit_test(test_no_names),
	    cmocka_unit_test(test_very_long_names),
	};
	return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
