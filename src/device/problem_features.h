/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a problem asks for beyond the plain call. Each device lists what its kernels do; the rest it refuses here, so
 * that no device times something else than what it was asked for.
 */
#ifndef MXT_DEVICE_PROBLEM_FEATURES_H
#define MXT_DEVICE_PROBLEM_FEATURES_H

#include "compiler.h"
#include "problem.h"

struct mxt_error;

enum {
	MXT_FEATURE_MASK = 1 << 0,       /* attention.masked */
	MXT_FEATURE_WINDOW = 1 << 1,     /* attention.window */
	MXT_FEATURE_DOCUMENTS = 1 << 2,  /* attention.n_documents */
	MXT_FEATURE_BATCH = 1 << 3,      /* gemm.batch */
	MXT_FEATURE_ACCUMULATE = 1 << 4, /* gemm.accumulate */
	MXT_FEATURE_REPEATED = 1 << 5,   /* attention.repeated */
};

/*
 * 0 when `handled` holds all that the problem asks for, else MXT_E_PROBLEM_UNSUPPORTED (-ENOTSUP) with what it lacks.
 * `who` computes: "the built-in provider".
 */
int mxt_problem_features_check(const struct mxt_problem *problem, unsigned handled, const char *who,
			       struct mxt_error *err) MXT_WUR;

#endif
