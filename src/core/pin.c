/* SPDX-License-Identifier: Apache-2.0 */
#include "pin.h"

#include <errno.h>
#include <string.h>

#include "json.h"

static int64_t integer_or(const json_t *object, const char *key, int64_t omitted)
{
	const json_t *value = json_object_get(object, key);
	return value ? json_integer_value(value) : omitted;
}

static bool flag(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* MXT_DTYPE_COUNT when there is none of that name. */
static enum mxt_dtype dtype_of(const char *name)
{
	int dtype = 0;
	while (dtype < MXT_DTYPE_COUNT && strcmp(mxt_dtype_name((enum mxt_dtype)dtype), name) != 0)
		dtype++;
	return (enum mxt_dtype)dtype;
}

static struct mxt_gemm product_of(const json_t *json)
{
	struct mxt_gemm product = {.m = mxt_json_integer(json, "m"),
				   .n = mxt_json_integer(json, "n"),
				   .k = mxt_json_integer(json, "k"),
				   .trans_a = flag(json, "trans_a"),
				   .trans_b = flag(json, "trans_b"),
				   .accumulate = flag(json, "accumulate"),
				   .bias = flag(json, "bias"),
				   .batch = (int32_t)mxt_json_integer(json, "batch"),
				   .dtype = dtype_of(mxt_json_text(json, "dtype"))};
	product.lda = integer_or(json, "lda", product.trans_a ? product.m : product.k);
	product.ldb = integer_or(json, "ldb", product.trans_b ? product.k : product.n);
	product.ldc = integer_or(json, "ldc", product.n);
	return product;
}

int mxt_pin_read(const json_t *json, struct mxt_pin *ret_pin)
{
	const json_t *description = json_object_get(json, "problem");
	const struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .as.gemm = product_of(description)};
	if (mxt_problem_validate(&problem) < 0)
		return -EINVAL;
	MXT_CLEANUP_JSON json_t *canonical = mxt_problem_json(&problem);
	if (!canonical)
		return -ENOMEM;
	if (!json_equal(canonical, description))
		return -EINVAL;
	*ret_pin = (struct mxt_pin){problem.as.gemm, (int32_t)mxt_json_integer(json, "solution")};
	return 0;
}

struct mxt_blas_call mxt_blas_call(const struct mxt_gemm *product)
{
	return (struct mxt_blas_call){.trans_a = product->trans_b,
				      .trans_b = product->trans_a,
				      .m = product->n,
				      .n = product->m,
				      .k = product->k,
				      .lda = product->ldb,
				      .ldb = product->lda,
				      .ldc = product->ldc,
				      .batch = product->batch > 0 ? product->batch : 1};
}
