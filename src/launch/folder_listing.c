/* SPDX-License-Identifier: Apache-2.0 */
#include "folder_listing.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"

void mxt_folder_listing_finish(struct mxt_folder_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free(listing->paths[i]);
	free(listing->paths);
	*listing = (struct mxt_folder_listing){NULL, 0};
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int append_path(struct mxt_folder_listing *listing, const char *folder, const char *name, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	char **grown = realloc(listing->paths, (listing->count + 1) * sizeof *grown);
	if (!grown)
		return mxt_error_oom(err);
	listing->paths = grown;
	mxt_buf_printf(&path, "%s/%s", folder, name);
	int rc = mxt_buf_status(&path, err);
	if (rc == 0)
		listing->paths[listing->count++] = mxt_buf_steal(&path);
	return rc;
}

int mxt_folder_listing_make(struct mxt_folder_listing *ret_listing, const char *folder, const char *pattern,
			    struct mxt_error *err)
{
	MXT_CLEANUP_FOLDER_LISTING struct mxt_folder_listing listing = {NULL, 0};
	MXT_CLEANUP_DIR DIR *dir = opendir(folder);
	const struct dirent *row;
	int rc = 0;
	if (!dir)
		return mxt_error_errno(err, errno, "cannot read %s", folder);
	while (rc == 0 && listing.count < MXT_FOLDER_MAX_FILES && (row = readdir(dir)))
		if (fnmatch(pattern, row->d_name, FNM_PERIOD) == 0)
			rc = append_path(&listing, folder, row->d_name, err);
	if (rc < 0)
		return rc;
	if (listing.count > 0)
		qsort(listing.paths, listing.count, sizeof *listing.paths, compare_paths);
	*ret_listing = listing;
	listing = (struct mxt_folder_listing){NULL, 0};
	return 0;
}
