/* SPDX-License-Identifier: Apache-2.0 */
#include "python_folders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "python_env.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define MAX_CONFIG  65536
#define MAX_NAMES   4096
#define MAX_FOLDERS 256
#define DIGITS      "0123456789"
#define PYTHON3     "python3."

/* Copies `len` bytes, cut to the buffer. */
static void copy_bounded(char *out, size_t size, const char *text, size_t len)
{
	size_t keep = len < size ? len : size - 1;
	memcpy(out, text, keep);
	out[keep] = '\0';
}

/* The value behind "key = "; NULL when the line has another key. */
static const char *config_value(const char *line, const char *key)
{
	size_t len = strlen(key);
	if (strncmp(line, key, len) != 0)
		return NULL;
	line += len + strspn(line + len, " \t");
	return *line == '=' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

/* "3.11.7.final.0" is version 3.11.7. */
static void take_version(char version[24], const char *value)
{
	size_t len = strspn(value, DIGITS ".");
	while (len && value[len - 1] == '.')
		len--;
	copy_bounded(version, 24, value, len);
}

void mxt_pyvenv_parse(const char *text, struct mxt_pyvenv *ret_pyvenv)
{
	struct mxt_pyvenv pyvenv = {"", false};
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		const char *version = config_value(line, "version");
		if (!version)
			version = config_value(line, "version_info");
		if (version)
			take_version(pyvenv.version, version);
		const char *system = config_value(line, "include-system-site-packages");
		if (system)
			pyvenv.system_packages = strncmp(system, "true", 4) == 0;
	}
	*ret_pyvenv = pyvenv;
}

/* The path without its last two components: /usr for /usr/bin/python3. False when it has fewer. */
static bool prefix_of(const char *program, struct mxt_buf *prefix)
{
	mxt_buf_puts(prefix, program);
	for (int i = 0; i < 2; i++) {
		const char *slash = prefix->len ? strrchr(prefix->data, '/') : NULL;
		if (!slash)
			return false;
		mxt_buf_truncate(prefix, (size_t)(slash - prefix->data));
	}
	return true;
}

/* "3.11" of "3.11.7"; false when the version does not have two numbers. */
static bool short_version(const char *version, char out[16])
{
	size_t major = strspn(version, DIGITS);
	size_t minor = version[major] == '.' ? strspn(version + major + 1, DIGITS) : 0;
	if (major == 0 || minor == 0)
		return false;
	copy_bounded(out, 16, version, major + 1 + minor);
	return true;
}

