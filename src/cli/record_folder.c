/* SPDX-License-Identifier: Apache-2.0 */
#include "record_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "error.h"
#include "json.h"
#include "recording.h"

#define PARTS  "part-*.json"
#define STATES "state-*.json"

int mxt_record_folder_make(struct mxt_record_folder *folder, char *const *environment, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	const char *base = mxt_environ_get(environment, "TMPDIR");
	mxt_buf_printf(&path, "%s/mindxtrain-record-XXXXXX", base && *base ? base : "/tmp");
	int rc = mxt_buf_status(&path, err);
	if (rc < 0)
		return rc;
	if (!mkdtemp(path.data))
		return mxt_error_errno(err, errno, "cannot make a folder %s (TMPDIR says where)", path.data);
	folder->path = realpath(path.data, NULL); /* the command may work in another folder */
	if (!folder->path) {
		int errnum = errno;
		(void)rmdir(path.data);
		return mxt_error_errno(err, errnum, "cannot find the folder %s", path.data);
	}
	return 0;
}

/* Sorted paths of some files of the folder. */
struct listing {
	char **paths;
	size_t count;
};

static void listing_finish(struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free(listing->paths[i]);
	free(listing->paths);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int append_path(struct listing *listing, const char *folder, const char *name, struct mxt_error *err)
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

/* Not glob(): the folder's own name may hold its special characters. */
static int list(const struct mxt_record_folder *folder, const char *pattern, struct listing *listing,
		struct mxt_error *err)
{
	MXT_CLEANUP_DIR DIR *dir = opendir(folder->path);
	const struct dirent *row;
	int rc = 0;
	if (!dir)
		return mxt_error_errno(err, errno, "cannot read %s", folder->path);
	while (rc == 0 && (row = readdir(dir)))
		if (fnmatch(pattern, row->d_name, FNM_PERIOD) == 0)
			rc = append_path(listing, folder->path, row->d_name, err);
	if (listing->count > 0)
		qsort(listing->paths, listing->count, sizeof *listing->paths, compare_paths);
	return rc;
}

void mxt_record_folder_remove(struct mxt_record_folder *folder)
{
	MXT_CLEANUP(listing_finish) struct listing all = {NULL, 0};
	if (!folder->path)
		return;
	(void)list(folder, "*", &all, NULL);
	for (size_t i = 0; i < all.count; i++)
		(void)unlink(all.paths[i]);
	(void)rmdir(folder->path);
	free(folder->path);
	folder->path = NULL;
}

bool mxt_record_folder_has_parts(const struct mxt_record_folder *folder)
{
	return mxt_record_folder_has(folder, PARTS);
}

bool mxt_record_folder_has(const struct mxt_record_folder *folder, const char *name)
{
	MXT_CLEANUP(listing_finish) struct listing found = {NULL, 0};
	return list(folder, name, &found, NULL) == 0 && found.count > 0;
}

int64_t mxt_record_folder_steps(const struct mxt_record_folder *folder)
{
	MXT_CLEANUP(listing_finish) struct listing states = {NULL, 0};
	int64_t most = 0;
	(void)list(folder, STATES, &states, NULL);
	for (size_t i = 0; i < states.count; i++) {
		MXT_CLEANUP_JSON json_t *state = NULL;
		if (mxt_json_read_file(states.paths[i], MXT_JSON_CANONICAL, &state, NULL) < 0)
			continue;
		int64_t steps = json_integer_value(json_object_get(state, "steps"));
		most = steps > most ? steps : most;
	}
	return most;
}

static int read_parts(const struct listing *parts, json_t **documents, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < parts->count; i++) {
		rc = mxt_json_read_file(parts->paths[i], MXT_JSON_CANONICAL, &documents[i], err);
		if (rc == 0)
			rc = mxt_recording_check("a process's recording", documents[i], err);
	}
	return rc;
}

int mxt_record_folder_merge(const struct mxt_record_folder *folder, json_t **ret_document, struct mxt_error *err)
{
	MXT_CLEANUP(listing_finish) struct listing parts = {NULL, 0};
	int rc = list(folder, PARTS, &parts, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_FREE json_t **documents = calloc(parts.count + 1, sizeof(json_t *));
	rc = documents ? read_parts(&parts, documents, err) : mxt_error_oom(err);
	if (rc == 0)
		rc = mxt_recording_merge(documents, parts.count, ret_document, err);
	for (size_t i = 0; documents && i < parts.count; i++)
		json_decref(documents[i]);
	return rc;
}
