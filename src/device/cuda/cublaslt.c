/* SPDX-License-Identifier: Apache-2.0 */
#include "cublaslt.h"

#include <errno.h>

#include "error.h"
#include "json.h"
#include "loaded_libraries.h"
#include "torch_device.h"

#define SUCCESS 0

static const struct mxt_dl_row rows[] = {
#define MXT_CUBLASLT_SYMBOL(type, symbol, arguments, required, since)                                                  \
	MXT_DL_ROW(struct mxt_cublaslt_calls, symbol, required, since)
#include "cublaslt.def"
#undef MXT_CUBLASLT_SYMBOL
};

static int failed(const struct mxt_cublaslt *lt, int status, int rc, const char *what, struct mxt_error *err)
{
	const char *text = lt->call.cublasLtGetStatusString ? lt->call.cublasLtGetStatusString(status) : "status";
	return mxt_error_set(err, rc, MXT_E_CUBLASLT_CALL, "cuBLASLt cannot %s: %s (%d)", what, text, status);
}

/* By the path of what is loaded: the loader's folders may hold another one of the same name. */
static int load(struct mxt_cublaslt *lt, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *loaded = mxt_loaded_libraries();
	const char *const names[] = {json_string_value(json_object_get(loaded, "cublaslt")), NULL};
	const struct mxt_dl_library library = {
	    .title = "cuBLASLt", .names = names, .rows = rows, .n_rows = MXT_ARRAY_LEN(rows), .global = false};
	if (!loaded)
		return mxt_error_oom(err);
	if (!names[0])
		return mxt_error_set(err, -ENOSYS, MXT_E_LIBRARY_ABSENT, "torch did not load cuBLASLt");
	return mxt_dl_open(&library, &lt->call, &lt->library, err);
}

int mxt_cublaslt_open(struct mxt_cublaslt *ret_lt, struct mxt_error *err)
{
	struct mxt_cublaslt lt = {.handle = NULL};
	int rc = load(&lt, err);
	if (rc < 0)
		return rc;
	int status = lt.call.cublasLtCreate(&lt.handle);
	if (status != SUCCESS) {
		rc = failed(&lt, status, -EIO, "be used on this device", err);
		mxt_dl_close(&lt.library);
		return rc;
	}
	lt.version = lt.call.cublasLtGetVersion();
	*ret_lt = lt;
	return 0;
}

void mxt_cublaslt_close(struct mxt_cublaslt *lt)
{
	if (lt->handle)
		(void)lt->call.cublasLtDestroy(lt->handle);
	mxt_dl_close(&lt->library);
	*lt = (struct mxt_cublaslt){.handle = NULL};
}

/* ---- a product ---- */

static int type_of(enum mxt_dtype dtype)
{
	static const int types[] = {
	    [MXT_DTYPE_F32] = MXT_LT_R_32F, [MXT_DTYPE_BF16] = MXT_LT_R_16BF, [MXT_DTYPE_F16] = MXT_LT_R_16F};
	return types[dtype];
}

/*
 * A row-major matrix is its transpose to a column-major library, so what is computed is c' = b' a': the right operand
 * comes first, and an operand that torch does not transpose is not transposed here. Rows and columns are those of the
 * stored, row-major matrix.
 */
static int create_layout(const struct mxt_cublaslt *lt, struct mxt_lt_layout **ret_layout, enum mxt_dtype dtype,
			 int64_t stored_rows, int64_t columns, int64_t ld)
{
	return lt->call.cublasLtMatrixLayoutCreate(ret_layout, type_of(dtype), (uint64_t)columns, (uint64_t)stored_rows,
						   ld);
}

static int create_layouts(struct mxt_lt_product *p, const struct mxt_gemm *g)
{
	int status =
	    create_layout(p->lt, &p->left, g->dtype, g->trans_b ? g->n : g->k, g->trans_b ? g->k : g->n, g->ldb);
	if (status == SUCCESS)
		status = create_layout(p->lt, &p->right, g->dtype, g->trans_a ? g->k : g->m, g->trans_a ? g->m : g->k,
				       g->lda);
	if (status == SUCCESS)
		status = create_layout(p->lt, &p->out, g->dtype, g->m, g->n, g->ldc);
	return status;
}

static int set(const struct mxt_lt_product *p, int attribute, int32_t value)
{
	return p->lt->call.cublasLtMatmulDescSetAttribute(p->description, attribute, &value, sizeof value);
}

static int point_to_bias(const struct mxt_lt_product *p, const char *bias)
{
	return p->lt->call.cublasLtMatmulDescSetAttribute(p->description, MXT_LT_DESC_BIAS_POINTER, &bias, sizeof bias);
}

