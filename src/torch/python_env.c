/* SPDX-License-Identifier: Apache-2.0 */
#include "python_env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "error.h"
#include "python_folders.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define MAX_HEAD    4096 /* enough of a program to see whether it is a script, and whose */
#define MAX_VERSION 4096

void mxt_python_finish(struct mxt_python *python)
{
	free(python->interpreter);
	free(python->program);
	for (size_t i = 0; i < python->n_folders; i++)
		free(python->folders[i]);
	free(python->folders);
	*python = (struct mxt_python)MXT_PYTHON_INIT;
}

/* -ENOENT when `path`, links followed, is not of the kind; else the end of the links. */
static int resolve_kind(const struct mxt_sysroot *root, const char *path, mode_t kind, char **ret_resolved)
{
	MXT_CLEANUP_FREE char *resolved = NULL;
	int rc = mxt_sysroot_resolve(root, path, &resolved, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : -ENOENT;
	MXT_CLEANUP_FREE char *full = mxt_sysroot_path(root, resolved);
	if (!full)
		return -ENOMEM;
	struct stat st;
	if (stat(full, &st) < 0 || (st.st_mode & S_IFMT) != kind)
		return -ENOENT;
	*ret_resolved = mxt_steal_ptr(&resolved);
	return 0;
}

/* Makes `path` (taken over) the interpreter when a file is there. */
static int try_program(const struct mxt_sysroot *root, struct mxt_buf *path, struct mxt_python *python)
{
	MXT_CLEANUP_FREE char *interpreter = mxt_buf_steal(path);
	if (!interpreter)
		return -ENOMEM;
	int rc = resolve_kind(root, interpreter, S_IFREG, &python->program);
	if (rc == 0)
		python->interpreter = mxt_steal_ptr(&interpreter);
	return rc;
}

static int try_in_folder(const struct mxt_sysroot *root, const char *folder, size_t len, const char *name,
			 struct mxt_python *python)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_append(&path, folder, len);
	mxt_buf_printf(&path, "/%s", name);
	return try_program(root, &path, python);
}

/* FOLDER/bin/python3 or FOLDER/bin/python, as in virtual environments. */
static int try_prefix(const struct mxt_sysroot *root, const char *prefix, struct mxt_python *python)
{
	if (!prefix || prefix[0] != '/')
		return -ENOENT;
	int rc = try_in_folder(root, prefix, strlen(prefix), "bin/python3", python);
	return rc == -ENOENT ? try_in_folder(root, prefix, strlen(prefix), "bin/python", python) : rc;
}

/* Relative and empty entries of PATH depend on where one stands; they are not looked at. */
static int try_path(const struct mxt_sysroot *root, const char *path, const char *name, struct mxt_python *python)
{
	int rc = -ENOENT;
	while (path && *path && rc == -ENOENT) {
		size_t len = strcspn(path, ":");
		if (path[0] == '/')
			rc = try_in_folder(root, path, len, name, python);
		path += len + (path[len] == ':');
	}
	return rc;
}

