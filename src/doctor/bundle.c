/* SPDX-License-Identifier: Apache-2.0 */
#include "bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "tar.h"
#include "variables.h"

#define MACHINE "machine"

void mxt_bundle_init(struct mxt_bundle *bundle, const char *host, char *const *environment)
{
	*bundle = (struct mxt_bundle){.failed = false};
	mxt_anonymous_init(&bundle->anonymous, host, environment);
}

void mxt_bundle_finish(struct mxt_bundle *bundle)
{
	for (size_t i = 0; i < bundle->n_files; i++) {
		free(bundle->files[i].name);
		free(bundle->files[i].bytes);
	}
	free(bundle->files);
	mxt_anonymous_finish(&bundle->anonymous);
	*bundle = (struct mxt_bundle){.failed = false};
}

static int grow(struct mxt_bundle *bundle)
{
	struct mxt_bundle_file *files =
	    mxt_array_reserve(bundle->files, bundle->n_files, &bundle->capacity, sizeof *files);
	if (!files)
		return -ENOMEM;
	bundle->files = files;
	return 0;
}

/* `bytes` NULL: the file is only known to be there. */
static void add(struct mxt_bundle *bundle, const char *folder, const char *name, const char *bytes, size_t len)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	struct mxt_bundle_file file = {.len = len < MXT_BUNDLE_FILE_MAX ? len : MXT_BUNDLE_FILE_MAX};
	mxt_buf_printf(&path, "%s%s", folder, name);
	file.name = mxt_buf_steal(&path);
	file.bytes = bytes ? malloc(file.len + 1) : NULL;
	if (!file.name || (bytes && !file.bytes) || grow(bundle) < 0) {
		free(file.name);
		free(file.bytes);
		bundle->failed = true;
		return;
	}
	if (bytes)
		memcpy(file.bytes, bytes, file.len);
	bundle->files[bundle->n_files++] = file;
}

static void on_read(void *context, const char *path, const char *data, size_t len)
{
	add(context, MACHINE, path, data, len);
}

static void on_seen(void *context, const char *path)
{
	add(context, MACHINE, path, NULL, 0);
}

struct mxt_sysroot_tap mxt_bundle_tap(struct mxt_bundle *bundle)
{
	return (struct mxt_sysroot_tap){on_read, on_seen, bundle};
}

void mxt_bundle_add(struct mxt_bundle *bundle, const char *name, const char *bytes, size_t len)
{
	add(bundle, "", name, bytes, len);
}

static bool is_wanted(const char *entry)
{
	static const char *const paths[] = {"PATH",          "HOME",       "VIRTUAL_ENV",
					    "CONDA_PREFIX",  "PYTHONPATH", "PYTHONNOUSERSITE",
					    "PYENV_VERSION", "LD_PRELOAD", "LD_LIBRARY_PATH"};
	size_t len = strcspn(entry, "=");
	for (size_t i = 0; i < MXT_ARRAY_LEN(paths); i++)
		if (strlen(paths[i]) == len && strncmp(entry, paths[i], len) == 0)
			return true;
	const struct mxt_variable *variable = mxt_variable_find_n(entry, len);
	return variable && mxt_variable_concerns_kernels(variable); /* among the others are tokens */
}

void mxt_bundle_add_environment(struct mxt_bundle *bundle, char *const *environment)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	for (; environment && *environment; environment++) {
		if (!is_wanted(*environment))
			continue;
		mxt_buf_puts(&text, *environment);
		mxt_buf_putc(&text, '\0');
	}
	bundle->failed = bundle->failed || text.failed;
	add(bundle, MACHINE, "/environ", mxt_buf_text(&text), text.len);
}

/* ---- writing ---- */

/* By name; of equal names, what holds most first. */
static int by_name(const void *a, const void *b)
{
	const struct mxt_bundle_file *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	if (order != 0)
		return order;
	if (!x->bytes != !y->bytes)
		return x->bytes ? -1 : 1;
	return x->len > y->len ? -1 : x->len < y->len ? 1 : 0;
}

/*
 * Is file `i` a folder of the next one, or the same? Sorted, what lies in "a" follows "a", but for "a-b" and the like.
 */
static bool is_covered(const struct mxt_bundle *bundle, size_t i)
{
	const struct mxt_bundle_file *file = &bundle->files[i];
	size_t len = strlen(file->name);
	if (i > 0 && strcmp(bundle->files[i - 1].name, file->name) == 0)
		return true;
	for (size_t n = i + 1; n < bundle->n_files; n++) {
		const char *next = bundle->files[n].name;
		if (strncmp(next, file->name, len) != 0)
			return false;
		if (next[len] == '/')
			return true;
	}
	return false;
}

/* Of the mount table, where control groups are: the rest names servers and volumes. */
static void keep_cgroups(const char *bytes, size_t len, struct mxt_buf *out)
{
	for (size_t at = 0; at < len;) {
		const char *line = bytes + at, *newline = memchr(line, '\n', len - at);
		size_t n = newline ? (size_t)(newline - line) + 1 : len - at;
		if (memmem(line, n, " - cgroup", strlen(" - cgroup")))
			mxt_buf_append(out, line, n);
		at += n;
	}
}

static int add_to_tar(struct mxt_bundle *bundle, const struct mxt_bundle_file *file, struct mxt_buf *tar,
		      struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf kept = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct mxt_anonymous *anonymous = &bundle->anonymous;
	const char *bytes = file->bytes ? file->bytes : "";
	size_t len = file->len;
	if (strcmp(file->name, MACHINE "/proc/self/mountinfo") == 0) {
		keep_cgroups(bytes, len, &kept);
		bytes = mxt_buf_text(&kept);
		len = kept.len;
	}
	mxt_anonymous_text(anonymous, NULL, file->name, strlen(file->name), &name);
	mxt_anonymous_text(anonymous, file->name, bytes, len, &text);
	if (anonymous->failed || kept.failed)
		return mxt_error_oom(err);
	if (text.len > 0 && text.data[text.len - 1] != '\n' && memchr(text.data, '\0', text.len) == NULL)
		mxt_buf_putc(&text, '\n'); /* which reading took off */
	int rc = mxt_buf_status(&text, err);
	return rc < 0 ? rc : mxt_tar_add(tar, mxt_buf_text(&name), mxt_buf_text(&text), text.len, err);
}

int mxt_bundle_write(struct mxt_bundle *bundle, const char *path, size_t *ret_count, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf tar = MXT_BUF_INIT;
	size_t count = 0;
	int rc = bundle->failed ? mxt_error_oom(err) : 0;
	if (bundle->n_files > 0)
		qsort(bundle->files, bundle->n_files, sizeof *bundle->files, by_name);
	for (size_t i = 0; rc == 0 && i < bundle->n_files; i++) {
		if (is_covered(bundle, i))
			continue;
		rc = add_to_tar(bundle, &bundle->files[i], &tar, err);
		count += rc == 0 ? 1 : 0;
		if (rc == -ENAMETOOLONG) { /* a path that no archive of this form can hold: do without it */
			mxt_error_clear(err);
			rc = 0;
		}
	}
	if (rc == 0)
		rc = mxt_tar_end(&tar, err);
	if (rc == 0)
		rc = mxt_file_replace(path, tar.data, tar.len, err);
	if (rc == 0)
		*ret_count = count;
	return rc;
}