/* 1, 0, or -ENOMEM. */
static int is_folder(const struct mxt_sysroot *root, const char *path)
{
	MXT_CLEANUP_FREE char *full = mxt_sysroot_path(root, path);
	struct stat st;
	if (!full)
		return -ENOMEM;
	return stat(full, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has_folder(const struct mxt_python *python, const char *path)
{
	for (size_t i = 0; i < python->n_folders; i++)
		if (strcmp(python->folders[i], path) == 0)
			return true;
	return false;
}

/* Adds a folder that exists and is not there yet under any of its names (lib64 is often a link to lib). */
static int add_folder(const struct mxt_sysroot *root, const char *path, struct mxt_python *python)
{
	MXT_CLEANUP_FREE char *resolved = NULL;
	int rc = mxt_sysroot_resolve(root, path, &resolved, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	if (python->n_folders == MAX_FOLDERS || has_folder(python, resolved))
		return 0;
	rc = is_folder(root, resolved);
	if (rc <= 0)
		return rc;
	char **folders = realloc(python->folders, (python->n_folders + 1) * sizeof *folders);
	if (!folders)
		return -ENOMEM;
	python->folders = folders;
	python->folders[python->n_folders++] = mxt_steal_ptr(&resolved);
	return 0;
}

static int add_python_path(const struct mxt_sysroot *root, const char *path, struct mxt_python *python)
{
	int rc = 0;
	while (path && *path && rc == 0) {
		size_t len = strcspn(path, ":");
		MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
		mxt_buf_append(&folder, path, len);
		rc = mxt_buf_status(&folder, NULL);
		if (rc == 0 && path[0] == '/')
			rc = add_folder(root, mxt_buf_text(&folder), python);
		path += len + (path[len] == ':');
	}
	return rc;
}

/* PREFIX before VERSION after, in the order of sys.path; `only` restricts a row to one prefix. */
static const struct layout {
	const char *only, *prefix, *before, *after;
} layouts[] = {
    {"/usr", "/usr/local", "/lib/python", "/dist-packages"}, {"/usr", "/usr/local", "/lib64/python", "/site-packages"},
    {"/usr", "/usr/local", "/lib/python", "/site-packages"}, {NULL, NULL, "/lib/python", "/site-packages"},
    {NULL, NULL, "/lib64/python", "/site-packages"},
};

static int add_layout(const struct mxt_sysroot *root, const struct layout *layout, const char *prefix,
		      const char *version, struct mxt_python *python)
{
	if (layout->only && strcmp(layout->only, prefix) != 0)
		return 0;
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	mxt_buf_printf(&folder, "%s%s%s%s", layout->prefix ? layout->prefix : prefix, layout->before, version,
		       layout->after);
	int rc = mxt_buf_status(&folder, NULL);
	return rc < 0 ? rc : add_folder(root, mxt_buf_text(&folder), python);
}

static int add_prefix(const struct mxt_sysroot *root, const char *prefix, const char *version,
		      struct mxt_python *python)
{
	int rc = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(layouts) && rc == 0; i++)
		rc = add_layout(root, &layouts[i], prefix, version, python);
	if (rc == 0 && strcmp(prefix, "/usr") == 0)
		rc = add_folder(root, "/usr/lib/python3/dist-packages", python);
	return rc;
}

static int add_user_site(const struct mxt_sysroot *root, char *const *environment, const char *version,
			 struct mxt_python *python)
{
	const char *home = mxt_environ_get(environment, "HOME"),
		   *off = mxt_environ_get(environment, "PYTHONNOUSERSITE");
	if (!home || home[0] != '/' || (off && *off))
		return 0;
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	mxt_buf_printf(&folder, "%s/.local/lib/python%s/site-packages", home, version);
	int rc = mxt_buf_status(&folder, NULL);
	return rc < 0 ? rc : add_folder(root, mxt_buf_text(&folder), python);
}

/* "3.11" when the prefix holds exactly one lib/python3.N. */
static int only_version(const struct mxt_sysroot *root, const char *prefix, char version[24])
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
	mxt_buf_printf(&path, "%s/lib", prefix);
	int rc = mxt_buf_status(&path, NULL);
	if (rc == 0)
		rc = mxt_sysroot_list(root, mxt_buf_text(&path), MAX_NAMES, &names, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	size_t found = 0;
	for (size_t i = 0; i < names.count; i++)
		if (strncmp(names.names[i], PYTHON3, strlen(PYTHON3)) == 0) {
			take_version(version, names.names[i] + strlen("python"));
			found++;
		}
	if (found != 1)
		version[0] = '\0';
	return 0;
}

/* What python->version does not have yet: the program's name (python3.11), else what is installed beside it. */
static int guess_version(const struct mxt_sysroot *root, const char *base_prefix, struct mxt_python *python)
{
	const char *name = strrchr(python->program, '/') + 1;
	if (python->version[0] == '\0' && strncmp(name, PYTHON3, strlen(PYTHON3)) == 0)
		take_version(python->version, name + strlen("python"));
	return python->version[0] ? 0 : only_version(root, base_prefix, python->version);
}

/* pyvenv.cfg beside the interpreter's folder makes a virtual environment. */
static int read_pyvenv(const struct mxt_sysroot *root, const char *prefix, struct mxt_pyvenv *pyvenv, bool *ret_present)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/pyvenv.cfg", prefix);
	int rc = mxt_buf_status(&path, NULL);
	if (rc == 0)
		rc = mxt_sysroot_read(root, mxt_buf_text(&path), MAX_CONFIG, &text, NULL);
	*ret_present = rc == 0;
	if (rc == 0)
		mxt_pyvenv_parse(mxt_buf_text(&text), pyvenv);
	return rc == -ENOMEM ? rc : 0;
}

static int add_all(const struct mxt_sysroot *root, char *const *environment, const char *prefix,
		   const char *base_prefix, bool system_packages, struct mxt_python *python)
{
	char version[16];
	int rc = add_python_path(root, mxt_environ_get(environment, "PYTHONPATH"), python);
	if (!short_version(python->version, version))
		return rc;
	if (rc == 0 && python->virtual_environment)
		rc = add_prefix(root, prefix, version, python);
	if (rc == 0 && system_packages)
		rc = add_user_site(root, environment, version, python);
	return rc == 0 && system_packages ? add_prefix(root, base_prefix, version, python) : rc;
}

int mxt_python_find_folders(const struct mxt_sysroot *root, char *const *environment, struct mxt_python *python)
{
	MXT_CLEANUP_BUF struct mxt_buf prefix = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf base_prefix = MXT_BUF_INIT;
	struct mxt_pyvenv pyvenv = {"", true};
	if (!prefix_of(python->interpreter, &prefix) || !prefix_of(python->program, &base_prefix))
		return prefix.failed || base_prefix.failed ? -ENOMEM : 0;
	int rc = read_pyvenv(root, mxt_buf_text(&prefix), &pyvenv, &python->virtual_environment);
	if (rc < 0)
		return rc;
	memcpy(python->version, pyvenv.version, sizeof python->version);
	rc = guess_version(root, mxt_buf_text(&base_prefix), python);
	if (rc < 0)
		return rc;
	return add_all(root, environment, mxt_buf_text(&prefix), mxt_buf_text(&base_prefix), pyvenv.system_packages,
		       python);
}
