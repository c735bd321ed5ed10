/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of an operator of the stand-in torch, unpacked from the dispatcher's stack.
 */
#ifndef MXT_SIM_CALL_H
#define MXT_SIM_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_scenario.h"
#include "sim_tensor.h"

#define MXT_SIM_MAX_ARGS    20
#define MXT_SIM_MAX_RESULTS 10
#define MXT_SIM_ANY         (-1)

struct mxt_sim_value {
	bool present;                    /* an optional argument that is there; always true for others */
	struct AtenTensorOpaque *handle; /* owned by the call */
	struct mxt_sim_tensor *tensor;   /* borrowed from the handle; NULL: undefined */
	double number;
	int64_t integer; /* also for bool */
};

struct mxt_sim_call {
	struct mxt_sim_value args[MXT_SIM_MAX_ARGS];
	uint64_t results[MXT_SIM_MAX_RESULTS]; /* as they go back onto the stack */
	unsigned results_are_tensors;          /* one bit each */
	size_t n_results;
};

/* A result that is a tensor: takes the reference over (NULL: the undefined tensor). */
void mxt_sim_return(struct mxt_sim_call *call, struct mxt_sim_tensor *tensor);
void mxt_sim_return_integer(struct mxt_sim_call *call, int64_t integer);

struct mxt_sim_operator {
	const char *name, *overload;
	/*
	 * One letter an argument, in the schema's order: T tensor, O optional tensor, f float, F optional float, b
	 * bool, i int (also a ScalarType), g optional generator.
	 */
	const char *arguments;
	int place;                             /* the one device that has it, or MXT_SIM_ANY */
	int (*run)(struct mxt_sim_call *call); /* 0, or 1 and raised */
};

/* Ended by a row without a name. */
extern const struct mxt_sim_operator mxt_sim_attention_operators[];
extern const struct mxt_sim_operator mxt_sim_matrix_operators[];
extern const struct mxt_sim_operator mxt_sim_plain_operators[];

/* A piece of work on a tensor's device. */
struct mxt_sim_work {
	const char *site;
	int64_t dims[3]; /* of struct mxt_sim_cliff */
	int32_t place;
	struct mxt_sim_cost cost;
	double flops, bytes;
	uint64_t shape;
};

/* Lets faults act and, on the simulated device, time pass. 0 and what to do to the results, or 1 and raised. */
int mxt_sim_begin(const struct mxt_sim_work *work, unsigned *ret_effects);
void mxt_sim_spoil(double *numbers, size_t count, unsigned effects);

/* Of a tensor's sizes and type, for mxt_sim_work.shape. */
uint64_t mxt_sim_shape(uint64_t start, const struct mxt_sim_tensor *tensor);
double mxt_sim_bytes(const struct mxt_sim_tensor *tensor);

#endif
