/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torch's matrix operators. Schemas: aten/src/ATen/native/native_functions.yaml.
 */
#include <stddef.h>

#include "sim_call.h"
#include "sim_matmul.h"

/* self, mat2: a new matrix, or a new batch of them. */
static int product(struct mxt_sim_call *call)
{
	struct mxt_sim_tensor *a = call->args[0].tensor, *b = call->args[1].tensor, *out;
	if (!a || !b || a->ndim < 2 || a->ndim > 3 || b->ndim != a->ndim)
		return mxt_sim_raise("self and mat2 must be matrices");
	int64_t last = a->ndim - 1;
	const int64_t sizes[] = {a->sizes[0], last == 2 ? a->sizes[1] : b->sizes[1], b->sizes[last]};
	if (mxt_sim_tensor_new(a->ndim, sizes, NULL, a->dtype, a->place, &out))
		return 1;
	const struct mxt_sim_matmul matmul = {.a = a, .b = b, .out = out, .alpha = 1};
	int failed = mxt_sim_matmul_run(&matmul);
	if (failed)
		mxt_sim_tensor_unref(out);
	else
		mxt_sim_return(call, out);
	return failed;
}

/* self, mat2, out */
static int product_into(struct mxt_sim_call *call)
{
	struct mxt_sim_tensor *out = call->args[2].tensor;
	const struct mxt_sim_matmul matmul = {
	    .a = call->args[0].tensor, .b = call->args[1].tensor, .out = out, .alpha = 1};
	if (mxt_sim_matmul_run(&matmul))
		return 1;
	mxt_sim_return(call, mxt_sim_tensor_ref(out));
	return 0;
}

/* self, vec, out: views as matrices of one column */
static int vector_into(struct mxt_sim_call *call)
{
	struct mxt_sim_tensor *vector = call->args[1].tensor, *out = call->args[2].tensor;
	if (!vector || !out || vector->ndim != 1 || out->ndim != 1)
		return mxt_sim_raise("vector + matrix @ vector expected, got other dimensions");
	struct mxt_sim_tensor column = *vector, to = *out;
	column.ndim = to.ndim = 2;
	column.sizes[1] = to.sizes[1] = 1;
	column.strides[1] = to.strides[1] = 1;
	const struct mxt_sim_matmul matmul = {.a = call->args[0].tensor, .b = &column, .out = &to, .alpha = 1};
	if (mxt_sim_matmul_run(&matmul))
		return 1;
	mxt_sim_return(call, mxt_sim_tensor_ref(out));
	return 0;
}

const struct mxt_sim_operator mxt_sim_matrix_operators[] = {
    {"aten::mm", "", "TT", MXT_SIM_ANY, product},           {"aten::mm", "out", "TTT", MXT_SIM_ANY, product_into},
    {"aten::mv", "out", "TTT", MXT_SIM_ANY, vector_into},   {"aten::bmm", "", "TT", MXT_SIM_ANY, product},
    {"aten::bmm", "out", "TTT", MXT_SIM_ANY, product_into}, {NULL, NULL, NULL, 0, NULL},
};
