/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A given plan with pins: is it raced on the libraries whose solutions it names, and does anybody read the pins? Its
 * stack tells neither: a library says its revision only where it is loaded. Internal to src/tune.
 */
#ifndef MXT_TUNE_PINNED_PLAN_H
#define MXT_TUNE_PINNED_PLAN_H

#include <jansson.h>

struct mxt_duel;
struct mxt_error;
struct mxt_session;

/*
 * Holds decision.gemm.built against what bare's worker of a race over products said: MXT_E_PLAN_MISMATCH names what
 * differs. 0 for a plan without pins.
 */
int mxt_pinned_plan_check_built(const struct mxt_session *session, const struct mxt_duel *duel, const json_t *decision,
				struct mxt_error *err);

/*
 * After such a race. *ret_objection: static text, NULL when at least one pin was seen to act, or there are none. 0,
 * -ENOMEM, -ECANCELED, or a fault of ours.
 */
int mxt_pinned_plan_witness(struct mxt_duel *duel, const json_t *decision, const char **ret_objection,
			    struct mxt_error *err);

#endif
