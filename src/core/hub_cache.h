/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The local cache of the Hugging Face Hub, read without network: models--ORG--NAME/refs/REVISION names the commit,
 * snapshots/COMMIT/config.json is the file.
 */
#ifndef MXT_CORE_HUB_CACHE_H
#define MXT_CORE_HUB_CACHE_H

#include <stdbool.h>

#include "buf.h"

struct mxt_error;

/* True for what can be an id on the Hub: NAME or ORG/NAME of letters, digits, '-', '_' and '.', no "..", no "--". */
bool mxt_hub_id_valid(const char *hub_id);

/*
 * Appends the folder of the cache: $HF_HUB_CACHE, $HUGGINGFACE_HUB_CACHE, $HF_HOME/hub,
 * $XDG_CACHE_HOME/huggingface/hub or $HOME/.cache/huggingface/hub. Nothing when none of them is set.
 */
void mxt_hub_cache_folder(char *const *environment, struct mxt_buf *buf);

/*
 * Appends the path of the cached config.json of a valid id; `revision` NULL: main. -ENOENT without touching *err when
 * it is not there.
 */
int mxt_hub_cache_find(const char *hub_id, const char *revision, char *const *environment, struct mxt_buf *path,
		       struct mxt_error *err);

/*
 * Appends the folder of a snapshot of a valid id, in the cache at `cache`. `kind`: "models" or "datasets"; otherwise as
 * above.
 */
int mxt_hub_cache_snapshot(const char *cache, const char *kind, const char *hub_id, const char *revision,
			   struct mxt_buf *path, struct mxt_error *err);

#endif
