/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention on tensors: what torch's attention operators have in common.
 */
#ifndef MXT_SIM_SDPA_H
#define MXT_SIM_SDPA_H

#include <stdbool.h>
#include <stdint.h>

#include "sim_attention.h"
#include "sim_scenario.h"
#include "sim_tensor.h"

/* How a backend differs from the others. */
struct mxt_sim_sdpa_backend {
	enum mxt_sim_backend backend; /* whose cost it has */
	const char *sites[MXT_SIM_DIRECTION_COUNT];
	enum mxt_sim_rounding rounding;
	bool half_only;          /* bfloat16 and float16 */
	bool groups;             /* fewer heads of keys than of queries */
	int64_t max_dim;         /* of a head; 0: any */
	int64_t lse_multiple;    /* the rows of logsumexp are padded to it */
	bool lse_column;         /* logsumexp has a last dimension of 1 */
	bool stored_by_position; /* results are views of [batch][position][head][dim] */
};

extern const struct mxt_sim_sdpa_backend mxt_sim_sdpa_math, mxt_sim_sdpa_flash, mxt_sim_sdpa_efficient,
    mxt_sim_sdpa_cudnn, mxt_sim_sdpa_aotriton, mxt_sim_sdpa_ck, mxt_sim_sdpa_cpu;

/* Borrowed tensors; NULL: absent. */
struct mxt_sim_sdpa {
	const struct mxt_sim_sdpa_backend *backend;
	struct mxt_sim_tensor *q, *k, *v, *mask;
	struct mxt_sim_tensor *grad, *out, *lse; /* for the way back */
	double dropout;
	bool causal;
	bool has_scale;
	double scale;
};

/* Whether a backend takes the operands; false and raised, or only false. */
bool mxt_sim_sdpa_check(const struct mxt_sim_sdpa *sdpa, bool raise);

/* New references. 0, or 1 and raised. `ret_weights` may be NULL. */
int mxt_sim_sdpa_forward(const struct mxt_sim_sdpa *sdpa, struct mxt_sim_tensor **ret_out,
			 struct mxt_sim_tensor **ret_lse, struct mxt_sim_tensor **ret_weights);
int mxt_sim_sdpa_backward(const struct mxt_sim_sdpa *sdpa, struct mxt_sim_tensor *ret_grads[3]);

#endif
