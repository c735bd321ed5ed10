/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPU device through its table, on the real libraries of this machine and on stand-ins: a folder in LD_LIBRARY_PATH
 * comes first in the search.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "cpu_device.h"
#include "error.h"
#include "rng.h"
#include "scratch.h"

static const struct mxt_device_ops *const ops = &mxt_cpu_device;

static void use_settings(const char *blas, const char *attention)
{
	assert_int_equal(setenv("MINDXTRAIN_CPU_BLAS", blas, 1), 0);
	assert_int_equal(setenv("MINDXTRAIN_CPU_ATTENTION", attention, 1), 0);
}

/*
 * Puts a stub where OpenBLAS is looked for first, in a folder of its own: the loader takes a path that it has loaded
 * before for the same library.
 */
static void use_stub(const char *scratch, const char *variable)
{
	char *folder = mxt_scratch_path(scratch, variable);
	char *link = mxt_scratch_path(folder, "libopenblasp.so.0");
	const char *stub = getenv(variable);
	(void)mkdir(folder, 0777);
	(void)unlink(link);
	assert_int_equal(symlink(stub ? stub : "", link), 0); /* "" fails */
	assert_int_equal(setenv("LD_LIBRARY_PATH", folder, 1), 0);
	free(link);
	free(folder);
}

static int set_up(void **state)
{
	return unsetenv("LD_LIBRARY_PATH") | unsetenv("MINDXTRAIN_CPU_BLAS") | unsetenv("MINDXTRAIN_CPU_ATTENTION") |
	       mxt_scratch_setup(state);
}

/* NULL when this machine has no such library. */
static struct mxt_device *open_device(void)
{
	struct mxt_device *device = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = ops->open(&(struct mxt_device_target){.ordinal = 0}, &device, &err);
	if (rc < 0 && rc != -ENOSYS)
		fail_msg("%s", mxt_error_text(&err));
	return device;
}

static struct mxt_problem gemm_problem(const struct mxt_gemm *shape)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .calls = 1, .share_ppm = 1000000};
	problem.as.gemm = *shape;
	assert_int_equal(mxt_problem_validate(&problem), 0);
	return problem;
}

static struct mxt_problem attention_problem(const struct mxt_attention *shape, enum mxt_direction direction)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_ATTENTION, .calls = 1, .share_ppm = 1000000};
	problem.as.attention = *shape;
	problem.as.attention.direction = direction;
	assert_int_equal(mxt_problem_validate(&problem), 0);
	return problem;
}

static const struct mxt_attention attention_shape = {
    .batch = 2, .seq = 131, .heads = 4, .kv_heads = 2, .head_dim = 64, .causal = true};
/* For stand-ins, which are slow; a backward task makes as many forward calls as rotate through twice the cache. */
static const struct mxt_attention small_shape = {
    .batch = 1, .seq = 21, .heads = 4, .kv_heads = 2, .head_dim = 64, .causal = true};
static const struct mxt_gemm gemm_shape = {.m = 40, .n = 50, .k = 60, .lda = 60, .ldb = 50, .ldc = 50};

/* Leaves a mess where the next call has its variables, so that what it forgets to set shows. */
static void soil_stack(void)
{
	volatile char mess[16384];
	for (size_t i = 0; i < sizeof mess; i++)
		mess[i] = '\x7f';
}

