/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Has a device reached its steady clock? A cold card computes faster or more slowly than it will for the whole of a
 * job. Told from times of one and the same work, taken one after the other; arithmetic only.
 */
#ifndef MXT_TUNE_STEADINESS_H
#define MXT_TUNE_STEADINESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MXT_STEADY_READING_NS UINT64_C(250000000) /* what one reading should span */
#define MXT_STEADY_READINGS   4                   /* so many in a row must agree: a second */
#define MXT_STEADY_PPM        20000               /* within this */

/* Starts zeroed. */
struct mxt_steadiness {
	uint64_t last_ns[MXT_STEADY_READINGS]; /* the latest readings, of one run each */
	uint64_t first_ns;
	size_t count; /* of all readings */
};

void mxt_steadiness_add(struct mxt_steadiness *steadiness, uint64_t run_ns);

/* True when the latest MXT_STEADY_READINGS agree; false while there are fewer. */
bool mxt_steadiness_reached(const struct mxt_steadiness *steadiness);

/* How much longer the first reading was than the latest, ppm; negative: shorter. 0 without readings. */
int32_t mxt_steadiness_moved_ppm(const struct mxt_steadiness *steadiness);

#endif
