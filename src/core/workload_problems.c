/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a workload to the problems of one training step. What a step issues is said where it is generated:
 * linear_problems.h (linears and peft), fused_lora_problems.h (Axolotl's kernels), attention_problems.h,
 * eager_attention_problems.h, layer_problems.h (the order), head_problems.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "error.h"
#include "head_problems.h"
#include "layer_problems.h"
#include "problem_builder.h"

static int set_allocate(struct mxt_problem_set *set, struct mxt_error *err)
{
	set->problems = calloc(MXT_MAX_PROBLEMS, sizeof *set->problems);
	set->layer = calloc(MXT_MAX_LAYER_STEPS, sizeof *set->layer);
	return set->problems && set->layer ? 0 : mxt_error_oom(err);
}

static int set_check(const struct mxt_problem_builder *b, struct mxt_error *err)
{
	const struct mxt_problem_set *set = b->set;
	if (b->failed)
		return mxt_error_set(err, -EOVERFLOW, MXT_E_INTERNAL, "a workload has more problems than expected");
	if (set->n_problems == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_WORKLOAD,
				     "nothing of this workload can be modelled, so there is nothing to tune; "
				     "--print-workload lists the reasons");
	for (size_t i = 0; i < set->n_problems; i++) {
		if (mxt_problem_validate(&set->problems[i]) == 0)
			continue;
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		mxt_problem_text(&set->problems[i], &text);
		return mxt_error_set(err, -ERANGE, MXT_E_WORKLOAD,
				     "the workload needs a problem that is too large to time (%s); use a smaller "
				     "micro-batch or sequence length",
				     mxt_buf_text(&text));
	}
	return 0;
}

int mxt_workload_problems(const struct mxt_workload *workload, const struct mxt_scale *scale, enum mxt_dtype dtype,
			  struct mxt_problem_set *ret_set, struct mxt_error *err)
{
	struct mxt_problem_set set = {.scale = *scale};
	int64_t tokens = (int64_t)workload->training.micro_batch * workload->training.seq_len;
	struct mxt_problem_builder b = {.workload = workload,
					.scale = *scale,
					.dtype = dtype,
					.tokens = mxt_builder_limit(tokens, scale->gemm_tokens),
					.real_tokens = tokens,
					.set = &set};
	int rc = set_allocate(&set, err);
	if (rc == 0)
		rc = mxt_builder_take_lengths(&b, err);
	if (rc == 0) {
		set.scaled = b.tokens != tokens;
		mxt_add_layers(&b);
		mxt_add_head(&b);
		rc = set_check(&b, err);
	}
	if (rc < 0)
		mxt_problem_set_finish(&set);
	else
		*ret_set = set;
	return rc;
}

void mxt_problem_set_finish(struct mxt_problem_set *set)
{
	free(set->problems);
	free(set->layer);
	*set = (struct mxt_problem_set){.problems = NULL};
}
