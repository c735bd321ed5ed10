/* SPDX-License-Identifier: Apache-2.0 */
#include "rocblas_api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "loaded_libraries.h"
#include "torch_device.h"

static const struct mxt_dl_row rows[] = {
#define MXT_ROCBLAS_SYMBOL(type, symbol, arguments, required, since)                                                   \
	MXT_DL_ROW(struct mxt_rocblas_calls, symbol, required, since)
#include "rocblas.def"
#undef MXT_ROCBLAS_SYMBOL
};

static int refused(const struct mxt_rocblas *rocblas, int status, int rc, const char *what, struct mxt_error *err)
{
	const char *(*text)(int) = rocblas->call.rocblas_status_to_string;
	return mxt_error_set(err, rc, MXT_E_ROCBLAS_CALL, "rocBLAS cannot %s: %s (%d)", what,
			     text ? text(status) : "status", status);
}

static int set_up(struct mxt_rocblas *rocblas, bool deterministic)
{
	char version[MXT_ROCBLAS_TEXT - sizeof "rocBLAS "] = "";
	int status = rocblas->call.rocblas_create_handle(&rocblas->handle);
	if (status == 0 && rocblas->call.rocblas_set_atomics_mode)
		status = rocblas->call.rocblas_set_atomics_mode(rocblas->handle, deterministic ? MXT_ROCBLAS_NO_ATOMICS
											       : MXT_ROCBLAS_ATOMICS);
	if (status == 0)
		status = rocblas->call.rocblas_get_version_string(version, sizeof version - 1); /* ended */
	(void)snprintf(rocblas->version, sizeof rocblas->version, "rocBLAS %s", version);
	return status;
}

int mxt_rocblas_open(struct mxt_rocblas *ret_rocblas, bool deterministic, struct mxt_error *err)
{
	struct mxt_rocblas rocblas = {.handle = NULL};
	int rc = mxt_loaded_library_open("rocblas", "rocBLAS", rows, MXT_ARRAY_LEN(rows), &rocblas.call,
					 &rocblas.library, err);
	if (rc < 0)
		return rc;
	int status = set_up(&rocblas, deterministic);
	if (status != 0) {
		rc = refused(&rocblas, status, -EIO, "be used on this device", err);
		mxt_rocblas_close(&rocblas);
		return rc;
	}
	*ret_rocblas = rocblas;
	return 0;
}

void mxt_rocblas_close(struct mxt_rocblas *rocblas)
{
	if (rocblas->handle)
		(void)rocblas->call.rocblas_destroy_handle(rocblas->handle);
	mxt_dl_close(&rocblas->library);
	*rocblas = (struct mxt_rocblas){.handle = NULL};
}

int mxt_rocblas_use_workspace(const struct mxt_rocblas *rocblas, void *workspace, size_t bytes, struct mxt_error *err)
{
	if (!rocblas->call.rocblas_set_workspace)
		return 0;
	int status = rocblas->call.rocblas_set_workspace(rocblas->handle, workspace, bytes);
	return status == 0 ? 0 : refused(rocblas, status, -EIO, "take a workspace", err);
}

/* ---- a product ---- */

static const int types[] = {
    [MXT_DTYPE_F32] = MXT_ROCBLAS_F32, [MXT_DTYPE_BF16] = MXT_ROCBLAS_BF16, [MXT_DTYPE_F16] = MXT_ROCBLAS_F16};

/*
 * To a column-major library the product is c' = b' a': the right operand comes first, and rows are columns. Sizes are
 * 32 bits wide.
 */
struct call {
	int trans_left, trans_right, type;
	int32_t m, n, k, ld_left, ld_right, ld_out;
};

