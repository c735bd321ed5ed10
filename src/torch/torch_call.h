/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any operator of torch, called through its dispatcher as autograd calls it.
 *
 * Arguments are pushed in the order of the operator's schema, all of them, defaults included; results replace them.
 * Pushing never fails at once: the first failure makes the call fail. Not expressible here: numbers of the schema's
 * kind `Scalar`, and lists.
 * Source of the encoding: torch/csrc/stable/stableivalue_conversions.h (under torch/include in every wheel).
 */
#ifndef MXT_TORCH_TORCH_CALL_H
#define MXT_TORCH_TORCH_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "torch_library.h"

struct mxt_error;

#define MXT_TORCH_STACK_SIZE 24

struct mxt_torch_call {
	const struct mxt_torch *torch;
	uint64_t stack[MXT_TORCH_STACK_SIZE];
	size_t n;         /* arguments; after mxt_torch_call_run(): results */
	uint32_t tensors; /* a bit for each argument that is a tensor */
	uint32_t boxes;   /* a bit for each argument that is memory which holds one */
	bool failed;      /* a push failed */
};

void mxt_torch_call_init(struct mxt_torch_call *call, const struct mxt_torch *torch);

/* Pushes: the tensor stays the caller's. NULL is the undefined tensor, which is not the same as none. */
void mxt_push_tensor(struct mxt_torch_call *call, struct mxt_tensor *tensor);
void mxt_push_integer(struct mxt_torch_call *call, int64_t value);
void mxt_push_number(struct mxt_torch_call *call, double value);
void mxt_push_flag(struct mxt_torch_call *call, bool value);
void mxt_push_none(struct mxt_torch_call *call); /* an optional argument that is left out */
void mxt_push_optional(struct mxt_torch_call *call, struct mxt_tensor *tensor); /* NULL: it is left out */

/*
 * Calls `name` ("aten::mm") with `overload` ("" or "out"), which has `n_results`. Statuses of mxt_torch_failed().
 * Results that are tensors are the caller's: each is to be taken, or dropped where it is the only one. A failed call
 * has none.
 */
int mxt_torch_call_run(struct mxt_torch_call *call, const char *name, const char *overload, size_t n_results,
		       struct mxt_error *err) MXT_WUR;

/* Takes result i, which the schema says is a tensor, out of the stack; NULL after a failed call. */
struct mxt_tensor *mxt_take_tensor(struct mxt_torch_call *call, size_t i);
int64_t mxt_result_integer(const struct mxt_torch_call *call, size_t i);

/* For operators that return their output argument: destroys result 0. */
void mxt_drop_result(struct mxt_torch_call *call);

#endif
