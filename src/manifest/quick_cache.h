/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files of a list were seen unchanged here, with which sizes and times: one text file per list and place, in a
 * folder of the user's own. Untrusted, and never needed: what cannot be used is as good as absent.
 *
 *   mindxtrain.seen/1 ID ROLE COUNT
 *   ROOT
 *   DEVICE INODE SIZE MTIME_NS CTIME_NS      or "-" where nothing is known: one line per entry, in the list's order
 *
 * The file's name is the BLAKE3 of the first two lines.
 */
#ifndef MXT_MANIFEST_QUICK_CACHE_H
#define MXT_MANIFEST_QUICK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "file_list.h"

struct mxt_buf;

/* A file whose times are closer than this to when it was read may change once more and leave no trace in them. */
#define MXT_QUICK_SETTLED_NS INT64_C(2000000000)

/* What was neither written nor used for this long is removed when something is stored: 90 days. */
#define MXT_QUICK_KEPT_S ((int64_t)90 * 24 * 3600)

/* Appends $XDG_CACHE_HOME/mindxtrain/verify or $HOME/.cache/mindxtrain/verify; nothing when neither is set. */
void mxt_quick_cache_folder(char *const *environment, struct mxt_buf *buf);

struct mxt_quick_cache {
	const char *folder;
	const char *id;                   /* of the manifest, or of the list */
	const char *root;                 /* where the list lies here: absolute */
	const struct mxt_file_list *list; /* its role and count */
};

/*
 * `identities`: of the list's entries; zero: not seen unchanged. What was not settled at `read_ns` (CLOCK_REALTIME,
 * before the first byte was read) is left out. 0 or -errno; nothing depends on it.
 */
int mxt_quick_cache_store(const struct mxt_quick_cache *cache, const struct mxt_file_identity *identities,
			  int64_t read_ns);

/*
 * Fills `ret_identities` (one per entry), zero where nothing is known. False: there is nothing that can be used,
 * because others may write to the folder, too, for one.
 */
bool mxt_quick_cache_load(const struct mxt_quick_cache *cache, struct mxt_file_identity *ret_identities);

/* The lines behind the first two; false: not exactly `count` of them. */
bool mxt_quick_cache_parse(const char *lines, size_t count, struct mxt_file_identity *ret_identities);

static inline bool mxt_quick_is_known(const struct mxt_file_identity *identity)
{
	return identity->inode != 0;
}

#endif
