/* SPDX-License-Identifier: Apache-2.0 */
#include "problem_features.h"

#include <errno.h>

#include "error.h"

static bool wants_mask(const struct mxt_problem *p)
{
	return p->as.attention.masked;
}

static bool wants_repeated(const struct mxt_problem *p)
{
	return p->as.attention.repeated;
}

static bool wants_window(const struct mxt_problem *p)
{
	return p->as.attention.window > 0;
}

static bool wants_documents(const struct mxt_problem *p)
{
	return p->as.attention.n_documents > 0;
}

static bool wants_batch(const struct mxt_problem *p)
{
	return p->as.gemm.batch > 0;
}

static bool wants_accumulate(const struct mxt_problem *p)
{
	return p->as.gemm.accumulate;
}

static const struct feature {
	enum mxt_problem_kind kind;
	unsigned bit;
	bool (*wanted)(const struct mxt_problem *problem);
	const char *text;
} features[] = {
    {MXT_PROBLEM_ATTENTION, MXT_FEATURE_MASK, wants_mask, "attention with a mask tensor"},
    {MXT_PROBLEM_ATTENTION, MXT_FEATURE_REPEATED, wants_repeated, "attention over keys and values stored by head"},
    {MXT_PROBLEM_ATTENTION, MXT_FEATURE_WINDOW, wants_window, "attention within a sliding window"},
    {MXT_PROBLEM_ATTENTION, MXT_FEATURE_DOCUMENTS, wants_documents, "attention over packed documents"},
    {MXT_PROBLEM_GEMM, MXT_FEATURE_BATCH, wants_batch, "batches of matrix products"},
    {MXT_PROBLEM_GEMM, MXT_FEATURE_ACCUMULATE, wants_accumulate, "products that add to their output"},
};

int mxt_problem_features_check(const struct mxt_problem *problem, unsigned handled, const char *who,
			       struct mxt_error *err)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(features); i++) {
		const struct feature *f = &features[i];
		if (f->kind == problem->kind && !(handled & f->bit) && f->wanted(problem))
			return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED, "%s does not compute %s", who,
					     f->text);
	}
	return 0;
}
