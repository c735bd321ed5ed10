/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products through torch's own calls: mm, addmm where there is a bias or where the product is added to its
 * output in place, and bmm and baddbmm for batches of them.
 */
#include <blake3.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "error.h"
#include "error_bound.h"
#include "gemm_distance.h"
#include "torch_call.h"
#include "torch_device.h"
#include "torch_settings.h"
#include "torch_tensor.h"

static int64_t products(const struct mxt_gemm *g)
{
	return g->batch ? g->batch : 1;
}

/* Elements of one stored matrix. */
static int64_t a_elements(const struct mxt_gemm *g)
{
	return (g->trans_a ? g->k : g->m) * g->lda;
}

static int64_t b_elements(const struct mxt_gemm *g)
{
	return (g->trans_b ? g->n : g->k) * g->ldb;
}

static int64_t c_elements(const struct mxt_gemm *g)
{
	return g->m * g->ldc;
}

/* A part of a window: an operand of all products. */
static size_t part_bytes(const struct mxt_gemm *g, int64_t elements)
{
	return mxt_torch_part((size_t)(products(g) * elements) * mxt_dtype_bytes(g->dtype));
}

struct mxt_gemm_operands mxt_torch_gemm_next(struct mxt_device *device, const struct mxt_task *task)
{
	const struct mxt_gemm *g = &task->problem.as.gemm;
	char *a = mxt_torch_arena_next(&device->inputs[g->dtype], task->input_bytes);
	char *b = a + part_bytes(g, a_elements(g));
	return (struct mxt_gemm_operands){a, b, b + part_bytes(g, b_elements(g)),
					  mxt_torch_arena_next(&device->outputs[g->dtype], task->output_bytes)};
}

/* One stored matrix, or a batch of them that lie one behind the other. */
struct layout {
	int64_t rows, columns, ld, elements;
	bool transposed;
};

static struct mxt_tensor_shape view_of(const struct mxt_gemm *g, const struct layout *l)
{
	int64_t row = l->transposed ? 1 : l->ld, column = l->transposed ? l->ld : 1;
	if (g->batch)
		return (struct mxt_tensor_shape){3, {g->batch, l->rows, l->columns}, {l->elements, row, column}};
	return (struct mxt_tensor_shape){2, {l->rows, l->columns}, {row, column}};
}

static struct mxt_tensor_shape shape_of_c(const struct mxt_gemm *g)
{
	return view_of(g, &(struct layout){g->m, g->n, g->ldc, c_elements(g), false});
}

enum { A, B, C, BIAS, TENSORS };

/* What is added to the product: the bias, or what the output holds. */
static int multiply_and_add(const struct mxt_torch *torch, const struct mxt_gemm *g, struct mxt_tensor *const t[],
			    struct mxt_error *err)
{
	struct mxt_tensor *added = g->accumulate ? t[C] : t[BIAS];
	int32_t (*const calls[2][2])(struct mxt_tensor *, struct mxt_tensor *, struct mxt_tensor *, struct mxt_tensor *,
				     double, double) = {
	    {torch->call.aoti_torch_cpu_addmm_out, torch->call.aoti_torch_cpu_baddbmm_out},
	    {torch->gpu.aoti_torch_cuda_addmm_out, torch->gpu.aoti_torch_cuda_baddbmm_out}};
	if (calls[torch->on_gpu][g->batch > 0](t[C], added, t[A], t[B], 1, 1) == 0)
		return 0;
	return mxt_torch_failed(torch, g->batch ? "aten::baddbmm" : "aten::addmm", err);
}

static int multiply(const struct mxt_torch *torch, const struct mxt_gemm *g, struct mxt_tensor *const t[],
		    struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	mxt_push_tensor(&call, t[A]);
	mxt_push_tensor(&call, t[B]);
	mxt_push_tensor(&call, t[C]);
	int rc = mxt_torch_call_run(&call, g->batch ? "aten::bmm" : "aten::mm", "out", 1, err);
	mxt_drop_result(&call);
	return rc;
}

