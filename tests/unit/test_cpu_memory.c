/* SPDX-License-Identifier: Apache-2.0 */
/* Memory runs out, one allocation after the other, in what the CPU device does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc_faults.h"
#include "cmocka_all.h"
#include "cpu_candidates.h"
#include "cpu_device.h"
#include "cpu_inventory.h"
#include "dltable.h"
#include "error.h"
#include "scratch.h"
#include "sysroot.h"

static const struct mxt_device_ops *const ops = &mxt_cpu_device;

/* A host that has something of everything: a quota, nested limits, an OpenMP build. */
static int describe_host(void *context)
{
	const struct mxt_sysroot root = {.prefix = context};
	struct mxt_inventory inventory;
	struct mxt_candidate_list list;
	int rc = mxt_cpu_inventory(&root, NULL, NULL, &inventory, NULL);
	if (rc < 0)
		return rc;
	rc = mxt_cpu_candidates(&root, &inventory, MXT_PROBLEM_GEMM, NULL, &list, NULL);
	if (rc == 0)
		mxt_candidate_list_finish(&list);
	mxt_inventory_finish(&inventory);
	return rc;
}

static void test_host(void **state)
{
	(void)state;
	char folder[512];
	(void)snprintf(folder, sizeof folder, "%s/tests/fixtures/hosts/xeon-container", getenv("MXT_SOURCE_ROOT"));
	assert_true(mxt_test_each_allocation(describe_host, folder) > 50);
}

static int use_device(void *context)
{
	struct mxt_device *device = NULL;
	json_t *facts = NULL;
	(void)context;
	int rc = ops->open(&(struct mxt_device_target){.ordinal = 0}, &device, NULL);
	if (rc < 0)
		return rc;
	rc = ops->describe(device, &facts, NULL);
	json_decref(facts);
	ops->close(device);
	return rc;
}

/* A stand-in for OpenBLAS in a folder that the search begins with. */
static void use_stub(const char *folder)
{
	char *link = mxt_scratch_path(folder, "libopenblasp.so.0");
	const char *stub = getenv("MXT_STUB_BLAS");
	assert_int_equal(symlink(stub ? stub : "", link), 0);
	assert_int_equal(setenv("LD_LIBRARY_PATH", folder, 1), 0);
	free(link);
}

static void test_open(void **state)
{
	use_stub(*state);
	assert_true(mxt_test_each_allocation(use_device, NULL) > 20);
}

struct work {
	struct mxt_device *device;
	struct mxt_problem problem;
};

static int do_problem(void *context)
{
	const struct work *work = context;
	struct mxt_task *task = NULL;
	struct mxt_check check;
	int rc = ops->prepare(work->device, &work->problem, &task, NULL);
	if (rc < 0)
		return rc;
	rc = ops->check(work->device, task, &check, NULL);
	if (rc == 0)
		assert_true(check.error_ppb <= check.bound_ppb);
	ops->release(work->device, task);
	return rc;
}

static void test_problems(void **state)
{
	use_stub(*state);
	struct work work = {.problem = {.kind = MXT_PROBLEM_GEMM}};
	assert_int_equal(ops->open(&(struct mxt_device_target){.ordinal = 0}, &work.device, NULL), 0);
	work.problem.as.gemm =
	    (struct mxt_gemm){.m = 9, .n = 8, .k = 7, .lda = 7, .ldb = 8, .ldc = 8, .accumulate = true, .bias = true};
	assert_true(mxt_test_each_allocation(do_problem, &work) >= 7);
	work.problem.kind = MXT_PROBLEM_ATTENTION;
	work.problem.as.attention =
	    (struct mxt_attention){.batch = 1, .seq = 9, .heads = 4, .kv_heads = 2, .head_dim = 8, .causal = true};
	assert_true(mxt_test_each_allocation(do_problem, &work) >= 3);
	work.problem.as.attention.direction = MXT_BACKWARD;
	assert_true(mxt_test_each_allocation(do_problem, &work) >= 3);
	ops->close(work.device);
}

int main(void)
{
	json_set_alloc_funcs(mxt_test_malloc, free);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_host),
	    cmocka_unit_test_setup_teardown(test_open, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_problems, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
