/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stages tell the reader of a run, as events of report/events.h. Internal to src/tune.
 */
#ifndef MXT_TUNE_ANNOUNCE_H
#define MXT_TUNE_ANNOUNCE_H

#include "choose.h"

struct mxt_duel;
struct mxt_error;
struct mxt_field;
struct mxt_probe_result;
struct mxt_session;

void mxt_announce_note(const struct mxt_session *session, const char *text);
void mxt_announce_progress(const struct mxt_session *session, const char *phase);

/* Something was left out: also kept as evidence. */
int mxt_announce_skipped(struct mxt_session *session, const char *what, const char *reason, struct mxt_error *err);

/* One line per problem, candidates side by side. The field's course is a probe's: one item for each problem. */
void mxt_announce_problems(const struct mxt_session *session, const char *probe, const struct mxt_field *field);
void mxt_announce_choice(const struct mxt_session *session, const char *probe, const struct mxt_probe_result *result);

/* What the heuristic check came to, if anything was compared. */
void mxt_announce_heuristic(const struct mxt_session *session);

/* Which products the plan pins, or why none. */
void mxt_announce_pins(const struct mxt_session *session);

/* One line per incumbent; `dropped` is the decision that goes, or NULL. */
void mxt_announce_duel(const struct mxt_session *session, const struct mxt_duel *duel, const char *dropped);

/* What the plan saves of a training step, by probe. */
void mxt_announce_cost(const struct mxt_session *session);

/* What the job would do today and what the plan changes, where the request knows. */
void mxt_announce_today(const struct mxt_session *session);

#endif
