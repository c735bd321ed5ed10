/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did the pins act? Whoever reads them says nothing when it does not take a file, or a row. So each pinned product is
 * timed by itself, in turns, by the workers of a race that is over: bare's and the plan's. Internal to src/tune.
 */
#ifndef MXT_TUNE_PIN_WITNESS_H
#define MXT_TUNE_PIN_WITNESS_H

struct mxt_duel;
struct mxt_error;
struct mxt_session;

/*
 * Takes pins back that do not show at least half of what they should surely save, and all of them when the others no
 * longer save enough. Does nothing unless pins ship. 0, -ENOMEM, -ECANCELED, or a fault of ours.
 */
int mxt_pins_witness(struct mxt_session *session, struct mxt_duel *duel, struct mxt_error *err);

#endif
