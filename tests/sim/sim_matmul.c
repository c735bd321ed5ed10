/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_matmul.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_call.h"
#include "sim_product.h"
#include "sim_runtime.h"
#include "sim_scenario.h"
#include "sim_torch.h"
#include "sim_vendor.h"
#include "torch_context.h"

/* Without a workspace of its own for every stream cuBLAS may add up in another order. */
static int check_repeatable(const struct mxt_sim_matmul *matmul)
{
	const char *workspace = getenv("CUBLAS_WORKSPACE_CONFIG");
	if (!mxt_sim_is_deterministic() || matmul->a->place != MXT_SIM_CUDA || mxt_sim_vendor.hip)
		return 0;
	if (workspace && (strcmp(workspace, ":4096:8") == 0 || strcmp(workspace, ":16:8") == 0))
		return 0;
	return mxt_sim_raise("Deterministic behavior was enabled, but this operation is not deterministic because it "
			     "uses CuBLAS; set CUBLAS_WORKSPACE_CONFIG=:4096:8 or :16:8");
}

/* Two dimensions, or three of which the first is a batch. */
static int check(const struct mxt_sim_matmul *matmul)
{
	const struct mxt_sim_tensor *a = matmul->a, *b = matmul->b, *out = matmul->out;
	if (!a || !b || !out || (a->ndim != 2 && a->ndim != 3) || b->ndim != a->ndim || out->ndim != a->ndim)
		return mxt_sim_raise("mat1 and mat2 must be matrices");
	int64_t last = a->ndim - 1;
	if (a->dtype != b->dtype || a->dtype != out->dtype)
		return mxt_sim_raise("expected mat1 and mat2 to have the same dtype");
	if (a->place != b->place || a->place != out->place)
		return mxt_sim_raise("Expected all tensors to be on the same device");
	if (a->sizes[last] != b->sizes[last - 1] || (last == 2 && a->sizes[0] != b->sizes[0]))
		return mxt_sim_raise("mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
				     (long long)a->sizes[last - 1], (long long)a->sizes[last],
				     (long long)b->sizes[last - 1], (long long)b->sizes[last]);
	if (out->sizes[last] != b->sizes[last] || out->sizes[last - 1] != a->sizes[last - 1])
		return mxt_sim_raise("the output does not have the shape of the product");
	return 0;
}

static int begin(const struct mxt_sim_matmul *matmul, const struct mxt_sim_product *product, int64_t batch,
		 unsigned *ret_effects)
{
	enum mxt_sim_blas blas = matmul->a->place == MXT_SIM_CPU ? MXT_SIM_CUBLAS : mxt_sim_context_blas();
	char site[32] = "mm.cpu";
	if (matmul->a->place != MXT_SIM_CPU)
		(void)snprintf(site, sizeof site, "mm.%s", mxt_sim_vendor.blas[blas]);
	const struct mxt_sim_work work = {
	    .site = site,
	    .place = matmul->a->place,
	    .cost = mxt_sim_scenario()->mm[blas],
	    .flops = 2.0 * (double)(batch * product->m) * (double)product->n * (double)product->k,
	    .bytes = mxt_sim_bytes(matmul->a) + mxt_sim_bytes(matmul->b) + mxt_sim_bytes(matmul->out),
	    .dims = {product->n, product->m, product->k}, /* as the library sees it: column-major */
	    .shape = mxt_sim_shape(mxt_sim_shape(mxt_sim_hash(MXT_SIM_HASH_START, site, strlen(site)), matmul->a),
				   matmul->b)};
	return mxt_sim_begin(&work, ret_effects);
}

/* beta * self, a matrix or a row of it, is added to alpha * numbers. */
static void add_self(const struct mxt_sim_matmul *matmul, double *numbers, int64_t count)
{
	double *self = matmul->self && matmul->beta != 0 ? mxt_sim_read(matmul->self) : NULL;
	int64_t self_count = self ? mxt_sim_count(matmul->self) : 1;
	for (int64_t i = 0; i < count; i++)
		numbers[i] = matmul->alpha * numbers[i] + (self ? matmul->beta * self[i % self_count] : 0);
	free(self);
}

int mxt_sim_matmul_run(const struct mxt_sim_matmul *matmul)
{
	unsigned effects;
	if (check(matmul) || check_repeatable(matmul))
		return 1;
	int64_t last = matmul->a->ndim - 1, batch = last == 2 ? matmul->a->sizes[0] : 1;
	const struct mxt_sim_product product = {matmul->a->sizes[last - 1], matmul->b->sizes[last],
						matmul->a->sizes[last]};
	int64_t count = batch * product.m * product.n;
	if (matmul->self && (matmul->self->sizes[matmul->self->ndim - 1] != product.n ||
			     mxt_sim_count(matmul->self) == 0 || count % mxt_sim_count(matmul->self) != 0))
		return mxt_sim_raise("the size of self does not fit the product");
	if (begin(matmul, &product, batch, &effects))
		return 1;
	double *a = mxt_sim_read(matmul->a), *b = mxt_sim_read(matmul->b);
	double *c = mxt_sim_memory((size_t)count, sizeof *c);
	for (int64_t i = 0; i < batch; i++)
		mxt_sim_product_run(&product, a + i * product.m * product.k, b + i * product.k * product.n,
				    c + i * product.m * product.n);
	add_self(matmul, c, count);
	mxt_sim_spoil(c, (size_t)count, effects);
	mxt_sim_write(matmul->out, c);
	free(a);
	free(b);
	free(c);
	return 0;
}
