/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A group: the incumbents and as many challengers of one probe as may be alive together, from their start to the last
 * block of their race. Internal to src/tune.
 */
#ifndef MXT_TUNE_GROUP_H
#define MXT_TUNE_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "choose.h"
#include "course.h"
#include "field.h"
#include "new_lengths.h"

struct mxt_candidate;
struct mxt_error;
struct mxt_session;

struct mxt_group {
	struct mxt_field field; /* its first entries are the incumbents */
	enum mxt_problem_kind kind;
	enum mxt_new_lengths_state lengths; /* what the race knows of new ones */
	bool cut;                           /* challengers were left out for lack of time */
	struct mxt_race *race;
	const struct mxt_candidate *candidate_of[MXT_FIELD_MAX_ENTRIES]; /* NULL: an incumbent */
	char **environments[MXT_FIELD_MAX_ENTRIES];                      /* owned, challengers only */
};

/* Incumbents of a race of this kind: bare, its twin, and yours where it differs. */
size_t mxt_group_incumbents(const struct mxt_session *session, enum mxt_problem_kind kind);

/* An empty field with the incumbents in it. To be released with mxt_group_finish() in every case. */
int mxt_group_init(struct mxt_group *group, struct mxt_session *session, enum mxt_problem_kind kind,
		   const struct mxt_course *course, struct mxt_error *err);

/* The candidate is borrowed for the life of the group. */
int mxt_group_add(struct mxt_group *group, const struct mxt_session *session, const struct mxt_candidate *candidate,
		  struct mxt_error *err);

/*
 * Races until all is decided, or until end_ns; running out of time is an error (MXT_E_BUDGET) only before the
 * incumbents were timed once. -EAGAIN: the session was told that an incumbent's provider cannot run here
 * (mxt_session_excuse); the race is to be set up anew. `races`: how many races the plan goes through in all; they share
 * the false-winner rate.
 */
int mxt_group_race(struct mxt_group *group, struct mxt_session *session, uint32_t races, uint64_t end_ns,
		   const char *phase, struct mxt_error *err);

/* The worker of bare, if it did not fail, lives until here. -EBUSY when a worker could not be ended. */
int mxt_group_finish(struct mxt_group *group, struct mxt_error *err);

#endif
