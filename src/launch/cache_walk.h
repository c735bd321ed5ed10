/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded walk through a folder that others write to.
 */
#ifndef MXT_LAUNCH_CACHE_WALK_H
#define MXT_LAUNCH_CACHE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "compiler.h"

struct mxt_error;

struct mxt_cache_walk {
	const char *folder;
	const char *pattern;  /* of the names of files directly in it; NULL: all files below it */
	size_t most;          /* entries that are looked at */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
	/* Of a regular file, `path` relative to the folder. 0, or -ENOMEM with *err filled, which ends the walk. */
	int (*visit)(void *context, const char *path, const struct stat *st, struct mxt_error *err);
	void *context;
};

/*
 * Links below the folder are not followed. What cannot be read, or goes away meanwhile, holds nothing. *ret_partly: not
 * all was looked at.
 */
int mxt_cache_walk(const struct mxt_cache_walk *walk, bool *ret_partly, struct mxt_error *err) MXT_WUR;

#endif
