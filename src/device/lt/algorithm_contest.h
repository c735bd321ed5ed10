/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heuristic check of one product on a GPU: the algorithms that a library offers, run on the operands that torch's
 * own call gets, in the race of algorithm_race.h.
 */
#ifndef MXT_LT_ALGORITHM_CONTEST_H
#define MXT_LT_ALGORITHM_CONTEST_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_device;
struct mxt_error;
struct mxt_gemm_operands;
struct mxt_ranking;
struct mxt_task;

/* A library's algorithms for one product, numbered as it ranks them; 0 is what it takes by itself. */
struct mxt_offer {
	const char *library; /* who offers, and its version */
	size_t count;        /* at least 1 */
	void *context;
	/* Queues one product. -ENOTSUP when the algorithm refuses it. */
	int (*run)(void *context, size_t algorithm, const struct mxt_gemm_operands *operands, struct mxt_error *err);
	/* Its number in the library's own numbering, MXT_SOLUTION_DEFAULT when it has none. */
	int32_t (*solution)(void *context, size_t algorithm);
	/* Asks the library for it again, by that number. -ENOTSUP, with the reason, when it is not offered any more. */
	int (*renew)(void *context, size_t algorithm, struct mxt_error *err);
};

/* The algorithms race until `end_ns` of mxt_clock_monotonic. */
int mxt_algorithm_contest(struct mxt_device *device, const struct mxt_task *task, const struct mxt_offer *offer,
			  uint64_t end_ns, struct mxt_ranking *ret_ranking, struct mxt_error *err) MXT_WUR;

/* Device memory that algorithms may use; kept from product to product. Zeroed: none. */
struct mxt_contest_workspace {
	void *data;
	size_t bytes;
};
int mxt_contest_workspace_reserve(struct mxt_contest_workspace *workspace, const struct mxt_device *device,
				  size_t bytes, struct mxt_error *err) MXT_WUR;
void mxt_contest_workspace_release(struct mxt_contest_workspace *workspace, const struct mxt_device *device);

/* Only products that are written anew, one at a time, have a ranking: else -ENOTSUP. */
int mxt_contest_accepts(const struct mxt_task *task, struct mxt_error *err) MXT_WUR;

#endif
