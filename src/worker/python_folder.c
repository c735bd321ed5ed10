/* SPDX-License-Identifier: Apache-2.0 */
#include "python_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "error.h"

#define BELOW_PREFIX "/share/mindxtrain/python"

/* Of the first n characters of a path: how many its parent has. */
static size_t parent_length(const char *path, size_t n)
{
	const char *slash = memrchr(path, '/', n);
	return slash ? (size_t)(slash - path) : 0;
}

/* Appends the folder in which the running program's bin/ is; the kernel's path has no links and no "..". */
static int program_prefix(struct mxt_buf *path, struct mxt_error *err)
{
	char program[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", program, sizeof program);
	if (len < 0)
		return mxt_error_errno(err, errno, "cannot tell where this program lies");
	mxt_buf_append(path, program, parent_length(program, parent_length(program, (size_t)len)));
	return 0;
}

static int check(const char *folder, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf file = MXT_BUF_INIT;
	mxt_buf_printf(&file, "%s/mindxtrain_plan/__init__.py", folder);
	int rc = mxt_buf_status(&file, err);
	if (rc < 0 || access(mxt_buf_text(&file), R_OK) == 0)
		return rc;
	return mxt_error_set(err, -ENOENT, MXT_E_PYTHON_FILES, "there is no %s; install the program with its share/",
			     mxt_buf_text(&file));
}

int mxt_python_folder(char *const *environment, char **ret_folder, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	const char *named = environment ? mxt_environ_get(environment, "MXT_PYTHON_DIR") : NULL;
	int rc = 0;
	if (named && *named)
		mxt_buf_puts(&path, named);
	else
		rc = program_prefix(&path, err);
	if (rc == 0 && !(named && *named))
		mxt_buf_puts(&path, BELOW_PREFIX);
	if (rc == 0)
		rc = mxt_buf_status(&path, err);
	if (rc == 0)
		rc = check(mxt_buf_text(&path), err);
	if (rc == 0)
		*ret_folder = mxt_buf_steal(&path);
	return rc;
}

int mxt_python_script(char *const *environment, const char *name, struct mxt_buf *path, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *folder = NULL;
	int rc = mxt_python_folder(environment, &folder, err);
	if (rc < 0)
		return rc;
	mxt_buf_printf(path, "%s/mindxtrain_plan/%s", folder, name);
	return mxt_buf_status(path, err);
}
