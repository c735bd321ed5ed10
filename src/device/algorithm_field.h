/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithms of one race as they stand: who can still win, and what blocks have shown of them. A block times the
 * library's own choice twice and a few others once, in an order drawn anew; others are held against the mean of the
 * two, so that a clock that drifts from block to block touches all alike.
 */
#ifndef MXT_DEVICE_ALGORITHM_FIELD_H
#define MXT_DEVICE_ALGORITHM_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithm_race.h"
#include "compiler.h"
#include "rng.h"

#define MXT_ALGORITHM_BLOCK 7  /* algorithms beside the library's own choice */
#define MXT_ALGORITHM_KEPT  16 /* blocks of which times are kept */

struct mxt_algorithm_standing {
	double gain;     /* sum over blocks, on the log scale of core/gain.h */
	uint32_t blocks; /* that it was timed in */
	bool out;        /* cannot run, or may not win */
};

struct mxt_algorithm_field {
	const struct mxt_algorithm_race *race;
	struct mxt_rng rng;
	struct mxt_algorithm_standing *standings; /* owned, [race->count] */
	uint64_t slot_ns;                         /* of wall clock: the longest block's, by launch */
	/* Logarithms of times since the last restart: the library's choice, its twin, and a block's first algorithm. */
	double chosen[MXT_ALGORITHM_KEPT], twin[MXT_ALGORITHM_KEPT], first[MXT_ALGORITHM_KEPT];
	size_t kept;
};

int mxt_algorithm_field_init(struct mxt_algorithm_field *field, const struct mxt_algorithm_race *race,
			     struct mxt_error *err) MXT_WUR;
void mxt_algorithm_field_finish(struct mxt_algorithm_field *field);

/* Forgets kept times and how long blocks took; standings stay. */
void mxt_algorithm_field_restart(struct mxt_algorithm_field *field);

/* Launches from now on are expected to take this long at least, with all that comes with them. */
void mxt_algorithm_field_expect(struct mxt_algorithm_field *field, uint64_t slot_ns);

/*
 * Times one block of at most MXT_ALGORITHM_BLOCK algorithms. One that refuses is out. Fails as race->time does, and
 * where the library's own choice refuses.
 */
int mxt_algorithm_field_block(struct mxt_algorithm_field *field, const uint32_t *algorithms, size_t count,
			      struct mxt_error *err) MXT_WUR;

/* How many algorithms a block may hold that is to end in time; 0: none fits. */
size_t mxt_algorithm_field_room(const struct mxt_algorithm_field *field, uint64_t end_ns);

/* Its mean gain over the library's choice; 0 where it was never timed. */
double mxt_algorithm_field_gain(const struct mxt_algorithm_field *field, uint32_t algorithm);

/* Puts those that ran before all others, the fastest first, and returns how many these are. */
size_t mxt_algorithm_field_sort(const struct mxt_algorithm_field *field, uint32_t *algorithms, size_t count);

/* Of the kept blocks (at least one): median times in ns, and how far the library's choice and its twin are apart. */
uint64_t mxt_algorithm_field_chosen_ns(const struct mxt_algorithm_field *field);
uint64_t mxt_algorithm_field_first_ns(const struct mxt_algorithm_field *field);
uint32_t mxt_algorithm_field_floor_ppm(const struct mxt_algorithm_field *field);

#endif
