/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products on tensors.
 */
#ifndef MXT_SIM_MATMUL_H
#define MXT_SIM_MATMUL_H

#include "sim_tensor.h"

/* Borrowed. out = beta * self + alpha * (a @ b); self NULL: alpha * (a @ b). self may be a row. */
struct mxt_sim_matmul {
	struct mxt_sim_tensor *self, *a, *b, *out;
	double beta, alpha;
};

/* 0, or 1 and raised. */
int mxt_sim_matmul_run(const struct mxt_sim_matmul *matmul);

#endif
