/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of a run saw of themselves: the files witness-PID.json of the run's folder ranks/
 * (python/mindxtrain_plan/launch_witness.py), held against the plan. They come from processes that ran code of others:
 * what is in them is checked, bounded, and never trusted to be true.
 */
#ifndef MXT_LAUNCH_WITNESSES_H
#define MXT_LAUNCH_WITNESSES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_plan;

struct mxt_witnesses {
	/*
	 * Owned: an array of {"rank", "what", "saw", "planned", "also", "note"}; absent: not known, or nothing planned.
	 *   what           saw                                                planned
	 *   sdpa           what torch's dispatcher took for most of the work   decision.attention
	 *                  of the calls that train, "not called", "unknown"
	 *   operators      what most of the attention of a recorded step went   decision.attention
	 *                  through (operators.h); of one rank
	 *   deterministic  on, off                                            on
	 *   cudnn.benchmark on (else there is no row)                          off
	 *   pins           rows that torch took from the plan's file           how many the plan has
	 * `also`: what it took for other calls ("efficient, math"). `note`: what else the process has to say, and why
	 * it knows nothing.
	 */
	json_t *rows;
	bool contradicted; /* what was seen is not what is planned */
	size_t processes;
	const char *not_recorded; /* of a process that was to be recorded, borrowed from `documents`; NULL: none */
	json_t *documents;        /* owned */
};
#define MXT_CLEANUP_WITNESSES MXT_CLEANUP(mxt_witnesses_finish)

/* Fails for memory only; a folder that cannot be read holds nothing. */
int mxt_witnesses_read(const char *ranks, const struct mxt_plan *plan, struct mxt_witnesses *ret_witnesses,
		       struct mxt_error *err) MXT_WUR;
void mxt_witnesses_finish(struct mxt_witnesses *witnesses);

/* One file's bytes, for tests and fuzzing: appends its rows. MXT_E_JSON_* or -EINVAL for what is no witness. */
int mxt_witness_take(struct mxt_witnesses *witnesses, const char *text, size_t len, const struct mxt_plan *plan,
		     struct mxt_error *err) MXT_WUR;

#endif
