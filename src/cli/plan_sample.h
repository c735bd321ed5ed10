/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row of evidence.samples, read for showing. A problem in evidence may be anything: it is trusted in nothing.
 */
#ifndef MXT_CLI_PLAN_SAMPLE_H
#define MXT_CLI_PLAN_SAMPLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "problem.h"

/* Texts are borrowed from the plan. */
struct mxt_plan_sample {
	struct mxt_problem problem;
	const char *candidate;
	const char *backend; /* what computed it; "" when that was not seen */
	const char *status, *reason;
	int64_t median_ns; /* 0: no good time */
};

/* False when the row is of no one problem, or of one that this version does not know. */
bool mxt_plan_sample_read(const json_t *row, struct mxt_plan_sample *ret_sample);

#endif
