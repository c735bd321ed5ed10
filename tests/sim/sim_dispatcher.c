/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_dispatcher.h"

#include <stdlib.h>
#include <string.h>

#include "sim_call.h"
#include "sim_runtime.h"
#include "sim_torch.h"

static const struct mxt_sim_operator *find(const char *name, const char *overload)
{
	static const struct mxt_sim_operator *const tables[] = {mxt_sim_attention_operators, mxt_sim_matrix_operators,
								mxt_sim_plain_operators};
	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		for (const struct mxt_sim_operator *row = tables[i]; row->name; row++)
			if (strcmp(row->name, name) == 0 && strcmp(row->overload, overload) == 0)
				return row;
	return NULL;
}

static void *pointer(uint64_t bits)
{
	void *out;
	memcpy(&out, &bits, sizeof out);
	return out;
}

static struct mxt_sim_value tensor_value(uint64_t bits)
{
	struct AtenTensorOpaque *handle = pointer(bits);
	return (struct mxt_sim_value){.present = true, .handle = handle, .tensor = handle ? handle->tensor : NULL};
}

static struct mxt_sim_value float_value(uint64_t bits)
{
	struct mxt_sim_value value = {.present = true};
	memcpy(&value.number, &bits, sizeof bits);
	return value;
}

/* What the box holds; the box is freed. */
static struct mxt_sim_value optional_value(uint64_t bits, struct mxt_sim_value (*unpack)(uint64_t))
{
	uint64_t *box = pointer(bits);
	if (!box)
		return (struct mxt_sim_value){.present = false};
	struct mxt_sim_value value = unpack(*box);
	free(box);
	return value;
}

/* A bool fills the lowest byte; what stands above it is not said. */
static struct mxt_sim_value unpack(char letter, uint64_t bits)
{
	switch (letter) {
	case 'T':
		return tensor_value(bits);
	case 'f':
		return float_value(bits);
	case 'O':
		return optional_value(bits, tensor_value);
	case 'F':
		return optional_value(bits, float_value);
	case 'b':
		return (struct mxt_sim_value){.present = true, .integer = (bits & 0xff) != 0};
	default:
		return (struct mxt_sim_value){.present = bits != 0, .integer = (int64_t)bits};
	}
}

static void release(struct mxt_sim_call *call, bool failed)
{
	for (size_t i = 0; i < MXT_SIM_MAX_ARGS; i++)
		mxt_sim_handle_delete(call->args[i].handle);
	for (size_t i = 0; i < call->n_results && failed; i++)
		if (call->results_are_tensors & 1u << i)
			mxt_sim_handle_delete(pointer(call->results[i]));
}

static int run(const struct mxt_sim_operator *operator, struct mxt_sim_call * call)
{
	const struct mxt_sim_tensor *first = call->args[0].tensor;
	if (!first)
		return mxt_sim_raise("%s: the first argument is undefined", operator->name);
	bool absent = operator->place != MXT_SIM_ANY && operator->place != first->place;
	if (absent || (first->place == MXT_SIM_CUDA && !mxt_sim_gpu_is_loaded()))
		return mxt_sim_raise("Could not run '%s' with arguments from the '%s' backend.", operator->name,
				     first->place == MXT_SIM_CUDA ? "CUDA" : "CPU");
	return operator->run(call);
}

int mxt_sim_dispatch(const char *name, const char *overload, uint64_t *stack)
{
	struct mxt_sim_call call = {.n_results = 0};
	const struct mxt_sim_operator *operator= find(name, overload);
	if (!operator)
		return mxt_sim_raise("Could not find schema for %s.%s", name, overload);
	for (size_t i = 0; operator->arguments[i]; i++)
		call.args[i] = unpack(operator->arguments[i], stack[i]);
	int failed = run(operator, & call);
	release(&call, failed != 0);
	for (size_t i = 0; i < call.n_results && !failed; i++)
		stack[i] = call.results[i];
	return failed;
}
