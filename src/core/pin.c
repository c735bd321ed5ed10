/* SPDX-License-Identifier: Apache-2.0 */
#include "pin.h"

#include <errno.h>

#include "json.h"
#include "problem_json.h"

int mxt_pin_read(const json_t *json, struct mxt_pin *ret_pin)
{
	const json_t *description = json_object_get(json, "problem");
	const struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .as.gemm = mxt_gemm_of_json(description)};
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
