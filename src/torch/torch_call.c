/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_call.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "torch_tensor.h"

_Static_assert(sizeof(double) == sizeof(uint64_t) && sizeof(void *) == sizeof(uint64_t), "a stack slot holds either");
_Static_assert(MXT_TORCH_STACK_SIZE <= 32, "a bit for each slot");

void mxt_torch_call_init(struct mxt_torch_call *call, const struct mxt_torch *torch)
{
	*call = (struct mxt_torch_call){.torch = torch};
}

static bool push(struct mxt_torch_call *call, uint64_t value)
{
	if (call->n == MXT_TORCH_STACK_SIZE) {
		call->failed = true;
		return false;
	}
	call->stack[call->n++] = value;
	return true;
}

void mxt_push_tensor(struct mxt_torch_call *call, struct mxt_tensor *tensor)
{
	const struct mxt_torch_abi *abi = &call->torch->call;
	struct mxt_tensor *copy = NULL; /* the call takes over what lies on the stack */
	int32_t rc =
	    tensor ? abi->aoti_torch_new_tensor_handle(tensor, &copy) : abi->aoti_torch_new_uninitialized_tensor(&copy);
	if (rc != 0)
		call->failed = true;
	else if (push(call, (uint64_t)(uintptr_t)copy))
		call->tensors |= UINT32_C(1) << (call->n - 1);
	else
		mxt_tensor_destroy(call->torch, copy);
}

void mxt_push_integer(struct mxt_torch_call *call, int64_t value)
{
	(void)push(call, (uint64_t)value);
}

void mxt_push_number(struct mxt_torch_call *call, double value)
{
	uint64_t bits = 0;
	memcpy(&bits, &value, sizeof bits);
	(void)push(call, bits);
}

void mxt_push_flag(struct mxt_torch_call *call, bool value)
{
	(void)push(call, value ? 1 : 0);
}

void mxt_push_none(struct mxt_torch_call *call)
{
	(void)push(call, 0);
}

/* The other half of mxt_push_optional(). */
static struct mxt_tensor *unbox(uint64_t slot)
{
	uint64_t *box = NULL;
	struct mxt_tensor *tensor = NULL;
	memcpy(&box, &slot, sizeof box);
	memcpy(&tensor, box, sizeof tensor);
	free(box);
	return tensor;
}

void mxt_push_optional(struct mxt_torch_call *call, struct mxt_tensor *tensor)
{
	if (!tensor) {
		mxt_push_none(call);
		return;
	}
	/* The call ends it by the operator delete of its C++ library, which is free(). */
	uint64_t *box = malloc(sizeof *box);
	mxt_push_tensor(call, tensor);
	if (!box || call->failed) {
		call->failed = true;
		free(box);
		return;
	}
	uint64_t *slot = &call->stack[call->n - 1];
	const uint32_t bit = UINT32_C(1) << (call->n - 1);
	*box = *slot;
	*slot = (uint64_t)(uintptr_t)box;
	call->tensors &= ~bit;
	call->boxes |= bit;
}

/* The arguments of a call that cannot be made are nobody's. */
static int refuse(struct mxt_torch_call *call, const char *name, struct mxt_error *err)
{
	int rc = mxt_torch_failed(call->torch, name, err);
	for (size_t i = 0; i < call->n; i++)
		if (call->tensors >> i & 1)
			mxt_tensor_destroy(call->torch, mxt_take_tensor(call, i));
		else if (call->boxes >> i & 1)
			mxt_tensor_destroy(call->torch, unbox(call->stack[i]));
	call->n = 0;
	return rc;
}

int mxt_torch_call_run(struct mxt_torch_call *call, const char *name, const char *overload, size_t n_results,
		       struct mxt_error *err)
{
	const struct mxt_torch_abi *abi = &call->torch->call;
	if (call->failed || n_results > MXT_TORCH_STACK_SIZE)
		return refuse(call, name, err);
	int32_t rc = abi->torch_call_dispatcher
			 ? abi->torch_call_dispatcher(name, overload, call->stack, call->torch->abi)
			 : abi->aoti_torch_call_dispatcher(name, overload, call->stack);
	call->n = rc == 0 ? n_results : 0;
	return rc == 0 ? 0 : mxt_torch_failed(call->torch, name, err);
}

struct mxt_tensor *mxt_take_tensor(struct mxt_torch_call *call, size_t i)
{
	if (i >= call->n)
		return NULL;
	struct mxt_tensor *tensor = NULL;
	memcpy(&tensor, &call->stack[i], sizeof tensor);
	call->stack[i] = 0;
	return tensor;
}

int64_t mxt_result_integer(const struct mxt_torch_call *call, size_t i)
{
	return i < call->n ? (int64_t)call->stack[i] : 0;
}

void mxt_drop_result(struct mxt_torch_call *call)
{
	mxt_tensor_destroy(call->torch, mxt_take_tensor(call, 0));
}
