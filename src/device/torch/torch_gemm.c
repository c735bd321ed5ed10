/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products through torch's own calls: mm, and addmm where there is a bias.
 */
#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "error_bound.h"
#include "gemm_distance.h"
#include "torch_call.h"
#include "torch_device.h"
#include "torch_tensor.h"

static size_t a_bytes(const struct mxt_gemm *g)
{
	return mxt_torch_part((size_t)((g->trans_a ? g->k : g->m) * g->lda) * mxt_dtype_bytes(g->dtype));
}

static size_t b_bytes(const struct mxt_gemm *g)
{
	return mxt_torch_part((size_t)((g->trans_b ? g->n : g->k) * g->ldb) * mxt_dtype_bytes(g->dtype));
}

struct mxt_gemm_operands mxt_torch_gemm_next(struct mxt_device *device, const struct mxt_task *task)
{
	const struct mxt_gemm *g = &task->problem.as.gemm;
	char *a = mxt_torch_arena_next(&device->inputs[g->dtype], task->input_bytes);
	char *b = a + a_bytes(g);
	return (struct mxt_gemm_operands){a, b, b + b_bytes(g),
					  mxt_torch_arena_next(&device->outputs[g->dtype], task->output_bytes)};
}

static struct mxt_tensor_shape matrix(int64_t rows, int64_t columns, int64_t ld, bool transposed)
{
	return (struct mxt_tensor_shape){2, {rows, columns}, {transposed ? 1 : ld, transposed ? ld : 1}};
}

static int multiply(const struct mxt_torch *torch, struct mxt_tensor *const t[4], bool bias, struct mxt_error *err)
{
	enum { A, B, C, BIAS };
	if (bias) {
		int32_t (*addmm)(struct mxt_tensor *, struct mxt_tensor *, struct mxt_tensor *, struct mxt_tensor *,
				 double, double) =
		    torch->on_cuda ? torch->cuda.aoti_torch_cuda_addmm_out : torch->call.aoti_torch_cpu_addmm_out;
		return addmm(t[C], t[BIAS], t[A], t[B], 1, 1) == 0 ? 0 : mxt_torch_failed(torch, "aten::addmm", err);
	}
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	mxt_push_tensor(&call, t[A]);
	mxt_push_tensor(&call, t[B]);
	mxt_push_tensor(&call, t[C]);
	int rc = mxt_torch_call_run(&call, "aten::mm", "out", 1, err);
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
	} views[] = {{o->a, matrix(g->m, g->k, g->lda, g->trans_a)},
		     {o->b, matrix(g->k, g->n, g->ldb, g->trans_b)},
		     {o->c, matrix(g->m, g->n, g->ldc, false)},
		     {o->bias, {1, {g->n}, {1}}}};
	struct mxt_tensor *tensors[MXT_ARRAY_LEN(views)] = {NULL};
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(views) - (g->bias ? 0 : 1); i++)
		rc = mxt_tensor_view(torch, views[i].data, &views[i].shape, torch->dtype[g->dtype], &tensors[i], err);
	if (rc == 0)
		rc = multiply(torch, tensors, g->bias, err);
	for (size_t i = 0; i < MXT_ARRAY_LEN(views); i++)
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

int mxt_torch_gemm_spoil(const struct mxt_device *device, const struct mxt_gemm *shape,
			 const struct mxt_gemm_operands *operands, struct mxt_error *err)
{
	struct mxt_tensor *c = NULL;
	const struct mxt_tensor_shape whole = matrix(shape->m, shape->n, shape->ldc, false);
	int rc = mxt_tensor_view(&device->torch, operands->c, &whole, device->torch.dtype[shape->dtype], &c, err);
	if (rc == 0)
		rc = mxt_tensor_fill(&device->torch, c, (double)NAN, err);
	mxt_tensor_destroy(&device->torch, c);
	return rc;
}

int mxt_torch_gemm_judge(const struct mxt_device *device, const struct mxt_gemm *shape,
			 const struct mxt_gemm_operands *operands, struct mxt_check *ret_check, struct mxt_error *err)
{
	const struct mxt_gemm_product product = {shape, operands->a, operands->b, shape->bias ? operands->bias : NULL,
						 operands->c};
	double distance = 0;
	int rc = mxt_gemm_product_distance(device, &product, &distance, ret_check->bits, err);
	ret_check->error_ppb = mxt_error_ppb(distance);
	ret_check->bound_ppb = mxt_gemm_bound_ppb(shape->dtype, shape->k);
	return rc;
}

static int check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check, struct mxt_error *err)
{
	const struct mxt_gemm *g = &task->problem.as.gemm;
	const struct mxt_gemm_operands o = mxt_torch_gemm_next(device, task);
	int rc = mxt_torch_gemm_spoil(device, g, &o, err);
	if (rc == 0)
		rc = run_on(device, g, &o, err);
	return rc < 0 ? rc : mxt_torch_gemm_judge(device, g, &o, ret_check, err);
}

int mxt_torch_gemm_prepare(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	static const struct mxt_torch_task_ops ops = {ready, run, check, NULL};
	const struct mxt_gemm *g = &task->problem.as.gemm;
	task->ops = &ops;
	task->input_bytes = a_bytes(g) + b_bytes(g) + mxt_torch_part((size_t)g->n * mxt_dtype_bytes(g->dtype));
	task->output_bytes = mxt_torch_part((size_t)(g->m * g->ldc) * mxt_dtype_bytes(g->dtype));
	return mxt_torch_reserve(device, task, err);
}