/* The heuristic looks at how the bias is aligned, so it is told of one before it is asked. */
static int create_description(struct mxt_lt_product *p, const struct mxt_gemm *g, const char *bias)
{
	int status = p->lt->call.cublasLtMatmulDescCreate(&p->description, MXT_LT_COMPUTE_32F, MXT_LT_R_32F);
	if (status == SUCCESS && g->trans_b)
		status = set(p, MXT_LT_DESC_TRANSA, MXT_LT_TRANSPOSED);
	if (status == SUCCESS && g->trans_a)
		status = set(p, MXT_LT_DESC_TRANSB, MXT_LT_TRANSPOSED);
	if (status == SUCCESS && g->bias)
		status = set(p, MXT_LT_DESC_EPILOGUE, MXT_LT_EPILOGUE_BIAS);
	if (status == SUCCESS && g->bias)
		status = point_to_bias(p, bias);
	return status;
}

/* That operands lie on 256-byte lines, as torch's do, is the library's assumption unless it is told otherwise. */
static int create_preference(struct mxt_lt_product *p, uint64_t workspace_bytes)
{
	const struct mxt_cublaslt_calls *call = &p->lt->call;
	int status = call->cublasLtMatmulPreferenceCreate(&p->preference);
	if (status == SUCCESS)
		status = call->cublasLtMatmulPreferenceSetAttribute(p->preference, MXT_LT_PREF_MAX_WORKSPACE_BYTES,
								    &workspace_bytes, sizeof workspace_bytes);
	return status;
}

int mxt_lt_product_init(struct mxt_lt_product *product, const struct mxt_cublaslt *lt, const struct mxt_gemm *shape,
			const struct mxt_gemm_operands *operands, size_t workspace_bytes, struct mxt_error *err)
{
	*product = (struct mxt_lt_product){.lt = lt, .bias = shape->bias};
	int status = create_layouts(product, shape);
	if (status == SUCCESS)
		status = create_description(product, shape, operands->bias);
	if (status == SUCCESS)
		status = create_preference(product, workspace_bytes);
	if (status == SUCCESS)
		return 0;
	mxt_lt_product_finish(product);
	return failed(lt, status, -EIO, "describe a product", err);
}

void mxt_lt_product_finish(struct mxt_lt_product *product)
{
	const struct mxt_cublaslt_calls *call = &product->lt->call;
	struct mxt_lt_layout *const layouts[] = {product->left, product->right, product->out};
	for (size_t i = 0; i < MXT_ARRAY_LEN(layouts); i++)
		if (layouts[i])
			(void)call->cublasLtMatrixLayoutDestroy(layouts[i]);
	if (product->description)
		(void)call->cublasLtMatmulDescDestroy(product->description);
	if (product->preference)
		(void)call->cublasLtMatmulPreferenceDestroy(product->preference);
}

int mxt_lt_product_choices(const struct mxt_lt_product *product, struct mxt_lt_choice *ret_choices, size_t max,
			   size_t *ret_count, struct mxt_error *err)
{
	int found = 0;
	int status = product->lt->call.cublasLtMatmulAlgoGetHeuristic(
	    product->lt->handle, product->description, product->left, product->right, product->out, product->out,
	    product->preference, (int)max, ret_choices, &found);
	if (status != SUCCESS)
		return failed(product->lt, status, -ENOTSUP, "rank algorithms for this product", err);
	size_t count = 0;
	for (int i = 0; i < found && i < (int)max; i++)
		if (ret_choices[i].status == SUCCESS)
			ret_choices[count++] = ret_choices[i];
	if (count == 0)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
				     "cuBLASLt names no algorithm for this product");
	*ret_count = count;
	return 0;
}

int mxt_lt_product_run(const struct mxt_lt_product *product, const struct mxt_gemm_operands *operands,
		       const struct mxt_lt_choice *choice, void *workspace, struct mxt_error *err)
{
	const float alpha = 1, beta = 0;
	int status = product->bias ? point_to_bias(product, operands->bias) : SUCCESS;
	if (status == SUCCESS)
		status = product->lt->call.cublasLtMatmul(product->lt->handle, product->description, &alpha,
							  operands->b, product->left, operands->a, product->right,
							  &beta, operands->c, product->out, operands->c, product->out,
							  &choice->algorithm, workspace, choice->workspace_bytes, NULL);
	return status == SUCCESS ? 0 : failed(product->lt, status, -ENOTSUP, "run an algorithm that it offered", err);
}
