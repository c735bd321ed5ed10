/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest_files.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include "b3_list.h"
#include "b3_name.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "manifest.h"
#include "run_files.h"

static int remove_lists(const char *folder, struct mxt_error *err)
{
	MXT_CLEANUP_DIR DIR *dir = opendir(folder);
	const struct dirent *row;
	if (!dir)
		return mxt_error_errno(err, errno, "cannot read the folder %s", folder);
	while ((row = readdir(dir)))
		if (mxt_b3_is_name(row->d_name) && unlinkat(dirfd(dir), row->d_name, 0) < 0 && errno != ENOENT &&
		    errno != EISDIR) /* a folder of such a name is the run's own */
			return mxt_error_errno(err, errno, "cannot remove %s/%s", folder, row->d_name);
	return 0;
}

static int join(const char *folder, const char *name, struct mxt_buf *path, struct mxt_error *err)
{
	mxt_buf_printf(path, "%s/%s", folder, name);
	return mxt_buf_status(path, err);
}

static int remove_signature(const char *folder, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	int rc = join(folder, MXT_RUN_SIGNATURE, &path, err);
	if (rc < 0 || unlink(mxt_buf_text(&path)) == 0 || errno == ENOENT || errno == EISDIR)
		return rc;
	return mxt_error_errno(err, errno, "cannot remove %s, which signs another manifest", path.data);
}

static int write_document(const struct mxt_manifest *manifest, const char *folder, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	int rc = mxt_manifest_text(manifest, &text, err);
	if (rc == 0)
		rc = join(folder, MXT_RUN_MANIFEST, &path, err);
	if (rc < 0)
		return rc;
	mxt_file_drop_link(path.data); /* what ran may have left one to a file of somebody else */
	rc = mxt_file_check_writable(mxt_buf_text(&path), err);
	if (rc == 0)
		rc = remove_lists(folder, err);
	if (rc == 0)
		rc = mxt_file_replace(path.data, text.data, text.len, err);
	return rc == 0 ? remove_signature(folder, err) : rc;
}

static int write_list(const struct mxt_manifest *manifest, size_t i, const char *folder, size_t *left_out,
		      struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
	size_t unnamed = 0;
	mxt_b3_list_text(mxt_manifest_list(manifest, i), &text, &unnamed);
	mxt_b3_name(manifest, i, &name);
	int rc = mxt_buf_status(&text, err);
	if (rc == 0)
		rc = mxt_buf_status(&name, err);
	if (rc == 0)
		rc = join(folder, mxt_buf_text(&name), &path, err);
	if (rc == 0)
		rc = mxt_file_replace(path.data, mxt_buf_text(&text), text.len, err);
	*left_out += unnamed;
	return rc;
}

int mxt_manifest_write(const struct mxt_manifest *manifest, const char *run_folder, size_t *ret_left_out,
		       struct mxt_error *err)
{
	size_t left_out = 0;
	int rc = write_document(manifest, run_folder, err);
	for (size_t i = 0; rc == 0 && i < mxt_manifest_n_lists(manifest); i++)
		rc = write_list(manifest, i, run_folder, &left_out, err);
	if (rc == 0)
		*ret_left_out = left_out;
	return rc;
}
