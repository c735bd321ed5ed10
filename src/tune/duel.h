/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A duel: one environment (the plan's) against the incumbents on a course, to tell whether it is surely slower or
 * surely faster. Looks after 4, 8 and 16 rounds. Internal to src/tune.
 */
#ifndef MXT_TUNE_DUEL_H
#define MXT_TUNE_DUEL_H

#include <stdbool.h>
#include <stddef.h>

#include "choose.h"
#include "field.h"

struct mxt_error;
struct mxt_session;

#define MXT_DUEL_MIN_ROUNDS 4
#define MXT_DUEL_MAX_ROUNDS 16

/* Entries of the field, in this order; YOURS only where it differs from bare. */
enum { MXT_DUEL_BARE, MXT_DUEL_PLAN, MXT_DUEL_YOURS, MXT_DUEL_MAX };

struct mxt_duel {
	struct mxt_field field;
	char **environment; /* owned: the plan's */
	double time_ns[MXT_DUEL_MAX][MXT_DUEL_MAX_ROUNDS];
	double charge_ns[MXT_DUEL_MAX]; /* what new lengths add to each of these times */
	size_t rounds;
	struct mxt_confirm verdict[MXT_DUEL_MAX]; /* at the last look; of no meaning for the plan itself */
	/*
	 * An incumbent with the plan's bits that is ahead by less is no objection. Set by whoever asks; 0: every one
	 * is.
	 */
	uint32_t tie_ppm;
	bool told;   /* every comparison is clear */
	bool broken; /* an entry failed: nothing can be told */
};

/*
 * `kind`: the probe whose course it is; MXT_PROBLEM_KIND_COUNT: a layer.
 * Races bare + `env` (object of strings) until it is told, rounds are used up or end_ns comes; running out of time is
 * not an error. *duel is to be released with mxt_duel_finish() in every case.
 */
int mxt_duel_run(struct mxt_duel *duel, struct mxt_session *session, const struct mxt_course *course,
		 enum mxt_problem_kind kind, const json_t *env, uint64_t end_ns, struct mxt_error *err);

/* -EBUSY when a worker could not be ended. */
int mxt_duel_finish(struct mxt_duel *duel, struct mxt_error *err);

/* Why the plan cannot be called no slower than the incumbents (static text); NULL when it can. */
const char *mxt_duel_objection(const struct mxt_duel *duel);

/* Index of what the job would do today: YOURS where it races, else BARE. */
size_t mxt_duel_incumbent(const struct mxt_duel *duel);

/* Appends a row to evidence.choices under the name `probe`, and the samples. */
int mxt_duel_record(const struct mxt_duel *duel, struct mxt_session *session, const char *probe, struct mxt_error *err);

#endif