static struct mxt_check check_problem(struct mxt_device *device, const struct mxt_problem *problem)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_task *task = NULL;
	struct mxt_check check, again;
	void (*volatile soil)(void) = soil_stack; /* never inlined */
	uint64_t ns = 0;
	if (ops->prepare(device, problem, &task, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	const struct mxt_step steps[] = {{task, 0}, {NULL, 100000}, {task, 0}};
	soil();
	assert_int_equal(ops->check(device, task, &check, &err), 0);
	assert_string_equal(check.backend, "");
	assert_int_equal(ops->time(device, steps, 3, 2, &ns, &err), 0);
	assert_true(ns > 0);
	assert_int_equal(ops->check(device, task, &again, &err), 0); /* whatever was timed in between */
	assert_memory_equal(check.bits, again.bits, sizeof check.bits);
	ops->release(device, task);
	return check;
}

static void expect_right(struct mxt_device *device, const struct mxt_problem *problem)
{
	const struct mxt_check check = check_problem(device, problem);
	if (check.error_ppb > check.bound_ppb / 3 * 2)
		fail_msg("error %llu ppb, bound %llu", (unsigned long long)check.error_ppb,
			 (unsigned long long)check.bound_ppb);
}

static void check_random_products(struct mxt_device *device)
{
	struct mxt_rng rng = {5};
	for (int i = 0; i < 30; i++) {
		struct mxt_gemm g = {
		    .m = 1 + mxt_rng_below(&rng, 200),
		    .n = 1 + mxt_rng_below(&rng, 200),
		    .k = 1 + mxt_rng_below(&rng, 400),
		    .trans_a = mxt_rng_below(&rng, 2),
		    .trans_b = mxt_rng_below(&rng, 2),
		    .accumulate = mxt_rng_below(&rng, 2),
		    .bias = mxt_rng_below(&rng, 2),
		    .batch = i % 5 == 0 ? 1 + (int32_t)mxt_rng_below(&rng, 9) : 0,
		};
		g.lda = (g.trans_a ? g.m : g.k) + mxt_rng_below(&rng, 3);
		g.ldb = (g.trans_b ? g.k : g.n) + mxt_rng_below(&rng, 3);
		g.ldc = g.n + mxt_rng_below(&rng, 3);
		const struct mxt_problem problem = gemm_problem(&g);
		expect_right(device, &problem);
	}
}

static void check_library(const char *blas)
{
	static const char *const backends[] = {"math", "flash"};
	for (size_t i = 0; i < 2; i++) {
		use_settings(blas, backends[i]);
		struct mxt_device *device = open_device();
		if (!device)
			skip();
		json_t *facts = NULL;
		assert_int_equal(ops->describe(device, &facts, NULL), 0);
		assert_string_equal(json_string_value(json_object_get(facts, "library")), blas);
		assert_string_equal(json_string_value(json_object_get(facts, "attention")), backends[i]);
		json_decref(facts);
		const struct mxt_problem forward = attention_problem(&attention_shape, MXT_FORWARD);
		const struct mxt_problem backward = attention_problem(&attention_shape, MXT_BACKWARD);
		expect_right(device, &forward);
		expect_right(device, &backward);
		if (i == 0)
			check_random_products(device);
		ops->close(device);
	}
}

/* Its work is divided by number of threads, never by which of them comes first. */
static void test_deterministic(void **state)
{
	(void)state;
	struct mxt_device *device = NULL;
	use_settings("openblas", "flash");
	if (ops->open(&(struct mxt_device_target){.deterministic = true}, &device, NULL) < 0)
		skip();
	struct mxt_gemm batch = gemm_shape;
	batch.batch = 3;
	batch.accumulate = true;
	const struct mxt_problem problems[] = {attention_problem(&attention_shape, MXT_FORWARD),
					       attention_problem(&attention_shape, MXT_BACKWARD),
					       gemm_problem(&gemm_shape), gemm_problem(&batch)};
	for (size_t i = 0; i < MXT_ARRAY_LEN(problems); i++)
		assert_true(check_problem(device, &problems[i]).repeatable);
	ops->close(device);
}

static void test_openblas(void **state)
{
	(void)state;
	check_library("openblas");
}

static void test_blis(void **state)
{
	(void)state;
	check_library("blis");
}

static void expect_wrong(struct mxt_device *device, const struct mxt_problem *problem)
{
	const struct mxt_check check = check_problem(device, problem);
	assert_true(check.error_ppb > 100 * check.bound_ppb);
}

/* A library that leaves out one product at an edge fails every check; the same library, honest, passes. */
static void test_lying_library(void **state)
{
	static const char *const backends[] = {"math", "flash"};
	const struct mxt_problem gemm = gemm_problem(&gemm_shape);
	const struct mxt_problem forward = attention_problem(&small_shape, MXT_FORWARD);
	const struct mxt_problem backward = attention_problem(&small_shape, MXT_BACKWARD);
	for (size_t i = 0; i < 2; i++) {
		use_settings("openblas", backends[i]);
		use_stub(*state, "MXT_STUB_BLAS");
		struct mxt_device *device = open_device();
		expect_right(device, &gemm);
		expect_right(device, &forward);
		expect_right(device, &backward);
		ops->close(device);
		use_stub(*state, "MXT_STUB_BLAS_LIES");
		device = open_device();
		expect_wrong(device, &gemm);
		expect_wrong(device, &forward);
		expect_wrong(device, &backward);
		ops->close(device);
	}
}

static void expect_no_device(unsigned ordinal, int status, enum mxt_error_id id, const char *part)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_device *device = NULL;
	assert_int_equal(ops->open(&(struct mxt_device_target){.ordinal = ordinal}, &device, &err), status);
	assert_int_equal(err.id, id);
	assert_null(device);
	if (!strstr(mxt_error_text(&err), part))
		fail_msg("'%s' does not say '%s'", mxt_error_text(&err), part);
}