static int run_on(const struct mxt_device *device, const struct mxt_gemm *g, const struct mxt_gemm_operands *o,
		  struct mxt_error *err)
{
	const struct mxt_torch *torch = &device->torch;
	const struct {
		char *data;
		struct mxt_tensor_shape shape;
	} views[TENSORS] = {[A] = {o->a, view_of(g, &(struct layout){g->m, g->k, g->lda, a_elements(g), g->trans_a})},
			    [B] = {o->b, view_of(g, &(struct layout){g->k, g->n, g->ldb, b_elements(g), g->trans_b})},
			    [C] = {o->c, shape_of_c(g)},
			    [BIAS] = {o->bias, {1, {g->n}, {1}}}};
	struct mxt_tensor *tensors[TENSORS] = {NULL};
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < (g->bias ? TENSORS : BIAS); i++)
		rc = mxt_tensor_view(torch, views[i].data, &views[i].shape, torch->dtype[g->dtype], &tensors[i], err);
	if (rc == 0)
		rc = g->bias || g->accumulate ? multiply_and_add(torch, g, tensors, err)
					      : multiply(torch, g, tensors, err);
	for (size_t i = 0; i < TENSORS; i++)
		mxt_tensor_destroy(torch, tensors[i]);
	return rc;
}

/* Nothing is kept between calls. */
static int ready(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	(void)device, (void)task, (void)err;
	return 0;
}

static int run(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	const struct mxt_gemm_operands operands = mxt_torch_gemm_next(device, task);
	return run_on(device, &task->problem.as.gemm, &operands, err);
}

static int view_c(const struct mxt_device *device, const struct mxt_gemm *g, const struct mxt_gemm_operands *o,
		  struct mxt_tensor **ret_c, struct mxt_error *err)
{
	const struct mxt_tensor_shape whole = shape_of_c(g);
	return mxt_tensor_view(&device->torch, o->c, &whole, device->torch.dtype[g->dtype], ret_c, err);
}

int mxt_torch_gemm_spoil(const struct mxt_device *device, const struct mxt_gemm *shape,
			 const struct mxt_gemm_operands *operands, struct mxt_error *err)
{
	struct mxt_tensor *c = NULL;
	int rc = view_c(device, shape, operands, &c, err);
	if (rc == 0)
		rc = mxt_tensor_fill(&device->torch, c, (double)NAN, err);
	mxt_tensor_destroy(&device->torch, c);
	return rc;
}

/* A copy of c, laid out as c. */
static int copy_c(const struct mxt_device *device, const struct mxt_gemm *g, struct mxt_tensor *c,
		  struct mxt_tensor **ret_copy, struct mxt_error *err)
{
	const struct mxt_tensor_shape whole = shape_of_c(g);
	struct mxt_tensor *copy = NULL;
	int rc = mxt_tensor_create(&device->torch, &whole, device->torch.dtype[g->dtype], &copy, err);
	if (rc == 0)
		rc = mxt_tensor_copy(&device->torch, copy, c, err);
	if (rc < 0)
		mxt_tensor_destroy(&device->torch, copy);
	else
		*ret_copy = copy;
	return rc;
}

#define LOOKED_AT 4 /* products of a batch */

/* Product `i` of a batch. */
static struct mxt_gemm_product product_at(const struct mxt_gemm *g, const struct mxt_gemm_operands *o, char *before,
					  int64_t i)
{
	int64_t bytes = mxt_dtype_bytes(g->dtype), c_at = i * c_elements(g) * bytes;
	return (struct mxt_gemm_product){.shape = g,
					 .a = o->a + i * a_elements(g) * bytes,
					 .b = o->b + i * b_elements(g) * bytes,
					 .bias = g->bias ? o->bias : NULL,
					 .before = before ? before + c_at : NULL,
					 .c = o->c + c_at};
}

/* The worst of some products, evenly spaced, the last among them. */
static int judge(const struct mxt_device *device, const struct mxt_gemm *g, const struct mxt_gemm_operands *o,
		 char *before, struct mxt_check *ret_check, struct mxt_error *err)
{
	int64_t count = products(g) < LOOKED_AT ? products(g) : LOOKED_AT;
	double worst = 0;
	blake3_hasher hasher;
	blake3_hasher_init(&hasher);
	for (int64_t n = 1; n <= count; n++) {
		const struct mxt_gemm_product product = product_at(g, o, before, n * products(g) / count - 1);
		double distance = 0;
		uint8_t bits[32];
		int rc = mxt_gemm_product_distance(device, &product, &distance, bits, err);
		if (rc < 0)
			return rc;
		worst = isnan(distance) ? INFINITY : fmax(worst, distance); /* fmax() leaves out what is no number */
		blake3_hasher_update(&hasher, bits, sizeof bits);
	}
	blake3_hasher_finalize(&hasher, ret_check->bits, sizeof ret_check->bits);
	ret_check->error_ppb = mxt_error_ppb(worst);
	ret_check->bound_ppb = mxt_gemm_bound_ppb(g->dtype, g->k);
	return 0;
}

