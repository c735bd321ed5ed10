/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest_operand.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "run_files.h"

bool mxt_operand_folder(const char *operand, struct mxt_buf *folder)
{
	struct stat st;
	const char *slash = strrchr(operand, '/');
	bool is_folder = stat(operand, &st) == 0 && S_ISDIR(st.st_mode);
	size_t len = is_folder ? strlen(operand) : slash ? (size_t)(slash - operand) : 0;
	while (len > 0 && operand[len - 1] == '/')
		len--;
	if (len > 0)
		mxt_buf_append(folder, operand, len);
	else
		mxt_buf_putc(folder, slash ? '/' : '.');
	return is_folder;
}

int mxt_manifest_operand(const char *operand, struct mxt_buf *path, struct mxt_buf *folder, struct mxt_error *err)
{
	bool is_folder = mxt_operand_folder(operand, folder);
	if (is_folder)
		mxt_buf_printf(path, "%s/" MXT_RUN_MANIFEST, mxt_buf_text(folder));
	else
		mxt_buf_puts(path, operand);
	int rc = mxt_buf_status(folder, err);
	if (rc == 0)
		rc = mxt_buf_status(path, err);
	if (rc < 0 || !is_folder || access(path->data, F_OK) == 0 || errno != ENOENT)
		return rc;
	return mxt_error_set(err, -ENOENT, MXT_E_INPUT_FILE,
			     "there is no %s: this is not the folder of a run, or no manifest was made of it, which "
			     "'mindxtrain manifest create RUN_DIR' does",
			     path->data);
}
