/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest_operand.h"

#include <string.h>
#include <sys/stat.h>

#include "run_files.h"

int mxt_manifest_operand(const char *operand, struct mxt_buf *path, struct mxt_buf *folder, struct mxt_error *err)
{
	struct stat st;
	const char *slash = strrchr(operand, '/');
	if (stat(operand, &st) == 0 && S_ISDIR(st.st_mode)) {
		mxt_buf_puts(folder, operand);
		mxt_buf_printf(path, "%s/" MXT_RUN_MANIFEST, operand);
	} else {
		mxt_buf_puts(path, operand);
		if (slash)
			mxt_buf_append(folder, operand, slash > operand ? (size_t)(slash - operand) : 1);
		else
			mxt_buf_putc(folder, '.');
	}
	int rc = mxt_buf_status(path, err);
	return rc < 0 ? rc : mxt_buf_status(folder, err);
}
