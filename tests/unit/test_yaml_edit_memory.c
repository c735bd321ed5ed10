/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of an edit fails once: the answer is -ENOMEM, nothing leaks, and nothing was handed out. */
#include "cmocka_all.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_faults.h"
#include "buf.h"
#include "error.h"
#include "yaml_edit.h"

static char config[] = "x: &x [1]\na: true # c\nb:\n  - y\nc: *x\nplugins:\n  - p\nd: |\n  t\n";

static const struct mxt_yaml_change changes[] = {
    {"a", "false", false, false},  {"b", "[1, 2]", false, false}, {"c", NULL, true, false},
    {"plugins", "q", false, true}, {"new", "v", false, false},    {"d", NULL, false, false},
};

static int edit(void *context)
{
	MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	const struct mxt_buf text = {.data = config, .len = sizeof config - 1};
	json_t *made = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	(void)context;
	int rc = mxt_yaml_edit("t", &text, changes, MXT_ARRAY_LEN(changes), &out, &made, &err);
	if (rc < 0) {
		assert_null(made);
		return rc;
	}
	mxt_yaml_changes_text(made, &shown);
	json_decref(made);
	return mxt_buf_status(&shown, &err);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(edit, NULL) >= 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