static void test_cannot_open(void **state)
{
	expect_no_device(1, -ENODEV, MXT_E_NO_PROCESSOR, "number 0");
	use_settings("mkl", "math");
	expect_no_device(0, -EINVAL, MXT_E_CPU_SETTING, "MINDXTRAIN_CPU_BLAS is 'mkl'; set it to openblas or blis");
	use_settings("openblas", "fast");
	expect_no_device(0, -EINVAL, MXT_E_CPU_SETTING, "MINDXTRAIN_CPU_ATTENTION is 'fast'; set it to math or flash");
	use_settings("openblas", "");
	use_stub(*state, "MXT_STUB_OTHER");
	expect_no_device(0, -ELIBBAD, MXT_E_LIBRARY_BROKEN, "has no symbol cblas_sgemm");
	use_stub(*state, "MXT_STUB_ORPHAN");
	expect_no_device(0, -ELIBBAD, MXT_E_LIBRARY_BROKEN, "libmxtstub-not-there.so.7");
	use_stub(*state, "MXT_STUB_BLAS_WIDE");
	expect_no_device(0, -ELIBBAD, MXT_E_LIBRARY_BROKEN, "64-bit integers");
}

static void expect_unsupported(struct mxt_device *device, const struct mxt_problem *problem, enum mxt_error_id id)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_task *task = NULL;
	assert_int_equal(mxt_problem_validate(problem), 0);
	assert_int_equal(ops->prepare(device, problem, &task, &err), -ENOTSUP);
	assert_int_equal(err.id, id);
	assert_null(task);
}

static void test_unsupported(void **state)
{
	use_stub(*state, "MXT_STUB_BLAS");
	struct mxt_device *device = open_device();
	struct mxt_problem gemm = gemm_problem(&gemm_shape);
	gemm.as.gemm.dtype = MXT_DTYPE_BF16;
	expect_unsupported(device, &gemm, MXT_E_PROBLEM_UNSUPPORTED);
	gemm = gemm_problem(&gemm_shape);
	gemm.as.gemm.n = gemm.as.gemm.ldb = gemm.as.gemm.ldc = INT64_C(1) << 31;
	expect_unsupported(device, &gemm, MXT_E_PROBLEM_UNSUPPORTED);
	gemm.as.gemm.m = gemm.as.gemm.k = gemm.as.gemm.lda = 1 << 20;
	gemm.as.gemm.n = gemm.as.gemm.ldb = gemm.as.gemm.ldc = 1 << 20;
	expect_unsupported(device, &gemm, MXT_E_OPERANDS_TOO_LARGE);
	struct mxt_problem attention = attention_problem(&attention_shape, MXT_BACKWARD);
	attention.as.attention.seq = 1 << 20; /* scores of 4 TiB */
	attention.as.attention.heads = attention.as.attention.kv_heads = attention.as.attention.batch = 1;
	expect_unsupported(device, &attention, MXT_E_OPERANDS_TOO_LARGE);
	ops->close(device);
}

/* Many tasks at a time share the arenas and the scratch memory; each stays right. */
static void test_many_tasks(void **state)
{
	use_stub(*state, "MXT_STUB_BLAS");
	struct mxt_device *device = open_device();
	struct mxt_task *tasks[6];
	struct mxt_step steps[6];
	for (int32_t i = 0; i < 6; i++) {
		struct mxt_gemm g = gemm_shape;
		g.m += i;
		struct mxt_attention a = small_shape;
		a.seq += 5 * i;
		const struct mxt_problem problem =
		    i % 3 == 0 ? gemm_problem(&g) : attention_problem(&a, i % 3 == 1 ? MXT_FORWARD : MXT_BACKWARD);
		assert_int_equal(ops->prepare(device, &problem, &tasks[i], NULL), 0);
		steps[i] = (struct mxt_step){tasks[i], 0};
	}
	uint64_t ns = 0;
	assert_int_equal(ops->time(device, steps, 6, 3, &ns, NULL), 0);
	for (size_t i = 0; i < 6; i++) {
		struct mxt_check check;
		assert_int_equal(ops->check(device, tasks[i], &check, NULL), 0);
		assert_true(check.error_ppb <= check.bound_ppb);
	}
	for (size_t i = 0; i < 6; i++)
		ops->release(device, tasks[i]);
	ops->release(device, NULL);
	ops->close(device);
	ops->close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_openblas, set_up, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_blis, set_up, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_deterministic, set_up, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_lying_library, set_up, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_cannot_open, set_up, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_unsupported, set_up, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_many_tasks, set_up, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
