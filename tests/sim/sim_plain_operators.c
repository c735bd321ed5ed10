/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What else of torch is needed around a kernel. Schemas: aten/src/ATen/native/native_functions.yaml.
 */
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "sim_call.h"
#include "sim_number.h"
#include "sim_runtime.h"
#include "sim_scenario.h"

/* An operator that moves the bytes of its first argument. */
static int begin(const struct mxt_sim_call *call, const char *site, unsigned *ret_effects)
{
	const struct mxt_sim_tensor *tensor = call->args[0].tensor;
	if (!tensor)
		return mxt_sim_raise("%s: the tensor is undefined", site);
	const struct mxt_sim_work work = {
	    .site = site,
	    .place = tensor->place,
	    .cost = {.fixed_ns = 2000, .flops_per_s = 1},
	    .bytes = 2 * mxt_sim_bytes(tensor),
	    .shape = mxt_sim_shape(mxt_sim_hash(MXT_SIM_HASH_START, site, strlen(site)), tensor)};
	return mxt_sim_begin(&work, ret_effects);
}

static int return_self(struct mxt_sim_call *call)
{
	mxt_sim_return(call, mxt_sim_tensor_ref(call->args[0].tensor));
	return 0;
}

#define DEVIATES 32768 /* a power of two */

/* Numbers of a normal distribution, out of a table: large operands are drawn again and again. */
static const double *deviates(void)
{
	static double table[DEVIATES];
	struct mxt_rng rng = {DEVIATES};
	for (size_t i = 0; table[DEVIATES - 1] == 0 && i < DEVIATES; i++)
		table[i] = mxt_rng_normal(&rng);
	return table;
}

/* self, mean, std, generator: every tensor of a process gets numbers of its own, the same in every process. */
static int normal(struct mxt_sim_call *call)
{
	static uint64_t fills; /* of this process */
	unsigned effects = 0;
	if (begin(call, "normal", &effects))
		return 1;
	struct mxt_sim_tensor *tensor = call->args[0].tensor;
	size_t count = (size_t)mxt_sim_count(tensor);
	double *numbers = mxt_sim_memory(count, sizeof *numbers);
	const double *table = deviates();
	struct mxt_rng rng = {fills++};
	for (size_t i = 0; i < count; i++)
		numbers[i] = call->args[1].number + call->args[2].number * table[mxt_rng_u64(&rng) & (DEVIATES - 1)];
	mxt_sim_spoil(numbers, count, effects);
	mxt_sim_write(tensor, numbers);
	free(numbers);
	return return_self(call);
}

/* self, src, non_blocking; src is broadcast */
static int copy(struct mxt_sim_call *call)
{
	unsigned effects = 0;
	struct mxt_sim_tensor *to = call->args[0].tensor, *from = call->args[1].tensor;
	if (begin(call, "copy", &effects))
		return 1;
	double *numbers = from ? mxt_sim_read_as(from, to->ndim, to->sizes) : NULL;
	if (!numbers)
		return from ? 1 : mxt_sim_raise("copy_: the source is undefined");
	mxt_sim_spoil(numbers, (size_t)mxt_sim_count(to), effects);
	mxt_sim_write(to, numbers);
	free(numbers);
	return return_self(call);
}

/* self, value: a number in a tensor */
static int fill(struct mxt_sim_call *call)
{
	const struct mxt_sim_tensor *value = call->args[1].tensor;
	if (value && value->ndim != 0)
		return mxt_sim_raise(
		    "fill_ only supports 0-dimension value tensor but got tensor with %lld dimensions.",
		    (long long)value->ndim);
	return copy(call);
}

/* self, other; other is broadcast */
static int multiply(struct mxt_sim_call *call)
{
	unsigned effects = 0;
	struct mxt_sim_tensor *to = call->args[0].tensor, *by = call->args[1].tensor;
	if (begin(call, "mul", &effects))
		return 1;
	double *factors = by ? mxt_sim_read_as(by, to->ndim, to->sizes) : NULL;
	if (!factors)
		return by ? 1 : mxt_sim_raise("mul_: the factor is undefined");
	double *numbers = mxt_sim_read(to);
	for (int64_t i = 0; i < mxt_sim_count(to); i++)
		numbers[i] *= factors[i];
	mxt_sim_spoil(numbers, (size_t)mxt_sim_count(to), effects);
	mxt_sim_write(to, numbers);
	free(numbers);
	free(factors);
	return return_self(call);
}

/* self, requires_grad */
static int requires_grad(struct mxt_sim_call *call)
{
	if (!call->args[0].tensor)
		return mxt_sim_raise("requires_grad_: the tensor is undefined");
	call->args[0].tensor->requires_grad = call->args[1].integer != 0;
	return return_self(call);
}

static bool has_dimension(const struct mxt_sim_tensor *tensor, int64_t *dimension)
{
	if (tensor && *dimension < 0)
		*dimension += tensor->ndim;
	return tensor && *dimension >= 0 && *dimension < tensor->ndim;
}

