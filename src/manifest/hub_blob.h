/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the local cache of the Hugging Face Hub: a folder snapshots/REVISION of a repository holds links,
 * ../../blobs/ NAME, to files that lie beside the snapshots (huggingface_hub, "Understand caching"). Such a link counts
 * as the file that it leads to, where the root of a list is a snapshot or a folder in one. No other link does.
 */
#ifndef MXT_MANIFEST_HUB_BLOB_H
#define MXT_MANIFEST_HUB_BLOB_H

#include <limits.h>
#include <stdbool.h>

/*
 * Whether the link at `path` below the root, with the text `target`, is one of these; then `ret_blob` is the way from
 * the root's descriptor to the file, which is a regular one.
 */
bool mxt_hub_blob_find(int root_fd, const char *path, const char *target, char ret_blob[PATH_MAX]);

#endif
