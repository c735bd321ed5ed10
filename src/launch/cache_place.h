/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the rows of caches.def to places of this environment.
 */
#ifndef MXT_LAUNCH_CACHE_PLACE_H
#define MXT_LAUNCH_CACHE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_error;

struct mxt_cache_place {
	const char *cache; /* static */
	const char *tuned; /* static: patterns of paths that hold choices, separated by blanks */
	char *folder;      /* owned */
	char *pattern; /* owned: of the names of its files, for fnmatch(); NULL: all that is below the folder counts */
};
void mxt_cache_place_finish(struct mxt_cache_place *place);

/* Caches that the table names; each has at most one place. */
#define MXT_CACHE_PLACE_MAX 16

/* Fills `places` with those that have one; NULL-ended environment. */
int mxt_cache_places_find(char *const *environment, struct mxt_cache_place places[MXT_CACHE_PLACE_MAX],
			  size_t *ret_count, struct mxt_error *err) MXT_WUR;

/* The patterns of a cache of the table; NULL: it has none of that name. */
const char *mxt_cache_tuned_patterns(const char *cache);

/* Does a path in a place hold choices? */
bool mxt_cache_place_tunes(const struct mxt_cache_place *place, const char *path);

#endif
