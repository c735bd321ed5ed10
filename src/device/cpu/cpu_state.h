/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The opened CPU device and its tasks: shared by the files that implement them, and by nobody else.
 */
#ifndef MXT_CPU_STATE_H
#define MXT_CPU_STATE_H

#include "attention_call.h"
#include "blas.h"
#include "device_ops.h"
#include "operand_arena.h"

struct mxt_thread_pool;

/* Every worker draws the same operands, so that the bits of results can be compared between workers. */
#define MXT_CPU_SEED UINT64_C(0x6d696e6458747261)

struct mxt_device {
	struct mxt_blas blas;
	struct mxt_thread_pool *pool; /* as many threads as the BLAS library has in force */
	const struct mxt_attention_backend *attention;
	struct mxt_operand_arena inputs, outputs;
	uint64_t llc_bytes;
	bool deterministic; /* checks see whether results repeat */
	/* Grown to the largest need of any task: scratch of all threads, then partial gradients. */
	float *scratch, *partials;
	size_t scratch_bytes, partial_bytes;
};

struct mxt_cpu_task_ops {
	void (*run)(struct mxt_device *device, struct mxt_task *task);
	int (*check)(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check,
		     struct mxt_error *err);
	/* Runs what check() ran once more, on the same operands: BLAKE3 of the results. */
	void (*again)(struct mxt_device *device, struct mxt_task *task, uint8_t bits[32]);
};

struct mxt_task {
	struct mxt_problem problem;
	const struct mxt_cpu_task_ops *ops;
	size_t input_bytes, output_bytes; /* windows of one call */
	/* Attention backward: gradients belong to what forward left, so its operands rotate among fixed slots. */
	float *saved; /* owned: out and lse of each slot */
	uint32_t slots, next_slot;
};

/* Resolve a problem of their kind into *task, whose other members are zero. */
int mxt_cpu_gemm_prepare(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err);
int mxt_cpu_attention_prepare(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err);

/* How many windows of the task's size it takes to reach twice the last-level cache. */
size_t mxt_cpu_windows(const struct mxt_device *device, const struct mxt_task *task);

/* Grows both arenas for that many windows of the task. */
int mxt_cpu_reserve(struct mxt_device *device, const struct mxt_task *task, size_t windows, struct mxt_error *err);

/* -ENOMEM with both sizes when the machine has not `bytes` of memory left. */
int mxt_cpu_check_memory(size_t bytes, struct mxt_error *err);

#endif
