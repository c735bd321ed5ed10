/* SPDX-License-Identifier: Apache-2.0 */
#include "export_lists.h"

#include <errno.h>
#include <stdlib.h>

#include "buf.h"
#include "error.h"
#include "input_file.h"
#include "json.h"
#include "list_sha256.h"
#include "manifest.h"

void mxt_export_lists_finish(struct mxt_export_lists *lists)
{
	for (size_t i = 0; i < lists->count; i++) {
		free(lists->items[i].root);
		free(lists->items[i].sha256);
	}
	free(lists->items);
	mxt_libcrypto_close(&lists->library);
	*lists = (struct mxt_export_lists)MXT_EXPORT_LISTS_INIT;
}

static int check_names(const struct mxt_file_list *list, struct mxt_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		if (mxt_json_is_text(list->entries[i].path))
			continue;
		MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
		mxt_entry_path_show(list->entries[i].path, &shown);
		return mxt_error_set(err, -EINVAL, MXT_E_EXPORT,
				     "the name %s (%s) is no plain text, which this form needs; rename the file and "
				     "make the manifest again",
				     mxt_buf_text(&shown), mxt_list_role_name(list->role));
	}
	return 0;
}

static int no_place(const struct mxt_file_list *list, const char *place, int errnum, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	mxt_entry_path_show(place, &shown);
	return mxt_input_refine(mxt_error_errno(err, errnum, "the %s is not at %s; say where it lies now",
						mxt_list_role_name(list->role), mxt_buf_text(&shown)),
				err);
}

/* Fills an item that is counted already, its list and index set. */
static int take_list(const struct mxt_verify_request *where, struct mxt_export_list *item, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf place = MXT_BUF_INIT;
	int rc = check_names(item->list, err);
	if (rc < 0)
		return rc;
	mxt_verify_place(where, item->index, &place);
	rc = mxt_buf_status(&place, err);
	if (rc < 0)
		return rc;
	item->root = realpath(place.data, NULL);
	if (!item->root)
		return no_place(item->list, place.data, errno, err);
	item->sha256 = calloc(item->list->count ? item->list->count : 1, sizeof *item->sha256);
	return item->sha256 ? 0 : mxt_error_oom(err);
}

/* Takes those lists in that are wanted. */
static int choose(const struct mxt_verify_request *where, bool checkpoint_only, struct mxt_export_lists *lists,
		  struct mxt_error *err)
{
	size_t n = mxt_manifest_n_lists(where->manifest), n_datasets = 0;
	lists->items = calloc(n ? n : 1, sizeof *lists->items);
	if (!lists->items)
		return mxt_error_oom(err);
	int rc = mxt_verify_check_places(where, err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct mxt_file_list *list = mxt_manifest_list(where->manifest, i);
		n_datasets += list->role == MXT_LIST_DATASET;
		if (checkpoint_only && list->role != MXT_LIST_CHECKPOINT)
			continue;
		struct mxt_export_list *item = &lists->items[lists->count++];
		*item = (struct mxt_export_list){.list = list, .index = i, .number = n_datasets};
		rc = take_list(where, item, err);
	}
	return rc;
}

static int digest(const struct mxt_hash_watch *watch, struct mxt_export_lists *lists, struct mxt_error *err)
{
	struct mxt_sha256_work work = {.library = &lists->library, .watch = watch};
	for (size_t i = 0; i < lists->count; i++) {
		work.progress.bytes_total += mxt_file_list_bytes(lists->items[i].list);
		work.progress.files_total += mxt_file_list_files(lists->items[i].list);
	}
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < lists->count; i++) {
		struct mxt_export_list *item = &lists->items[i];
		rc = mxt_list_sha256(&work, item->list, item->root, item->sha256, err);
	}
	return rc;
}

int mxt_export_lists_read(const struct mxt_verify_request *where, bool checkpoint_only,
			  struct mxt_export_lists *ret_lists, struct mxt_error *err)
{
	MXT_CLEANUP_EXPORT_LISTS struct mxt_export_lists lists = MXT_EXPORT_LISTS_INIT;
	int rc = choose(where, checkpoint_only, &lists, err);
	if (rc == 0)
		rc = mxt_libcrypto_open(&lists.library, err);
	if (rc == 0)
		rc = digest(&where->watch, &lists, err);
	if (rc < 0)
		return rc;
	*ret_lists = lists;
	lists = (struct mxt_export_lists)MXT_EXPORT_LISTS_INIT;
	return 0;
}
