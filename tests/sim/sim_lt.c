/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_lt.h"

#include <stdlib.h>
#include <string.h>

#include "sim_number.h"

struct mxt_sim_lt *mxt_sim_lt_new(void)
{
	return calloc(1, sizeof(struct mxt_sim_lt));
}

bool mxt_sim_lt_set(struct mxt_sim_lt *some, int attribute, const void *value, size_t bytes)
{
	if (!some || !value || attribute < 0 || attribute >= MXT_SIM_LT_ATTRIBUTES || bytes > sizeof some->values[0])
		return false;
	memset(some->values[attribute], 0, sizeof some->values[0]);
	memcpy(some->values[attribute], value, bytes);
	return true;
}

int64_t mxt_sim_lt_get(const struct mxt_sim_lt *some, int attribute)
{
	int64_t value;
	memcpy(&value, some->values[attribute], sizeof value);
	return value;
}

struct mxt_sim_lt *mxt_sim_lt_layout(const struct mxt_sim_lt_dialect *dialect, int type, uint64_t rows, uint64_t cols,
				     int64_t ld)
{
	struct mxt_sim_lt *layout = mxt_sim_lt_new();
	(void)(mxt_sim_lt_set(layout, dialect->type, &type, sizeof type) &&
	       mxt_sim_lt_set(layout, dialect->rows, &rows, sizeof rows) &&
	       mxt_sim_lt_set(layout, dialect->cols, &cols, sizeof cols) &&
	       mxt_sim_lt_set(layout, dialect->ld, &ld, sizeof ld));
	return layout;
}

/* cudaDataType_t's numbers, which are hipDataType's, to those of torch; 0 for what is not simulated. */
static int32_t dtype_of(const struct mxt_sim_lt_dialect *dialect, const struct mxt_sim_lt *layout)
{
	static const struct {
		int64_t type;
		int32_t dtype;
	} types[] = {{0, MXT_SIM_FLOAT32}, {1, MXT_SIM_FLOAT64}, {2, MXT_SIM_FLOAT16}, {14, MXT_SIM_BFLOAT16}};
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].type == mxt_sim_lt_get(layout, dialect->type))
			return types[i].dtype;
	return 0;
}

/* An operation that was never set is none. */
static bool is_transposed(const struct mxt_sim_lt_dialect *dialect, const struct mxt_sim_lt *desc, int attribute)
{
	int64_t operation = mxt_sim_lt_get(desc, attribute);
	return operation != 0 && operation != dialect->not_transposed;
}

int mxt_sim_lt_describe(const struct mxt_sim_lt_dialect *dialect, const struct mxt_sim_lt_call *call,
			struct mxt_sim_gemm *ret_gemm)
{
	const struct mxt_sim_lt *a = call->a_layout, *b = call->b_layout, *d = call->d_layout;
	bool ta = is_transposed(dialect, call->desc, dialect->transa);
	bool tb = is_transposed(dialect, call->desc, dialect->transb);
	int64_t batch = mxt_sim_lt_get(d, dialect->batch_count);
	const struct mxt_sim_gemm gemm = {.ta = ta,
					  .tb = tb,
					  .m = mxt_sim_lt_get(d, dialect->rows),
					  .n = mxt_sim_lt_get(d, dialect->cols),
					  .k = mxt_sim_lt_get(a, ta ? dialect->rows : dialect->cols),
					  .batch = batch > 0 ? batch : 1,
					  .lda = mxt_sim_lt_get(a, dialect->ld),
					  .ldb = mxt_sim_lt_get(b, dialect->ld),
					  .ldd = mxt_sim_lt_get(d, dialect->ld),
					  .dtype = dtype_of(dialect, a)};
	if (mxt_sim_lt_get(a, ta ? dialect->cols : dialect->rows) != gemm.m ||
	    mxt_sim_lt_get(b, tb ? dialect->rows : dialect->cols) != gemm.n ||
	    mxt_sim_lt_get(b, tb ? dialect->cols : dialect->rows) != gemm.k)
		return dialect->invalid;
	if (!gemm.dtype || gemm.dtype != dtype_of(dialect, b) || !dtype_of(dialect, d))
		return dialect->not_supported;
	*ret_gemm = gemm;
	return 0;
}

int mxt_sim_lt_run(const struct mxt_sim_lt_dialect *dialect, const struct mxt_sim_lt_call *call,
		   const struct mxt_sim_gemm *gemm, unsigned effects)
{
	const struct mxt_sim_lt *c = call->c_layout ? call->c_layout : call->d_layout;
	float alpha, beta;
	memcpy(&alpha, call->alpha, sizeof alpha);
	memcpy(&beta, call->beta, sizeof beta);
	struct mxt_sim_gemm_operands operands = {
	    .a = call->a,
	    .b = call->b,
	    .c = call->c,
	    .d = call->d,
	    .ldc = mxt_sim_lt_get(c, dialect->ld),
	    .stride_a = mxt_sim_lt_get(call->a_layout, dialect->batch_stride),
	    .stride_b = mxt_sim_lt_get(call->b_layout, dialect->batch_stride),
	    .stride_c = mxt_sim_lt_get(c, dialect->batch_stride),
	    .stride_d = mxt_sim_lt_get(call->d_layout, dialect->batch_stride),
	    .c_dtype = dtype_of(dialect, c),
	    .d_dtype = dtype_of(dialect, call->d_layout),
	    .alpha = (double)alpha,
	    .beta = (double)beta,
	    .effects = effects,
	};
	if (mxt_sim_lt_get(call->desc, dialect->epilogue) == dialect->with_bias)
		memcpy(&operands.bias, call->desc->values[dialect->bias_pointer], sizeof operands.bias);
	return mxt_sim_gemm_run(gemm, &operands) == 0 ? 0 : dialect->alloc_failed;
}
