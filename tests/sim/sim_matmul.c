/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_matmul.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_call.h"
#include "sim_gemm.h"
#include "sim_product.h"
#include "sim_runtime.h"
#include "sim_scenario.h"
#include "sim_torch.h"
#include "sim_vendor.h"

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

/* What a BLAS library is asked for: it takes a row-major product for a column-major one, turned. */
static struct mxt_sim_gemm gemm_of(const struct mxt_sim_matmul *matmul, const struct mxt_sim_product *product,
				   int64_t batch)
{
	const struct mxt_sim_tensor *a = matmul->b, *b = matmul->a;
	int64_t last = a->ndim - 1;
	bool ta = a->strides[last] != 1, tb = b->strides[last] != 1;
	return (struct mxt_sim_gemm){.ta = ta,
				     .tb = tb,
				     .m = product->n,
				     .n = product->m,
				     .k = product->k,
				     .batch = batch,
				     .lda = a->strides[ta ? last : last - 1],
				     .ldb = b->strides[tb ? last : last - 1],
				     .ldd = matmul->out->strides[last - 1],
				     .dtype = a->dtype};
}

/* A row that is added goes into the product's own kernel. */
static bool has_bias(const struct mxt_sim_matmul *matmul)
{
	return matmul->self && matmul->self->ndim == 1 && matmul->beta != 0;
}

/* The site of a product on the device and its cost; what pins a solution has it as the last word. */
static int take_route(const struct mxt_sim_matmul *matmul, const struct mxt_sim_gemm *gemm, char site[static 48],
		      struct mxt_sim_cost *ret_cost)
{
	struct mxt_sim_route route;
	if (mxt_sim_gpu_route(gemm, has_bias(matmul), &route))
		return 1;
	int len = snprintf(site, 48, "mm.%s", mxt_sim_vendor.blas[route.blas]);
	if (route.is_pinned && len > 0)
		(void)snprintf(site + len, 48 - (size_t)len, ".%d", route.index);
	*ret_cost = mxt_sim_scenario()->mm[route.blas];
	ret_cost->fixed_ns *= route.factor;
	ret_cost->flops_per_s /= route.factor;
	return 0;
}

static int begin(const struct mxt_sim_matmul *matmul, const struct mxt_sim_product *product, int64_t batch,
		 unsigned *ret_effects)
{
	struct mxt_sim_gemm gemm = gemm_of(matmul, product, batch);
	struct mxt_sim_cost cost = mxt_sim_scenario()->mm[MXT_SIM_CUBLAS];
	char site[48] = "mm.cpu";
	if (matmul->a->place != MXT_SIM_CPU && take_route(matmul, &gemm, site, &cost))
		return 1;
	const struct mxt_sim_work work = {
	    .site = site,
	    .place = matmul->a->place,
	    .cost = cost,
	    .dims = {gemm.m, gemm.n, gemm.k},
	    .flops = 2.0 * (double)(batch * product->m) * (double)product->n * (double)product->k,
	    .bytes = mxt_sim_bytes(matmul->a) + mxt_sim_bytes(matmul->b) + mxt_sim_bytes(matmul->out),
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
