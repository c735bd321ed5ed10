/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files of a manifest were seen unchanged here, with which sizes and times: one text file per manifest and place,
 * in a folder of the user's own. Untrusted, and never needed: what cannot be used is as good as absent.
 */
#ifndef MXT_MANIFEST_QUICK_CACHE_H
#define MXT_MANIFEST_QUICK_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "file_list.h"

struct mxt_buf;
struct mxt_error;

/* Appends $XDG_CACHE_HOME/mindxtrain/verify or $HOME/.cache/mindxtrain/verify; nothing when neither is set. */
void mxt_quick_cache_folder(char *const *environment, struct mxt_buf *buf);

/*
 * Identities of a list's entries in its order; what was not hashed has a zero identity. A file that changed less than
 * two seconds before it was read is left zero: a later change could leave no trace in its times.
 */
int mxt_quick_cache_store(const char *folder, const char *manifest_id, const struct mxt_file_list *list,
			  const char *root, const struct mxt_file_identity *identities, struct mxt_error *err) MXT_WUR;

/* Fills `ret_identities` (list->count), zero where nothing is known. False: there is none that can be used. */
bool mxt_quick_cache_load(const char *folder, const char *manifest_id, const struct mxt_file_list *list,
			  const char *root, struct mxt_file_identity *ret_identities);

#endif
