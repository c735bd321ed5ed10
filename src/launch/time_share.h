/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of what a run computed its plan speaks about: the recorded step of a process against the problems that the
 * plan was chosen on, weighed with the times that are in the plan's evidence.
 */
#ifndef MXT_LAUNCH_TIME_SHARE_H
#define MXT_LAUNCH_TIME_SHARE_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;
struct mxt_plan;
struct mxt_recording;

/*
 * New reference: {"share_ppm", "gemm_ppm", "attention_ppm", "basis", "largest_unplanned", "pins", "notes"}, or
 * {"unknown": why}.
 *   basis              measured times (simulated times of a simulated plan): a planned problem weighs its time under
 *                      what the plan ships, others as many operations at the speed of those that are planned;
 *                      operations: where the plan has no times
 *   gemm_ppm,          absent where the step has none
 *   attention_ppm
 *   largest_unplanned  [{"problem": text, "calls": of a step, "ppm": of all}], at most 5, the largest first
 *   pins               {"hits", "misses"}: products of a step that a pin is for, and others; absent without pins
 *   notes              what the recording could not see
 * Fails for memory only.
 */
int mxt_time_share(const struct mxt_recording *recording, const struct mxt_plan *plan, json_t **ret_share,
		   struct mxt_error *err) MXT_WUR;

#endif
