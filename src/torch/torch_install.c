/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_install.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "python_env.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define MAX_VERSION_PY 65536
#define MAX_METADATA   1048576 /* torch's carries its whole README */
#define MAX_NAMES      65536

/* What is no printable ASCII becomes '?': a plan could not name it, and a terminal must not obey it. */
static void copy_bounded(char out[MXT_TORCH_TEXT], const char *text, size_t len)
{
	size_t keep = len < MXT_TORCH_TEXT ? len : MXT_TORCH_TEXT - 1;
	for (size_t i = 0; i < keep; i++)
		out[i] = (char)(text[i] < ' ' || text[i] > '~' ? '?' : text[i]);
	out[keep] = '\0';
}

/* The quoted text that "name = '...'" or "name: type = '...'" assigns, into out; anything else leaves it alone. */
static void take_assignment(const char *line, const char *name, char out[MXT_TORCH_TEXT])
{
	size_t len = strlen(name), end = strcspn(line, "\n");
	if (strncmp(line, name, len) != 0 || !strchr(" :=", line[len]) || line[len] == '\0')
		return;
	const char *equals = memchr(line, '=', end);
	if (!equals)
		return;
	const char *value = equals + 1 + strspn(equals + 1, " \t");
	if (*value != '\'' && *value != '"')
		return;
	const char *stop = memchr(value + 1, *value, end - (size_t)(value + 1 - line));
	if (stop)
		copy_bounded(out, value + 1, (size_t)(stop - value - 1));
}

void mxt_torch_version_parse(const char *text, struct mxt_torch_version *ret_version)
{
	struct mxt_torch_version version = {"", "", ""};
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		take_assignment(line, "__version__", version.version);
		take_assignment(line, "cuda", version.cuda);
		take_assignment(line, "hip", version.hip);
	}
	*ret_version = version;
}

void mxt_wheel_version_parse(const char *text, char version[MXT_TORCH_TEXT])
{
	static const char key[] = "Version:";
	version[0] = '\0';
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (*line == '\n' || *line == '\0')
			return; /* the header ends */
		if (strncmp(line, key, sizeof key - 1) != 0)
			continue;
		const char *value = line + sizeof key - 1;
		value += strspn(value, " \t");
		copy_bounded(version, value, strcspn(value, " \t\r\n"));
		return;
	}
}

enum mxt_torch_backend mxt_torch_backend_of(const struct mxt_torch_version *version)
{
	if (version->cuda[0])
		return MXT_TORCH_CUDA;
	return version->hip[0] ? MXT_TORCH_HIP : MXT_TORCH_CPU;
}

const char *mxt_torch_backend_name(enum mxt_torch_backend backend)
{
	static const char *const names[] = {
	    [MXT_TORCH_CPU] = "CPU", [MXT_TORCH_CUDA] = "CUDA", [MXT_TORCH_HIP] = "ROCm"};
	return names[backend];
}

const char *mxt_torch_build(const struct mxt_torch_install *install, char text[MXT_TORCH_TEXT + 8])
{
	const struct mxt_torch_version *files = &install->files;
	if (files->cuda[0])
		(void)snprintf(text, MXT_TORCH_TEXT + 8, "CUDA %s", files->cuda);
	else if (files->hip[0])
		(void)snprintf(text, MXT_TORCH_TEXT + 8, "ROCm %s", files->hip);
	else
		(void)snprintf(text, MXT_TORCH_TEXT + 8, "%s", files->version[0] ? "CPU only" : "unknown build");
	return text;
}

/* FOLDER/NAME, appended to *text; an empty text when it is not there. */
static int read_below(const struct mxt_sysroot *root, const char *folder, const char *name, size_t max_bytes,
		      struct mxt_buf *text)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", folder, name);
	int rc = mxt_buf_status(&path, NULL);
	if (rc == 0)
		rc = mxt_sysroot_read(root, mxt_buf_text(&path), max_bytes, text, NULL);
	return rc == -ENOMEM ? rc : 0;
}

static bool is_dist_info(const char *name)
{
	static const char start[] = "torch-", end[] = ".dist-info";
	size_t len = strlen(name);
	return len > strlen(start) + strlen(end) && strncmp(name, start, strlen(start)) == 0 &&
	       strcmp(name + len - strlen(end), end) == 0;
}

static int take_dist_info(const struct mxt_sysroot *root, const char *folder, const char *name,
			  struct mxt_torch_install *install)
{
	MXT_CLEANUP_BUF struct mxt_buf file = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&file, "%s/METADATA", name);
	int rc = mxt_buf_status(&file, NULL);
	if (rc == 0)
		rc = read_below(root, folder, mxt_buf_text(&file), MAX_METADATA, &text);
	if (rc == 0)
		mxt_wheel_version_parse(mxt_buf_text(&text), install->metadata);
	install->n_metadata++;
	return rc;
}

static int look_into(const struct mxt_sysroot *root, const char *folder, struct mxt_torch_install *install)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
	*install = (struct mxt_torch_install){.folder = folder};
	int rc = read_below(root, folder, "torch/version.py", MAX_VERSION_PY, &text);
	if (rc == 0)
		mxt_torch_version_parse(mxt_buf_text(&text), &install->files);
	if (rc == 0)
		rc = mxt_sysroot_list(root, folder, MAX_NAMES, &names, NULL) == -ENOMEM ? -ENOMEM : 0;
	for (size_t i = 0; i < names.count && rc == 0; i++)
		if (is_dist_info(names.names[i]))
			rc = take_dist_info(root, folder, names.names[i], install);
	return rc;
}

int mxt_torch_find(const struct mxt_sysroot *root, const struct mxt_python *python, struct mxt_torch_list *ret_list,
		   struct mxt_error *err)
{
	struct mxt_torch_list list = {calloc(python->n_folders + 1, sizeof *list.items), 0};
	int rc = list.items ? 0 : -ENOMEM;
	for (size_t i = 0; i < python->n_folders && rc == 0; i++) {
		struct mxt_torch_install *install = &list.items[list.count];
		rc = look_into(root, python->folders[i], install);
		if (install->files.version[0] || install->n_metadata)
			list.count++;
	}
	if (rc < 0) {
		mxt_torch_list_finish(&list);
		return mxt_error_oom(err);
	}
	*ret_list = list;
	return 0;
}

void mxt_torch_list_finish(struct mxt_torch_list *list)
{
	free(list->items);
	*list = (struct mxt_torch_list)MXT_TORCH_LIST_INIT;
}