int mxt_torch_gemm_judge(const struct mxt_device *device, const struct mxt_gemm *shape,
			 const struct mxt_gemm_operands *operands, struct mxt_check *ret_check, struct mxt_error *err)
{
	return judge(device, shape, operands, NULL, ret_check, err);
}

/* One check: its operands, and what c held before where the product is added to it. */
struct trial {
	const struct mxt_device *device;
	const struct mxt_gemm *shape;
	struct mxt_gemm_operands operands;
	struct mxt_tensor *c;      /* a view */
	struct mxt_tensor *before; /* NULL: it is overwritten */
	struct mxt_tensor *first;  /* what the first run gave; NULL: nobody asks */
};

static void trial_finish(struct trial *trial)
{
	struct mxt_tensor *const made[] = {trial->c, trial->before, trial->first};
	for (size_t i = 0; i < MXT_ARRAY_LEN(made); i++)
		mxt_tensor_destroy(&trial->device->torch, made[i]);
}

/* What is added to weighs about as much as the product, so that a product alone is far off. */
static int draw_before(struct trial *trial, struct mxt_error *err)
{
	int rc = mxt_tensor_draw(&trial->device->torch, trial->c, sqrt((double)trial->shape->k), err);
	return rc == 0 ? copy_c(trial->device, trial->shape, trial->c, &trial->before, err) : rc;
}

/* From the same start in every run. */
static int trial_run(const struct trial *trial, struct mxt_error *err)
{
	const struct mxt_device *device = trial->device;
	int rc = trial->before ? mxt_tensor_copy(&device->torch, trial->c, trial->before, err)
			       : mxt_torch_gemm_spoil(device, trial->shape, &trial->operands, err);
	return rc == 0 ? run_on(device, trial->shape, &trial->operands, err) : rc;
}

static int trial_judge(const struct trial *trial, struct mxt_check *ret_check, struct mxt_error *err)
{
	struct mxt_tensor_facts facts = {.data = NULL};
	int rc = 0;
	if (trial->before)
		rc = mxt_tensor_look(&trial->device->torch, trial->before, trial->shape->batch ? 3 : 2, &facts, err);
	return rc == 0 ? judge(trial->device, trial->shape, &trial->operands, facts.data, ret_check, err) : rc;
}

static int trial_repeat(struct trial *trial, bool *ret_same, struct mxt_error *err)
{
	const struct mxt_torch *torch = &trial->device->torch;
	bool same = true;
	int rc = copy_c(trial->device, trial->shape, trial->c, &trial->first, err);
	for (int i = 1; rc == 0 && same && i < MXT_CHECK_RUNS; i++) {
		rc = trial_run(trial, err);
		if (rc == 0)
			rc = mxt_tensor_same_bits(torch, trial->c, trial->first, trial->shape->batch ? 3 : 2, &same,
						  err);
	}
	if (rc == 0)
		*ret_same = same;
	return rc;
}

static int check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check, struct mxt_error *err)
{
	const struct mxt_gemm *g = &task->problem.as.gemm;
	struct trial trial = {.device = device, .shape = g, .operands = mxt_torch_gemm_next(device, task)};
	int rc = view_c(device, g, &trial.operands, &trial.c, err);
	if (rc == 0 && g->accumulate)
		rc = draw_before(&trial, err);
	if (rc == 0)
		rc = trial_run(&trial, err);
	if (rc == 0)
		rc = trial_judge(&trial, ret_check, err);
	if (rc == 0 && device->deterministic)
		rc = trial_repeat(&trial, &ret_check->repeatable, err);
	if (device->torch.backend == MXT_TORCH_HIP)
		(void)snprintf(ret_check->backend, sizeof ret_check->backend, "%s",
			       mxt_torch_blas_library(&device->torch));
	trial_finish(&trial);
	return rc;
}

int mxt_torch_gemm_prepare(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	static const struct mxt_torch_task_ops ops = {ready, run, check, NULL};
	const struct mxt_gemm *g = &task->problem.as.gemm;
	if (g->accumulate && g->bias)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
				     "no call of torch adds a product to its output and to a bias");
	task->ops = &ops;
	task->input_bytes = part_bytes(g, a_elements(g)) + part_bytes(g, b_elements(g)) +
			    mxt_torch_part((size_t)g->n * mxt_dtype_bytes(g->dtype));
	task->output_bytes = part_bytes(g, c_elements(g));
	return mxt_torch_reserve(device, task, err);
}
