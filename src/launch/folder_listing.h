/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of one folder, by a pattern of their names.
 */
#ifndef MXT_LAUNCH_FOLDER_LISTING_H
#define MXT_LAUNCH_FOLDER_LISTING_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;

/* How many are listed: what processes of a run leave is theirs, not ours. */
#define MXT_FOLDER_MAX_FILES 4096

struct mxt_folder_listing {
	char **paths; /* owned, sorted */
	size_t count;
};
#define MXT_CLEANUP_FOLDER_LISTING MXT_CLEANUP(mxt_folder_listing_finish)

/*
 * Not glob(): the folder's own name may hold its special characters. Names that begin with a dot are left out. Fails
 * for memory, and for a folder that cannot be read (then -errno).
 */
int mxt_folder_listing_make(struct mxt_folder_listing *ret_listing, const char *folder, const char *pattern,
			    struct mxt_error *err) MXT_WUR;
void mxt_folder_listing_finish(struct mxt_folder_listing *listing);

#endif