static int describe(const struct mxt_gemm *g, struct call *ret_call, struct mxt_error *err)
{
	const int64_t sizes[] = {g->m, g->n, g->k, g->lda, g->ldb, g->ldc};
	if (g->bias)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED, "rocBLAS adds no bias to a product");
	for (size_t i = 0; i < MXT_ARRAY_LEN(sizes); i++)
		if (sizes[i] > INT32_MAX)
			return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
					     "the product is too large for rocBLAS's 32-bit sizes");
	*ret_call = (struct call){.trans_left = g->trans_b ? MXT_ROCBLAS_TRANSPOSED : MXT_ROCBLAS_PLAIN,
				  .trans_right = g->trans_a ? MXT_ROCBLAS_TRANSPOSED : MXT_ROCBLAS_PLAIN,
				  .type = types[g->dtype],
				  .m = (int32_t)g->n,
				  .n = (int32_t)g->m,
				  .k = (int32_t)g->k,
				  .ld_left = (int32_t)g->ldb,
				  .ld_right = (int32_t)g->lda,
				  .ld_out = (int32_t)g->ldc};
	return 0;
}

static const float alpha = 1, beta = 0;

/* items NULL: tells how many there are. Else *count is their room, and newer releases say how many they filled. */
static int ask(const struct mxt_rocblas *rocblas, const struct call *c, const struct mxt_gemm_operands *o,
	       int32_t *items, int32_t *count, struct mxt_error *err)
{
	int status = rocblas->call.rocblas_gemm_ex_get_solutions(
	    rocblas->handle, c->trans_left, c->trans_right, c->m, c->n, c->k, &alpha, o->b, c->type, c->ld_left, o->a,
	    c->type, c->ld_right, &beta, o->c, c->type, c->ld_out, o->c, c->type, c->ld_out, MXT_ROCBLAS_F32,
	    MXT_ROCBLAS_SOLUTION, 0, items, count);
	return status == 0 ? 0 : refused(rocblas, status, -ENOTSUP, "list solutions for this product", err);
}

int mxt_rocblas_list(const struct mxt_rocblas *rocblas, const struct mxt_gemm *shape,
		     const struct mxt_gemm_operands *operands, struct mxt_rocblas_solutions *ret_solutions,
		     struct mxt_error *err)
{
	struct call call = {.type = 0};
	int32_t room = 0, count = 0;
	int rc = describe(shape, &call, err);
	if (rc == 0 && !rocblas->call.rocblas_gemm_ex_get_solutions)
		rc = mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED, "%s lists no solutions", rocblas->version);
	if (rc == 0)
		rc = ask(rocblas, &call, operands, NULL, &room, err);
	if (rc == 0 && room <= 0)
		rc = mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
				   "rocBLAS lists no solution for this product");
	if (rc < 0)
		return rc;
	int32_t *items = calloc((size_t)room + 1, sizeof *items);
	if (!items)
		return mxt_error_oom(err);
	count = room;
	rc = ask(rocblas, &call, operands, items, &count, err);
	if (rc < 0) {
		free(items);
		return rc;
	}
	*ret_solutions = (struct mxt_rocblas_solutions){items, (size_t)(count > 0 && count < room ? count : room)};
	return 0;
}

void mxt_rocblas_solutions_finish(struct mxt_rocblas_solutions *solutions)
{
	free(solutions->items);
	*solutions = (struct mxt_rocblas_solutions){NULL, 0};
}

int mxt_rocblas_run(const struct mxt_rocblas *rocblas, const struct mxt_gemm *shape,
		    const struct mxt_gemm_operands *operands, const int32_t *solution, struct mxt_error *err)
{
	struct call c = {.type = 0};
	const struct mxt_gemm_operands *o = operands;
	int rc = describe(shape, &c, err);
	if (rc < 0)
		return rc;
	int status = rocblas->call.rocblas_gemm_ex(
	    rocblas->handle, c.trans_left, c.trans_right, c.m, c.n, c.k, &alpha, o->b, c.type, c.ld_left, o->a, c.type,
	    c.ld_right, &beta, o->c, c.type, c.ld_out, o->c, c.type, c.ld_out, MXT_ROCBLAS_F32,
	    solution ? MXT_ROCBLAS_SOLUTION : MXT_ROCBLAS_STANDARD, solution ? *solution : 0, 0);
	return status == 0 ? 0 : refused(rocblas, status, -ENOTSUP, "run a solution that it listed", err);
}
