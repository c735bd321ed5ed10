/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "attention_keys.h"
#include "plan_field.h"
#include "release.h"

struct row {
	const char *backend;
	enum mxt_documents documents;
	const char *axolotl;
	const char *text; /* NULL: refused */
};

#define APART    MXT_DOCUMENTS_APART
#define ISOLATED MXT_DOCUMENTS_ISOLATED
#define MIXED    MXT_DOCUMENTS_MIXED

static const struct row rows[] = {
    {"cudnn", APART, "0.18.0", "attn_implementation: sdpa"},
    {"cudnn", APART, NULL, "attn_implementation: sdpa"},
    {"cudnn", APART, "", "attn_implementation: sdpa"},
    {"flash", APART, "0.16.1", "sdp_attention: true"},
    {"efficient", ISOLATED, "0.18.0", "attn_implementation: sdpa, sdpa_varlen: false"},
    {"efficient", ISOLATED, "0.17.0", NULL},
    {"varlen", ISOLATED, "0.18.0", "attn_implementation: sdpa, sdpa_varlen: true"},
    {"varlen", ISOLATED, "0.17.0", NULL},
    {"varlen", APART, "0.18.0", NULL},
    {"fa2", APART, "0.18.0", "attn_implementation: flash_attention_2"},
    {"fa2", ISOLATED, "0.16.1", "flash_attention: true"},
    {"fa2", ISOLATED, "0.17.0", "attn_implementation: flash_attention_2"},
    {"fa3", ISOLATED, "0.18.0", "attn_implementation: flash_attention_3"},
    {"fa3", ISOLATED, "0.16.1", NULL},
    {"xformers", ISOLATED, "0.9.2", "xformers_attention: true"},
    {"flex", ISOLATED, "0.16.1", "flex_attention: true"},
    {"flex", APART, "0.18.0", "attn_implementation: flex_attention"},
    {"sage", APART, "0.15.0", "sage_attention: true"},
    {"sage", APART, "0.14.0", NULL},
    {"eager", ISOLATED, "0.18.0", "attn_implementation: eager"},
    {"eager", ISOLATED, "0.16.1", NULL},
    {"eager", APART, "0.16.1", "eager_attention: true"},
    {"aiter", APART, "0.18.0", NULL},
    {"cudnn", MIXED, "0.18.0", ""},
    {"fa2", MIXED, "0.18.0", NULL},
    {"varlen", MIXED, "0.18.0", NULL},
    {"nonsense", APART, "0.18.0", NULL},
};

static void names_the_keys_of_each_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		struct mxt_attention_edits edits;
		const char *objection = mxt_attention_keys(rows[i].backend, rows[i].documents, rows[i].axolotl, &edits);
		mxt_attention_keys_text(&edits, &text);
		if (!rows[i].text != (objection != NULL))
			fail_msg("row %zu: %s", i, objection ? objection : "not refused");
		assert_string_equal(mxt_buf_text(&text), rows[i].text ? rows[i].text : "");
		if (objection)
			assert_int_equal(edits.count, 0);
	}
}

static const char *value_of(const struct mxt_attention_edits *edits, const char *key, bool *ret_there)
{
	for (size_t i = 0; i < edits->count; i++) {
		if (strcmp(edits->items[i].key, key) != 0)
			continue;
		*ret_there = true;
		return edits->items[i].value;
	}
	*ret_there = false;
	return NULL;
}

/* What selects attention today must not be left beside what the plan sets. */
static void removes_what_would_contradict(void **state)
{
	(void)state;
	struct mxt_attention_edits edits;
	bool there = false;
	assert_null(mxt_attention_keys("cudnn", APART, "0.17.0", &edits));
	assert_null(value_of(&edits, "flash_attention", &there));
	assert_true(there);
	assert_null(value_of(&edits, "xformers_attention", &there));
	assert_true(there);
	assert_null(mxt_attention_keys("cudnn", APART, "0.16.1", &edits));
	assert_null(value_of(&edits, "attn_implementation", &there));
	assert_true(there);
}

/* Every backend that a plan may name has a row. */
static void knows_every_backend_of_plans(void **state)
{
	(void)state;
	const struct mxt_field *field = NULL;
	for (size_t i = 0; i < mxt_plan_field_count(); i++)
		if (mxt_plan_field_at(i)->object == MXT_PLAN_OBJECT_ATTENTION &&
		    strcmp(mxt_plan_field_at(i)->key, "backend") == 0)
			field = mxt_plan_field_at(i);
	assert_non_null(field);
	char *words = field ? strdup(field->rule.words) : NULL, *rest = NULL;
	assert_non_null(words);
	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		struct mxt_attention_edits edits;
		const char *objection = mxt_attention_keys(word, APART, NULL, &edits);
		if (objection)
			assert_null(strstr(objection, "knows no such backend"));
	}
	free(words);
}

static void compares_releases(void **state)
{
	(void)state;
	assert_true(mxt_release_at_least("2.11.0+cu130", 2, 11));
	assert_true(mxt_release_at_least("3.0", 2, 11));
	assert_true(mxt_release_at_least("0.18.0.dev0", 0, 18));
	assert_false(mxt_release_at_least("2.9.1", 2, 10));
	assert_false(mxt_release_at_least("", 0, 0));
	assert_false(mxt_release_at_least("2", 2, 0));
	assert_false(mxt_release_at_least("main", 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_the_keys_of_each_version),
	    cmocka_unit_test(removes_what_would_contradict),
	    cmocka_unit_test(knows_every_backend_of_plans),
	    cmocka_unit_test(compares_releases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
