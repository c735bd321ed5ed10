/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may compete: only what computes the function that the job computes, and what the trainer can be made to take.
 * Internal to src/tune.
 */
#ifndef MXT_TUNE_COMPETITION_H
#define MXT_TUNE_COMPETITION_H

#include "compiler.h"

struct mxt_candidate_list;
struct mxt_error;
struct mxt_session;

/* Gives the candidates of attention that may not compete a reason to be skipped. 0 or -ENOMEM. */
int mxt_competition_rule_out(const struct mxt_session *session, struct mxt_candidate_list *list,
			     struct mxt_error *err) MXT_WUR;

#endif
