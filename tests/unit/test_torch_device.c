/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real torch through its C interface, on the host: products and attention against float64, what is refused, and that
 * wrong results are seen. Built once for each torch that is kept (TORCH is REAL_TORCH_OLDEST or _NEWEST): two of them
 * do not fit into one process.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attention_distance.h"
#include "buf.h"
#include "cmocka_all.h"
#include "device_ops.h"
#include "error.h"
#include "gemm_distance.h"
#include "json.h"
#include "real_torch.h"
#include "scratch.h"
#include "torch_call.h"
#include "torch_cpu_device.h"
#include "torch_device.h"
#include "torch_tensor.h"

static struct mxt_device *open_device(const char *folder)
{
	struct mxt_device *device = NULL;
	struct mxt_error err = MXT_ERROR_INIT;
	const struct mxt_device_target target = {.torch = folder};
	if (mxt_torch_cpu_device.open(&target, &device, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	return device;
}

static void close_device(struct mxt_device *device, char *folder)
{
	mxt_torch_cpu_device.close(device);
	free(folder);
}

static struct mxt_check check_problem(struct mxt_device *device, const struct mxt_problem *problem)
{
	const struct mxt_device_ops *ops = &mxt_torch_cpu_device;
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_task *task = NULL;
	struct mxt_check check = {.error_ppb = UINT64_MAX};
	uint64_t ns = 0;
	if (ops->prepare(device, problem, &task, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	const struct mxt_step steps[] = {{task, 0}, {NULL, 1 << 20}};
	if (ops->check(device, task, &check, &err) < 0 || ops->time(device, steps, 2, 3, &ns, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	assert_true(ns > 0);
	ops->release(device, task);
	return check;
}

static void test_facts(void **state)
{
	(void)state;
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	MXT_CLEANUP_JSON json_t *facts = NULL;
	assert_int_equal(mxt_torch_cpu_device.describe(device, &facts, NULL), 0);
	assert_string_equal(json_string_value(json_object_get(facts, "torch")), device->torch.version.version);
	assert_true(json_integer_value(json_object_get(facts, "threads")) > 0);
	/* The interface of the oldest has no call that takes a version; that of the newest has. */
	assert_int_equal(device->torch.call.torch_call_dispatcher != NULL, TORCH == REAL_TORCH_NEWEST);
	close_device(device, folder);
}

static void test_products(void **state)
{
	(void)state;
	static const struct mxt_gemm rows[] = {
	    {.m = 70, .n = 96, .k = 130, .lda = 130, .ldb = 130, .ldc = 96, .trans_b = true},
	    {.m = 70, .n = 96, .k = 130, .lda = 130, .ldb = 96, .ldc = 96},
	    {.m = 96, .n = 130, .k = 70, .lda = 96, .ldb = 130, .ldc = 130, .trans_a = true},
	    {.m = 33, .n = 48, .k = 64, .lda = 64, .ldb = 64, .ldc = 48, .trans_b = true, .bias = true},
	    {.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1},
	    /* Added to what is there, in place. */
	    {.m = 33, .n = 48, .k = 64, .lda = 64, .ldb = 64, .ldc = 48, .trans_b = true, .accumulate = true},
	    {.m = 64, .n = 16, .k = 96, .lda = 64, .ldb = 16, .ldc = 20, .trans_a = true, .accumulate = true},
	    /* Batches. */
	    {.m = 20, .n = 24, .k = 40, .lda = 40, .ldb = 24, .ldc = 24, .batch = 7},
	    {.m = 20, .n = 24, .k = 40, .lda = 20, .ldb = 40, .ldc = 24, .trans_a = true, .trans_b = true, .batch = 2},
	    {.m = 20, .n = 24, .k = 40, .lda = 40, .ldb = 24, .ldc = 24, .batch = 3, .accumulate = true},
	    {.m = 20, .n = 24, .k = 40, .lda = 40, .ldb = 24, .ldc = 24, .batch = 3, .bias = true},
	    {.m = 64, .n = 50, .k = 1, .lda = 1, .ldb = 50, .ldc = 50, .batch = 1},
	};
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		for (int dtype = 0; dtype < MXT_DTYPE_F16; dtype++) {
			struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .as.gemm = rows[i]};
			problem.as.gemm.dtype = (enum mxt_dtype)dtype;
			struct mxt_check check = check_problem(device, &problem);
			if (check.error_ppb > check.bound_ppb)
				fail_msg("row %zu dtype %d: %llu ppb", i, dtype, (unsigned long long)check.error_ppb);
		}
	close_device(device, folder);
}

static void test_attention(void **state)
{
	(void)state;
	static const struct mxt_attention rows[] = {
	    {.batch = 2, .seq = 96, .heads = 4, .kv_heads = 4, .head_dim = 64, .causal = true},
	    {.batch = 1, .seq = 80, .heads = 8, .kv_heads = 2, .head_dim = 32, .causal = true},
	    {.batch = 1, .seq = 33, .heads = 2, .kv_heads = 1, .head_dim = 80, .causal = false},
	    {.batch = 2, .seq = 96, .heads = 4, .kv_heads = 4, .head_dim = 64, .causal = true, .masked = true},
	    {.batch = 2, .seq = 45, .heads = 8, .kv_heads = 2, .head_dim = 32, .causal = true, .masked = true},
	    {.batch = 1, .seq = 33, .heads = 2, .kv_heads = 1, .head_dim = 80, .masked = true},
	    {.batch = 2,
	     .seq = 45,
	     .heads = 4,
	     .kv_heads = 4,
	     .head_dim = 32,
	     .causal = true,
	     .masked = true,
	     .repeated = true},
	    {.batch = 1,
	     .seq = 90,
	     .heads = 4,
	     .kv_heads = 2,
	     .head_dim = 32,
	     .causal = true,
	     .n_documents = 4,
	     .documents = {40, 1, 30, 19}},
	    {.batch = 1, .seq = 20, .heads = 2, .kv_heads = 2, .head_dim = 32, .n_documents = 2, .documents = {7, 13}},
	    /* What shows torch's own roundings; the stand-ins have none, and need long for it. */
	    {.batch = 1, .seq = 128, .heads = 64, .kv_heads = 1, .head_dim = 128, .causal = true},
	    {.batch = 1, .seq = 512, .heads = 32, .kv_heads = 8, .head_dim = 128, .causal = true},
	};
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	size_t n_rows = MXT_ARRAY_LEN(rows) - (device->torch.stand_in ? 2 : 0);
	for (size_t i = 0; i < n_rows * 4; i++) {
		struct mxt_problem problem = {.kind = MXT_PROBLEM_ATTENTION, .as.attention = rows[i / 4]};
		problem.as.attention.dtype = i % 2 ? MXT_DTYPE_BF16 : MXT_DTYPE_F32;
		problem.as.attention.direction = i / 2 % 2 ? MXT_BACKWARD : MXT_FORWARD;
		struct mxt_check check = check_problem(device, &problem);
		if (check.error_ppb > check.bound_ppb)
			fail_msg("case %zu (%s): %llu ppb, %llu allowed", i, check.backend,
				 (unsigned long long)check.error_ppb, (unsigned long long)check.bound_ppb);
		assert_true(check.backend[0] != '\0');
	}
	close_device(device, folder);
}

/* float32 is exact to some 1e-7: the bound that is kept for it is no bound that hides bfloat16's errors. */
static void test_bounds_tell_dtypes_apart(void **state)
{
	(void)state;
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	struct mxt_problem problem = {
	    .kind = MXT_PROBLEM_ATTENTION,
	    .as.attention = {.batch = 1, .seq = 64, .heads = 2, .kv_heads = 2, .head_dim = 64, .causal = true}};
	uint64_t bound = check_problem(device, &problem).bound_ppb;
	problem.as.attention.dtype = MXT_DTYPE_BF16;
	assert_true(check_problem(device, &problem).error_ppb > bound);
	close_device(device, folder);
}

/* ---- arenas that move ---- */

/* Memory that is always the same, and none on demand. */
static bool no_memory;

static int same_memory(void *state, size_t bytes, void **ret_data, struct mxt_error *err)
{
	static _Alignas(256) char memory[4 << 20];
	(void)state;
	if (no_memory || bytes > sizeof memory)
		return mxt_error_set(err, -ENOMEM, MXT_E_OPERANDS_TOO_LARGE, "no memory");
	*ret_data = memory;
	return 0;
}

static void keep_memory(void *state, void *data)
{
	(void)state, (void)data;
}

static struct mxt_task *prepare_attention(struct mxt_device *device, int32_t seq)
{
	const struct mxt_problem problem = {.kind = MXT_PROBLEM_ATTENTION,
					    .as.attention = {.batch = 1,
							     .seq = seq,
							     .heads = 2,
							     .kv_heads = 2,
							     .head_dim = 64,
							     .causal = true,
							     .direction = MXT_BACKWARD}};
	struct mxt_task *task = NULL;
	(void)mxt_torch_cpu_device.prepare(device, &problem, &task, NULL);
	return task;
}

/* A task stays right whatever is prepared after it: also where larger operands do not fit, or lie at the same place. */
static void test_arenas_move(void **state)
{
	(void)state;
	const struct mxt_device_ops *ops = &mxt_torch_cpu_device;
	struct mxt_error err = MXT_ERROR_INIT;
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	struct mxt_torch_platform platform = *device->platform;
	platform.allocate = same_memory;
	platform.release = keep_memory;
	device->platform = &platform;
	device->llc_bytes = 0; /* one window is enough */
	struct mxt_task *task = prepare_attention(device, 64), *larger = prepare_attention(device, 96);
	struct mxt_check check;
	assert_non_null(task);
	assert_non_null(larger);
	assert_int_equal(ops->check(device, task, &check, NULL), 0);
	assert_true(check.error_ppb <= check.bound_ppb);

	no_memory = true;
	const struct mxt_step step = {task, 0};
	uint64_t ns = 0;
	assert_null(prepare_attention(device, 128));
	assert_int_equal(ops->time(device, &step, 1, 1, &ns, &err), -ENOMEM);
	assert_int_equal(err.id, MXT_E_OPERANDS_TOO_LARGE);
	mxt_error_clear(&err);
	no_memory = false;
	assert_int_equal(ops->check(device, task, &check, NULL), 0);
	assert_true(check.error_ppb <= check.bound_ppb);
	ops->release(device, task);
	ops->release(device, larger);
	close_device(device, folder);
}

static struct mxt_tensor *random_tensor(const struct mxt_torch *torch, const struct mxt_tensor_shape *shape)
{
	struct mxt_tensor *tensor = NULL;
	assert_int_equal(mxt_tensor_create(torch, shape, torch->dtype[MXT_DTYPE_F32], &tensor, NULL), 0);
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	mxt_push_tensor(&call, tensor);
	mxt_push_number(&call, 0);
	mxt_push_number(&call, 1);
	mxt_push_none(&call);
	assert_int_equal(mxt_torch_call_run(&call, "aten::normal_", "", 1, NULL), 0);
	mxt_drop_result(&call);
	return tensor;
}

/* Gradients that were exchanged, or a result that is another tensor altogether, are far beyond every bound. */
static void test_wrong_attention_is_seen(void **state)
{
	(void)state;
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	const struct mxt_torch *torch = &device->torch;
	static const struct mxt_attention shape = {.batch = 1,
						   .seq = 48,
						   .heads = 2,
						   .kv_heads = 2,
						   .head_dim = 32,
						   .causal = true,
						   .direction = MXT_BACKWARD};
	const struct mxt_tensor_shape dense = mxt_tensor_dense(4, (const int64_t[]){1, 2, 48, 32});
	struct mxt_tensor *t[4];
	for (size_t i = 0; i < MXT_ARRAY_LEN(t); i++)
		t[i] = random_tensor(torch, &dense);
	struct mxt_attention_result result = {
	    .shape = &shape, .inputs = {.q = t[0], .k = t[1], .v = t[2], .causal = true}, .grad_out = t[3]};
	struct mxt_sdpa_saved saved = {.out = NULL};
	double distance = 0;
	uint8_t bits[32];
	assert_int_equal(mxt_sdpa_forward(torch, MXT_SDPA_FLASH, &result.inputs, &saved, NULL), 0);
	assert_int_equal(mxt_sdpa_backward(torch, MXT_SDPA_FLASH, &result.inputs, &saved, t[3], result.outputs, NULL),
			 0);
	assert_int_equal(mxt_attention_distance(device, &result, &distance, bits, NULL), 0);
	assert_true(distance < 1e-5);
	struct mxt_tensor *exchanged = result.outputs[0];
	result.outputs[0] = result.outputs[1];
	result.outputs[1] = exchanged;
	assert_int_equal(mxt_attention_distance(device, &result, &distance, bits, NULL), 0);
	assert_true(distance > 0.01);
	for (size_t i = 0; i < 3; i++)
		mxt_tensor_destroy(torch, result.outputs[i]);
	result.outputs[0] = t[0];
	result.grad_out = NULL;
	assert_int_equal(mxt_attention_distance(device, &result, &distance, bits, NULL), 0);
	assert_true(distance > 0.1);
	mxt_sdpa_saved_finish(torch, &saved);
	for (size_t i = 0; i < MXT_ARRAY_LEN(t); i++)
		mxt_tensor_destroy(torch, t[i]);
	close_device(device, folder);
}

/* Causal attention over a packed sequence, with nothing between its documents, is not what was asked for. */
static void test_leaking_documents_are_seen(void **state)
{
	(void)state;
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	const struct mxt_torch *torch = &device->torch;
	struct mxt_attention shape = {.batch = 1,
				      .seq = 48,
				      .heads = 2,
				      .kv_heads = 2,
				      .head_dim = 32,
				      .causal = true,
				      .n_documents = 3,
				      .documents = {30, 10, 8}};
	const struct mxt_tensor_shape dense = mxt_tensor_dense(4, (const int64_t[]){1, 2, 48, 32});
	struct mxt_tensor *t[3];
	for (size_t i = 0; i < MXT_ARRAY_LEN(t); i++)
		t[i] = random_tensor(torch, &dense);
	struct mxt_attention_result result = {.shape = &shape,
					      .inputs = {.q = t[0], .k = t[1], .v = t[2], .causal = true}};
	struct mxt_sdpa_saved saved = {.out = NULL};
	double distance = 0;
	uint8_t bits[32];
	assert_int_equal(mxt_sdpa_forward(torch, MXT_SDPA_FLASH, &result.inputs, &saved, NULL), 0);
	result.outputs[0] = saved.out;
	assert_int_equal(mxt_attention_distance(device, &result, &distance, bits, NULL), 0);
	assert_true(distance > 0.01);
	shape.n_documents = 0;
	assert_int_equal(mxt_attention_distance(device, &result, &distance, bits, NULL), 0);
	assert_true(distance < 1e-5);
	mxt_sdpa_saved_finish(torch, &saved);
	for (size_t i = 0; i < MXT_ARRAY_LEN(t); i++)
		mxt_tensor_destroy(torch, t[i]);
	close_device(device, folder);
}

/* A mask that would take more than half of what is left is refused before it is made. */
static uint64_t little_memory(void *state)
{
	(void)state;
	return 1 << 20;
}

static void test_masks_that_do_not_fit(void **state)
{
	(void)state;
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	struct mxt_torch_platform platform = *device->platform;
	platform.memory_left = little_memory;
	device->platform = &platform;
	const struct mxt_problem problem = {.kind = MXT_PROBLEM_ATTENTION,
					    .as.attention = {.batch = 1,
							     .seq = 512,
							     .heads = 1,
							     .kv_heads = 1,
							     .head_dim = 16,
							     .n_documents = 1,
							     .documents = {512}}};
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_task *task = NULL;
	assert_int_equal(mxt_torch_cpu_device.prepare(device, &problem, &task, &err), -ENOTSUP);
	assert_int_equal(err.id, MXT_E_OPERANDS_TOO_LARGE);
	mxt_error_clear(&err);
	close_device(device, folder);
}

/* As a layer of a peft step without autocast: float32 adapters next to a bfloat16 base, in one process. */
static void test_mixed_dtypes(void **state)
{
	(void)state;
	static const struct mxt_problem problems[] = {
	    {.kind = MXT_PROBLEM_GEMM,
	     .as.gemm = {.m = 40, .n = 64, .k = 64, .lda = 64, .ldb = 64, .ldc = 64, .dtype = MXT_DTYPE_BF16}},
	    {.kind = MXT_PROBLEM_GEMM,
	     .as.gemm = {.m = 40, .n = 8, .k = 64, .lda = 64, .ldb = 64, .ldc = 8, .trans_b = true}},
	    {.kind = MXT_PROBLEM_ATTENTION,
	     .as.attention = {.batch = 1,
			      .seq = 40,
			      .heads = 2,
			      .kv_heads = 2,
			      .head_dim = 32,
			      .causal = true,
			      .masked = true,
			      .dtype = MXT_DTYPE_BF16,
			      .direction = MXT_BACKWARD}},
	    {.kind = MXT_PROBLEM_GEMM,
	     .as.gemm = {.m = 40, .n = 64, .k = 8, .lda = 8, .ldb = 64, .ldc = 64, .accumulate = true}},
	};
	const struct mxt_device_ops *ops = &mxt_torch_cpu_device;
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	struct mxt_step steps[MXT_ARRAY_LEN(problems) + 1] = {{NULL, 1 << 16}};
	uint64_t ns = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(problems); i++)
		assert_int_equal(ops->prepare(device, &problems[i], &steps[i + 1].task, NULL), 0);
	assert_int_equal(ops->time(device, steps, MXT_ARRAY_LEN(steps), 3, &ns, NULL), 0);
	for (size_t i = 0; i < MXT_ARRAY_LEN(problems); i++) {
		struct mxt_check check;
		assert_int_equal(ops->check(device, steps[i + 1].task, &check, NULL), 0);
		assert_true(check.error_ppb <= check.bound_ppb);
		assert_false(check.repeatable); /* nobody asked */
		ops->release(device, steps[i + 1].task);
	}
	close_device(device, folder);
}

/* The last one: no process comes back from it. */
static void test_deterministic(void **state)
{
	(void)state;
	static const struct mxt_problem problems[] = {
	    {.kind = MXT_PROBLEM_GEMM,
	     .as.gemm = {.m = 40, .n = 64, .k = 64, .lda = 64, .ldb = 64, .ldc = 70, .batch = 2}},
	    {.kind = MXT_PROBLEM_GEMM,
	     .as.gemm = {.m = 40, .n = 64, .k = 64, .lda = 64, .ldb = 64, .ldc = 70, .accumulate = true}},
	    {.kind = MXT_PROBLEM_ATTENTION,
	     .as.attention = {.batch = 1,
			      .seq = 40,
			      .heads = 4,
			      .kv_heads = 2,
			      .head_dim = 32,
			      .causal = true,
			      .dtype = MXT_DTYPE_BF16,
			      .direction = MXT_BACKWARD}},
	    {.kind = MXT_PROBLEM_ATTENTION,
	     .as.attention = {.batch = 1, .seq = 40, .heads = 2, .kv_heads = 2, .head_dim = 32, .masked = true}},
	};
	char *folder = real_torch_file(TORCH, "torch");
	const struct mxt_device_target target = {.torch = folder, .deterministic = true};
	struct mxt_device *device = NULL;
	assert_int_equal(mxt_torch_cpu_device.open(&target, &device, NULL), 0);
	MXT_CLEANUP_JSON json_t *facts = NULL;
	assert_int_equal(mxt_torch_cpu_device.describe(device, &facts, NULL), 0);
	assert_true(json_is_true(json_object_get(facts, "deterministic")));
	for (size_t i = 0; i < MXT_ARRAY_LEN(problems); i++) {
		struct mxt_check check = check_problem(device, &problems[i]);
		assert_true(check.error_ppb <= check.bound_ppb);
		assert_true(check.repeatable);
	}
	close_device(device, folder);
}

/* Equal as numbers is not equal in bits. */
static void test_same_bits(void **state)
{
	(void)state;
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	float left[] = {1, 0, 2, 0}, right[] = {1, 0, 2, 9};
	const struct mxt_tensor_shape shape = {1, {3}, {1}}, spread = {1, {2}, {2}};
	const struct mxt_tensor_shape *const shapes[] = {&shape, &spread};
	const bool expected[] = {false, true}; /* of the second, the zeros are not part */
	bool same = false;
	right[1] = -right[1];
	for (size_t i = 0; i < MXT_ARRAY_LEN(shapes); i++) {
		struct mxt_tensor *a = NULL, *b = NULL;
		int32_t dtype = device->torch.dtype[MXT_DTYPE_F32];
		assert_int_equal(mxt_tensor_view(&device->torch, left, shapes[i], dtype, &a, NULL), 0);
		assert_int_equal(mxt_tensor_view(&device->torch, right, shapes[i], dtype, &b, NULL), 0);
		assert_int_equal(mxt_tensor_same_bits(&device->torch, a, b, 1, &same, NULL), 0);
		assert_int_equal(same, expected[i]);
		mxt_tensor_destroy(&device->torch, a);
		mxt_tensor_destroy(&device->torch, b);
	}
	close_device(device, folder);
}

/* One wrong element, in a row and column that are not sampled: the projections see it. */
static void test_wrong_product_is_seen(void **state)
{
	(void)state;
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	static const struct mxt_gemm gemm = {.m = 100, .n = 90, .k = 80, .lda = 80, .ldb = 90, .ldc = 90};
	static const size_t M = 100, N = 90, K = 80;
	float *a = calloc(M * K, sizeof *a), *b = calloc(K * N, sizeof *b), *c = calloc(M * N, sizeof *c);
	assert_true(a && b && c);
	for (size_t i = 0; i < M * K; i++)
		a[i] = (float)(i % 7) - 3;
	for (size_t i = 0; i < K * N; i++)
		b[i] = (float)(i % 5) - 2;
	for (size_t i = 0; i < M; i++)
		for (size_t j = 0; j < N; j++)
			for (size_t k = 0; k < K; k++)
				c[i * N + j] += a[i * K + k] * b[k * N + j];
	const struct mxt_gemm_product product = {.shape = &gemm, .a = (char *)a, .b = (char *)b, .c = (char *)c};
	double distance = 1;
	uint8_t right[32], wrong[32];
	assert_int_equal(mxt_gemm_product_distance(device, &product, &distance, right, NULL), 0);
	assert_true(distance < 1e-12);
	c[50 * N + 44] += 50;
	assert_int_equal(mxt_gemm_product_distance(device, &product, &distance, wrong, NULL), 0);
	assert_true(distance > 0.01);
	assert_memory_not_equal(right, wrong, sizeof right);
	free(a);
	free(b);
	free(c);
	close_device(device, folder);
}

/* What torch refuses it throws, inside. */
static void test_refusals(void **state)
{
	(void)state;
	if (!CAN_THROW)
		skip();
	char *folder = real_torch_file(TORCH, "torch");
	struct mxt_device *device = open_device(folder);
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, &device->torch);
	assert_int_equal(mxt_torch_call_run(&call, "aten::no_such_operator", "", 0, &err), -EIO);
	assert_int_equal(err.id, MXT_E_TORCH_CALL);
	mxt_error_clear(&err);
	mxt_torch_call_init(&call, &device->torch);
	for (int i = 0; i <= MXT_TORCH_STACK_SIZE; i++)
		mxt_push_tensor(&call, NULL);
	assert_int_equal(mxt_torch_call_run(&call, "aten::mm", "", 1, &err), -EIO);
	assert_null(mxt_take_tensor(&call, 0));
	mxt_error_clear(&err);
	const struct mxt_tensor_shape huge = mxt_tensor_dense(1, (const int64_t[]){INT64_C(1) << 60});
	struct mxt_tensor *tensor = NULL;
	assert_true(mxt_tensor_create(&device->torch, &huge, device->torch.float64, &tensor, &err) < 0);
	assert_int_equal(err.id, MXT_E_TORCH_CALL);
	mxt_error_clear(&err);
	struct mxt_problem problem = {
	    .kind = MXT_PROBLEM_GEMM,
	    .as.gemm = {.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1, .accumulate = true, .bias = true}};
	struct mxt_task *task = NULL;
	assert_int_equal(mxt_torch_cpu_device.prepare(device, &problem, &task, &err), -ENOTSUP);
	mxt_error_clear(&err);
	problem = (struct mxt_problem){
	    .kind = MXT_PROBLEM_ATTENTION,
	    .as.attention = {.batch = 1, .seq = 8, .heads = 1, .kv_heads = 1, .head_dim = 16, .window = 4}};
	assert_int_equal(mxt_torch_cpu_device.prepare(device, &problem, &task, &err), -ENOTSUP);
	mxt_error_clear(&err);
	close_device(device, folder);
}

/* A package folder of `version`, whose libraries are those of the real one; the caller frees. */
static char *write_package(const char *scratch, const char *name, const char *version)
{
	char *lib = real_torch_file(TORCH, "torch/lib");
	char *folder = mxt_scratch_path(scratch, name);
	assert_int_equal(mkdir(folder, 0700), 0);
	char *link = mxt_scratch_path(folder, "lib");
	assert_int_equal(symlink(lib, link), 0);
	char text[64];
	(void)snprintf(text, sizeof text, "__version__ = '%s'\n", version);
	free(mxt_scratch_write(folder, "version.py", text));
	free(link);
	free(lib);
	return folder;
}

static void test_other_packages(void **state)
{
	static const struct {
		const char *version;
		int rc;
		enum mxt_error_id id;
	} rows[] = {{"2.7.1+cu126", -ENODEV, MXT_E_TORCH_UNSUPPORTED},
		    {"nightly", -ENODEV, MXT_E_TORCH_UNSUPPORTED},
		    {"2.9.9", -ELIBBAD, MXT_E_TORCH_FOREIGN},
		    {"3.0.0", -ELIBBAD, MXT_E_TORCH_FOREIGN}};
	free(real_torch_file(TORCH, "torch")); /* skips where there is none */
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		char name[8];
		(void)snprintf(name, sizeof name, "%zu", i);
		char *folder = write_package(*state, name, rows[i].version);
		struct mxt_error err = MXT_ERROR_INIT;
		struct mxt_torch torch = {.on_gpu = false};
		assert_int_equal(mxt_torch_open(folder, MXT_TORCH_CPU, 0, &torch, &err), rows[i].rc);
		assert_int_equal(err.id, rows[i].id);
		assert_non_null(strstr(mxt_error_text(&err), rows[i].version[0] == 'n' ? folder : rows[i].version));
		mxt_error_clear(&err);
		free(folder);
	}
	char *nowhere = mxt_scratch_path(*state, "nowhere");
	struct mxt_torch torch = {.on_gpu = false};
	assert_true(mxt_torch_open(nowhere, MXT_TORCH_CPU, 0, &torch, NULL) < 0);
	free(nowhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_facts),
	    cmocka_unit_test(test_products),
	    cmocka_unit_test(test_attention),
	    cmocka_unit_test(test_arenas_move),
	    cmocka_unit_test(test_bounds_tell_dtypes_apart),
	    cmocka_unit_test(test_wrong_attention_is_seen),
	    cmocka_unit_test(test_leaking_documents_are_seen),
	    cmocka_unit_test(test_masks_that_do_not_fit),
	    cmocka_unit_test(test_mixed_dtypes),
	    cmocka_unit_test(test_same_bits),
	    cmocka_unit_test(test_wrong_product_is_seen),
	    cmocka_unit_test(test_refusals),
	    cmocka_unit_test_setup_teardown(test_other_packages, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test(test_deterministic),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
