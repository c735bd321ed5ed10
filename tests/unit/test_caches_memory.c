/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation fails once of what looks at files after a run: the answer is a failure, or the whole list.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "alloc_faults.h"
#include "artefacts.h"
#include "buf.h"
#include "caches.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "scratch.h"

/* A file that changes while a run goes on; its folder is the context of the tests. */
struct look {
	const char *folder, *file;
};

static int look_at_caches(void *context)
{
	const struct look *look = context;
	MXT_CLEANUP_BUF struct mxt_buf tunable = MXT_BUF_INIT;
	MXT_CLEANUP_CACHES struct mxt_caches *caches = NULL;
	MXT_CLEANUP_JSON json_t *changes = NULL;
	mxt_buf_printf(&tunable, "PYTORCH_TUNABLEOP_FILENAME=%s/results.csv", look->folder);
	int rc = mxt_buf_status(&tunable, NULL);
	char *environment[] = {(char *)"HOME=/nowhere", (char *)"TMPDIR=/nowhere", tunable.data, NULL};
	if (rc == 0)
		rc = mxt_caches_create(environment, &caches, NULL);
	if (rc == 0)
		rc = mxt_caches_add(caches, "aiter", look->folder, NULL);
	assert_int_equal(chmod(look->file, 0600), 0);
	if (rc == 0)
		rc = mxt_caches_changes(caches, &changes, NULL);
	if (rc == 0)
		assert_int_equal(mxt_json_integer(json_array_get(changes, 0), "new"), 1);
	return rc;
}

/* Until the times of files are surely later than those of what was made before. */
static void wait_a_tick(void)
{
	const struct timespec wait = {.tv_nsec = 30000000};
	assert_int_equal(nanosleep(&wait, NULL), 0);
}

static int look_for_artefacts(void *context)
{
	MXT_CLEANUP(mxt_artefacts_finish) struct mxt_artefacts artefacts = MXT_ARTEFACTS_INIT;
	const struct mxt_axolotl_facts facts = {.output_dir = context};
	const struct timespec start = {0, 0};
	int rc = mxt_artefacts_find(&facts, &start, &artefacts, NULL);
	if (rc == 0 && !mxt_test_allocation_failed()) /* jansson takes some faults for faults of the text */
		assert_int_equal(mxt_artefacts_verdict(&artefacts, &facts, NULL), 0);
	return rc;
}

static void test_every_allocation(void **state)
{
	free(mxt_scratch_write(*state, "model.safetensors.index.json", "{\"weight_map\":{\"a\":\"part\"}}"));
	free(mxt_scratch_write(*state, "part", "x"));
	MXT_CLEANUP_FREE char *results = mxt_scratch_write(*state, "results0.csv", "x");
	struct look look = {*state, results};
	wait_a_tick();
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(look_at_caches, &look) > 10);
	assert_true(mxt_test_each_allocation(look_for_artefacts, *state) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_every_allocation, mxt_scratch_setup, mxt_scratch_teardown)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