/* self, dim0, dim1 */
static int transpose(struct mxt_sim_call *call)
{
	struct mxt_sim_tensor *tensor = call->args[0].tensor;
	int64_t first = call->args[1].integer, second = call->args[2].integer;
	if (!has_dimension(tensor, &first) || !has_dimension(tensor, &second))
		return mxt_sim_raise("Dimension out of range");
	mxt_sim_return(call, mxt_sim_tensor_swapped(tensor, first, second));
	return 0;
}

static void softmax_gradient(double *grad, const double *output, int64_t rows, int64_t width)
{
	for (int64_t i = 0; i < rows; i++) {
		double sum = 0;
		for (int64_t j = i * width; j < (i + 1) * width; j++)
			sum += grad[j] * output[j];
		for (int64_t j = i * width; j < (i + 1) * width; j++)
			grad[j] = output[j] * (grad[j] - sum);
	}
}

/* grad_output, output, dim (the last one), input_dtype */
static int softmax_backward(struct mxt_sim_call *call)
{
	unsigned effects = 0;
	struct mxt_sim_tensor *grad = call->args[0].tensor, *output = call->args[1].tensor, *result;
	int64_t dimension = call->args[2].integer;
	if (!has_dimension(grad, &dimension) || dimension != grad->ndim - 1 || !output ||
	    mxt_sim_count(output) != mxt_sim_count(grad))
		return mxt_sim_raise("_softmax_backward_data: the shapes differ, or it is not the last dimension");
	if (begin(call, "softmax_backward", &effects) ||
	    mxt_sim_tensor_new(grad->ndim, grad->sizes, NULL, (int32_t)call->args[3].integer, grad->place, &result))
		return 1;
	int64_t count = mxt_sim_count(grad), width = grad->sizes[dimension];
	double *numbers = mxt_sim_read(grad), *weights = mxt_sim_read(output);
	softmax_gradient(numbers, weights, width ? count / width : 0, width);
	mxt_sim_spoil(numbers, (size_t)count, effects);
	mxt_sim_write(result, numbers);
	free(numbers);
	free(weights);
	mxt_sim_return(call, result);
	return 0;
}

/* self, diagonal: what lies below it becomes 0. */
static int keep_upper(struct mxt_sim_call *call)
{
	unsigned effects = 0;
	struct mxt_sim_tensor *tensor = call->args[0].tensor;
	if (begin(call, "triu", &effects))
		return 1;
	if (tensor->ndim < 2)
		return mxt_sim_raise("triu_: input tensor must have at least 2 dimensions");
	int64_t columns = tensor->sizes[tensor->ndim - 1], rows = tensor->sizes[tensor->ndim - 2];
	double *numbers = mxt_sim_read(tensor);
	for (int64_t i = 0; i < mxt_sim_count(tensor); i++)
		if (i % columns - i / columns % rows < call->args[1].integer)
			numbers[i] = 0;
	mxt_sim_spoil(numbers, (size_t)mxt_sim_count(tensor), effects);
	mxt_sim_write(tensor, numbers);
	free(numbers);
	return return_self(call);
}

/* self, other: whether sizes and numbers are the same. */
static int equal(struct mxt_sim_call *call)
{
	unsigned effects = 0;
	const struct mxt_sim_tensor *a = call->args[0].tensor, *b = call->args[1].tensor;
	if (begin(call, "equal", &effects))
		return 1;
	if (!b || a->dtype != b->dtype)
		return mxt_sim_raise("equal: expected two tensors of one type");
	bool same = a->ndim == b->ndim && memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof a->sizes[0]) == 0;
	double *left = mxt_sim_read(a), *right = mxt_sim_read(b);
	for (int64_t i = 0; same && i < mxt_sim_count(a); i++)
		same = left[i] == right[i];
	free(left);
	free(right);
	mxt_sim_return_integer(call, same);
	return 0;
}

const struct mxt_sim_operator mxt_sim_plain_operators[] = {
    {"aten::_softmax_backward_data", "", "TTii", MXT_SIM_ANY, softmax_backward},
    {"aten::copy_", "", "TTb", MXT_SIM_ANY, copy},
    {"aten::equal", "", "TT", MXT_SIM_ANY, equal},
    {"aten::fill_", "Tensor", "TT", MXT_SIM_ANY, fill},
    {"aten::mul_", "Tensor", "TT", MXT_SIM_ANY, multiply},
    {"aten::normal_", "", "Tffg", MXT_SIM_ANY, normal},
    {"aten::requires_grad_", "", "Tb", MXT_SIM_ANY, requires_grad},
    {"aten::transpose", "int", "Tii", MXT_SIM_ANY, transpose},
    {"aten::triu_", "", "Ti", MXT_SIM_ANY, keep_upper},
    {NULL, NULL, NULL, 0, NULL},
};
