/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did the pins act? Whoever reads them says nothing when it does not take a file, or a row. So each pinned product is
 * timed by itself, in turns, by the workers of a race that is over: bare's and the plan's. Internal to src/tune.
 */
#ifndef MXT_TUNE_PIN_WITNESS_H
#define MXT_TUNE_PIN_WITNESS_H

#include <stdint.h>

struct mxt_duel;
struct mxt_error;
struct mxt_gemm;
struct mxt_session;

enum mxt_pin_sight {
	MXT_PIN_SEEN,
	MXT_PIN_UNSEEN,
	MXT_PIN_UNTIMED, /* a worker failed, or time ran out */
};

/* Does the plan's worker save at least half of `bound_ppm` on this product? 0, -ENOMEM, -ECANCELED, or a fault of ours.
 */
int mxt_pin_look(struct mxt_duel *duel, const struct mxt_gemm *product, int32_t bound_ppm,
		 enum mxt_pin_sight *ret_sight, struct mxt_error *err);

/*
 * Takes pins back that do not show at least half of what they should surely save, and all of them when the others no
 * longer save enough. Does nothing unless pins ship. 0, -ENOMEM, -ECANCELED, or a fault of ours.
 */
int mxt_pins_witness(struct mxt_session *session, struct mxt_duel *duel, struct mxt_error *err);

#endif
