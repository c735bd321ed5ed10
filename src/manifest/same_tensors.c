/* SPDX-License-Identifier: Apache-2.0 */
#include "same_tensors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "hash_files.h"
#include "same_result.h"
#include "tensor_difference.h"
#include "tree.h"
#include "verify.h"

struct opened {
	int root_fd, fd;
	char path[512]; /* for messages; cut where it is longer */
};

static void opened_finish(struct opened *opened)
{
	mxt_cleanup_close_(&opened->fd);
	mxt_cleanup_close_(&opened->root_fd);
}

/* Where a list of one side lies. */
static void append_root(const struct mxt_same_side *side, const struct mxt_file_list *list, struct mxt_buf *root)
{
	const struct mxt_verify_request where = {
	    .manifest = side->manifest, .run_folder = side->run_folder, .checkpoint = side->checkpoint};
	for (size_t i = 0; i < mxt_manifest_n_lists(side->manifest); i++)
		if (mxt_manifest_list(side->manifest, i) == list)
			mxt_verify_place(&where, i, root);
}

/* Opens one side's file, which must still be the one of its manifest. */
static int open_side(const struct mxt_same_place *place, size_t side, struct opened *opened, struct mxt_error *err)
{
	const struct mxt_file_entry *entry = place->entries[side];
	MXT_CLEANUP_BUF struct mxt_buf root = MXT_BUF_INIT;
	append_root(place->sides[side], place->lists[side], &root);
	(void)snprintf(opened->path, sizeof opened->path, "%s of %s", entry->path, place->sides[side]->name);
	int rc = mxt_buf_status(&root, err);
	if (rc == 0)
		rc = mxt_tree_open_root(mxt_buf_text(&root), &opened->root_fd, err);
	if (rc < 0)
		return rc;
	struct mxt_hash_request request = {.root_fd = opened->root_fd, .entries = entry, .count = 1};
	struct mxt_hash_outcome outcome;
	rc = mxt_hash_files(&request, &outcome, err);
	if (rc < 0)
		return rc;
	if (outcome.status == 0 && memcmp(outcome.hash, entry->hash, sizeof outcome.hash) != 0)
		return mxt_error_set(err, -ESTALE, MXT_E_TREE_CHANGED, "%s has changed since its manifest was made",
				     opened->path);
	rc = outcome.status < 0 ? outcome.status : mxt_tree_open(opened->root_fd, entry->path, &opened->fd);
	return rc < 0 ? mxt_error_errno(err, -rc, "cannot read %s/%s", mxt_buf_text(&root), entry->path) : 0;
}

int mxt_same_tensors(const struct mxt_same_place *place, struct mxt_buf *text, struct mxt_error *err)
{
	struct opened opened[2] = {{.root_fd = -1, .fd = -1}, {.root_fd = -1, .fd = -1}};
	MXT_CLEANUP_BUF struct mxt_buf found = MXT_BUF_INIT;
	int rc = open_side(place, 0, &opened[0], err);
	if (rc == 0)
		rc = open_side(place, 1, &opened[1], err);
	if (rc == 0) {
		struct mxt_tensor_side sides[2] = {{opened[0].fd, opened[0].path}, {opened[1].fd, opened[1].path}};
		rc = mxt_tensor_difference(sides, &found, err);
	}
	if (rc == 0)
		mxt_buf_printf(text, ": %s", mxt_buf_text(&found));
	opened_finish(&opened[0]);
	opened_finish(&opened[1]);
	return rc;
}