static int find_by_environment(const struct mxt_sysroot *root, char *const *environment, struct mxt_python *python)
{
	static const char *const prefixes[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
	static const char *const names[] = {"python3", "python"};
	int rc = -ENOENT;
	for (size_t i = 0; i < MXT_ARRAY_LEN(prefixes) && rc == -ENOENT; i++) {
		python->found_by = prefixes[i];
		rc = try_prefix(root, mxt_environ_get(environment, prefixes[i]), python);
	}
	for (size_t i = 0; i < MXT_ARRAY_LEN(names) && rc == -ENOENT; i++) {
		python->found_by = "PATH";
		rc = try_path(root, mxt_environ_get(environment, "PATH"), names[i], python);
	}
	return rc;
}

/* A relative path stands below the current directory, or below the root of a recorded machine. */
static int make_absolute(const struct mxt_sysroot *root, const char *path, struct mxt_buf *absolute)
{
	if (path[0] != '/' && mxt_sysroot_is_live(root)) {
		MXT_CLEANUP_FREE char *here = getcwd(NULL, 0);
		if (!here)
			return -errno;
		mxt_buf_puts(absolute, here);
	}
	mxt_buf_printf(absolute, "%s%s", path[0] == '/' ? "" : "/", path);
	return mxt_buf_status(absolute, NULL);
}

static bool called_python(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	return strstr(name, "python") || strstr(name, "pypy");
}

/* Any file would do for a program; one that is not called a Python, and links to none, is some other file. */
static bool is_some_python(const struct mxt_python *python)
{
	return called_python(python->interpreter) || called_python(python->program);
}

static void forget(struct mxt_python *python)
{
	mxt_python_finish(python);
	*python = (struct mxt_python)MXT_PYTHON_INIT;
}

/* A name to look for on PATH, a program, or the folder of an environment: "env" is that of env(1) on PATH, too. */
static int look_for_named(const struct mxt_sysroot *root, char *const *environment, const char *named,
			  struct mxt_python *python)
{
	int rc = -ENOENT;
	if (!strchr(named, '/'))
		rc = try_path(root, mxt_environ_get(environment, "PATH"), named, python);
	if (rc != -ENOENT && (rc < 0 || is_some_python(python)))
		return rc;
	forget(python);
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	rc = make_absolute(root, named, &path);
	if (rc < 0)
		return rc;
	rc = try_prefix(root, mxt_buf_text(&path), python);
	return rc == -ENOENT ? try_program(root, &path, python) : rc;
}

static int find_named(const struct mxt_sysroot *root, char *const *environment, const char *named,
		      struct mxt_python *python)
{
	int rc = look_for_named(root, environment, named, python);
	python->found_by = "--python";
	return rc == 0 && !is_some_python(python) ? -ENOENT : rc;
}

/* The first bytes of the program; an empty text when it cannot be read. */
static int read_head(const struct mxt_sysroot *root, const char *program, struct mxt_buf *head)
{
	int rc = mxt_sysroot_read(root, program, MAX_HEAD, head, NULL);
	return rc == -ENOMEM ? rc : 0;
}

/* pyenv's version in force: PYENV_VERSION, else what ROOT/version says; only the first of several. */
static int pyenv_version(const struct mxt_sysroot *root, char *const *environment, const struct mxt_buf *pyenv_root,
			 struct mxt_buf *version)
{
	const char *forced = mxt_environ_get(environment, "PYENV_VERSION");
	if (forced && *forced) {
		mxt_buf_puts(version, forced);
	} else {
		MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
		mxt_buf_printf(&path, "%s/version", mxt_buf_text(pyenv_root));
		int rc = mxt_buf_status(&path, NULL);
		if (rc == 0)
			rc = mxt_sysroot_read(root, mxt_buf_text(&path), MAX_VERSION, version, NULL);
		if (rc < 0)
			return rc;
	}
	mxt_buf_truncate(version, strcspn(mxt_buf_text(version), ":\n \t"));
	return mxt_buf_status(version, NULL);
}

/* ROOT/shims/python3 starts ROOT/versions/VERSION/bin/python3. */
static int follow_pyenv(const struct mxt_sysroot *root, char *const *environment, struct mxt_python *python)
{
	static const char shims[] = "/shims/";
	const char *at = strstr(python->program, shims);
	if (!at)
		return -ENOENT;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf version = MXT_BUF_INIT;
	mxt_buf_append(&path, python->program, (size_t)(at - python->program));
	int rc = mxt_buf_status(&path, NULL);
	if (rc == 0)
		rc = pyenv_version(root, environment, &path, &version);
	if (rc < 0)
		return rc;
	mxt_buf_printf(&path, "/versions/%s", mxt_buf_text(&version));
	struct mxt_python behind = {.found_by = python->found_by};
	rc = mxt_buf_status(&path, NULL);
	if (rc == 0)
		rc = try_prefix(root, mxt_buf_text(&path), &behind);
	if (rc < 0)
		return rc;
	mxt_python_finish(python);
	*python = behind;
	return 0;
}

static int look_behind_script(const struct mxt_sysroot *root, char *const *environment, struct mxt_python *python)
{
	MXT_CLEANUP_BUF struct mxt_buf head = MXT_BUF_INIT;
	int rc = read_head(root, python->program, &head);
	if (rc < 0 || strncmp(mxt_buf_text(&head), "#!", 2) != 0)
		return rc;
	rc = strstr(mxt_buf_text(&head), "pyenv") ? follow_pyenv(root, environment, python) : -ENOENT;
	python->script = rc < 0;
	return rc == -ENOMEM ? rc : 0;
}

int mxt_python_find(const struct mxt_sysroot *root, char *const *environment, const char *named,
		    struct mxt_python *ret_python, struct mxt_error *err)
{
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	int rc =
	    named ? find_named(root, environment, named, &python) : find_by_environment(root, environment, &python);
	if (rc == 0)
		rc = look_behind_script(root, environment, &python);
	if (rc == 0 && !python.script)
		rc = mxt_python_find_folders(root, environment, &python);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc < 0 && named)
		return mxt_error_set(err, -ENOENT, MXT_E_NO_PYTHON,
				     "--python %s: no Python is there; name its interpreter, or the folder of its "
				     "environment",
				     named);
	*ret_python = python;
	python = (struct mxt_python)MXT_PYTHON_INIT;
	return 0;
}
