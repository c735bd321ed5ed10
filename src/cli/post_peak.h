/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the GPU of a plan can do at best. It follows from facts that the plan holds, so that a plan of other facts, or
 * of none, claims no peak.
 */
#ifndef MXT_CLI_POST_PEAK_H
#define MXT_CLI_POST_PEAK_H

#include <jansson.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_error;

struct mxt_post_peak {
	double bf16_flops; /* FLOP/s, dense; 0: not known, and so is all else */
	uint64_t units, max_mhz;
	const char *unit_name; /* static: "multiprocessors" */
};

/* 0 or -ENOMEM. */
int mxt_post_peak_read(const json_t *decision, const json_t *evidence, struct mxt_post_peak *ret_peak,
		       struct mxt_error *err) MXT_WUR;

#endif
