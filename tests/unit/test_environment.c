/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "environment.h"
#include "error.h"
#include "json.h"

static char *caller[] = {(char[]){"HOME=/root"},
			 (char[]){"OMP_NUM_THREADS=3"},
			 (char[]){"OPENBLAS_CORETYPE=Haswell"},
			 (char[]){"EMPTY="},
			 (char[]){"NCCL_ALGO=Ring"},
			 (char[]){"omp_num_threads=9"},
			 (char[]){"OMP_NUM_THREADSX=1"},
			 (char[]){"NO_EQUALS_SIGN"},
			 NULL};

static int index_of(char *const *environment, const char *item)
{
	for (int i = 0; environment[i]; i++)
		if (strcmp(environment[i], item) == 0)
			return i;
	return -1;
}

static void bare_loses_the_selectors_only(void **state)
{
	(void)state;
	char **bare = NULL;
	assert_int_equal(mxt_environment_bare(caller, &bare, NULL), 0);
	assert_true(index_of(bare, "HOME=/root") >= 0);
	assert_true(index_of(bare, "EMPTY=") >= 0);
	assert_true(index_of(bare, "omp_num_threads=9") >= 0);
	assert_true(index_of(bare, "OMP_NUM_THREADSX=1") >= 0);
	assert_true(index_of(bare, "NO_EQUALS_SIGN") >= 0);
	assert_true(index_of(bare, "OPENBLAS_CORETYPE=Haswell") >= 0); /* a contract where the caller has set it */
	assert_int_equal(index_of(bare, "OMP_NUM_THREADS=3"), -1);
	assert_int_equal(index_of(bare, "NCCL_ALGO=Ring"), -1);
	mxt_environment_destroy(bare);
}

static void set_variables_replace_and_append(void **state)
{
	(void)state;
	char **environment = NULL;
	MXT_CLEANUP_JSON json_t *env = json_pack("{s:s, s:s}", "OMP_NUM_THREADS", "1", "BLIS_NUM_THREADS", "2");
	assert_int_equal(mxt_environment_with(caller, env, &environment, NULL), 0);
	assert_int_equal(index_of(environment, "OMP_NUM_THREADS=3"), -1);
	assert_true(index_of(environment, "OMP_NUM_THREADS=1") >= 0);
	assert_true(index_of(environment, "BLIS_NUM_THREADS=2") >= 0);
	assert_true(index_of(environment, "OMP_NUM_THREADSX=1") >= 0);
	mxt_environment_destroy(environment);
}

static void pick_and_rest_are_complements(void **state)
{
	(void)state;
	const char *const names[] = {"BLIS_NUM_THREADS", "OMP_NUM_THREADS", NULL};
	MXT_CLEANUP_JSON json_t *picked = mxt_environment_pick(caller, names);
	assert_int_equal(json_object_size(picked), 1);
	assert_string_equal(json_string_value(json_object_get(picked, "OMP_NUM_THREADS")), "3");
	MXT_CLEANUP_JSON json_t *rest = mxt_environment_rest(picked, names);
	assert_int_equal(json_array_size(rest), 1);
	assert_string_equal(json_string_value(json_array_get(rest, 0)), "BLIS_NUM_THREADS");
}

static void an_empty_environment_works(void **state)
{
	(void)state;
	char *nothing[] = {NULL};
	char **bare = NULL;
	assert_int_equal(mxt_environment_bare(nothing, &bare, NULL), 0);
	assert_null(bare[0]);
	mxt_environment_destroy(bare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bare_loses_the_selectors_only),
	    cmocka_unit_test(set_variables_replace_and_append),
	    cmocka_unit_test(pick_and_rest_are_complements),
	    cmocka_unit_test(an_empty_environment_works),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
