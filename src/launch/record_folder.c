/* SPDX-License-Identifier: Apache-2.0 */
#include "record_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "error.h"
#include "folder_listing.h"
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

void mxt_record_folder_remove(struct mxt_record_folder *folder)
{
	MXT_CLEANUP_FOLDER_LISTING struct mxt_folder_listing all = {NULL, 0};
	if (!folder->path)
		return;
	if (mxt_folder_listing_make(&all, folder->path, "*", NULL) == 0)
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
	MXT_CLEANUP_FOLDER_LISTING struct mxt_folder_listing found = {NULL, 0};
	return mxt_folder_listing_make(&found, folder->path, name, NULL) == 0 && found.count > 0;
}

int64_t mxt_record_folder_steps(const struct mxt_record_folder *folder)
{
	MXT_CLEANUP_FOLDER_LISTING struct mxt_folder_listing states = {NULL, 0};
	int64_t most = 0;
	if (mxt_folder_listing_make(&states, folder->path, STATES, NULL) < 0)
		return 0;
	for (size_t i = 0; i < states.count; i++) {
		MXT_CLEANUP_JSON json_t *state = NULL;
		if (mxt_json_read_file(states.paths[i], MXT_JSON_CANONICAL, &state, NULL) < 0)
			continue;
		int64_t steps = json_integer_value(json_object_get(state, "steps"));
		most = steps > most ? steps : most;
	}
	return most;
}

static int read_parts(const struct mxt_folder_listing *parts, json_t **documents, struct mxt_error *err)
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
	MXT_CLEANUP_FOLDER_LISTING struct mxt_folder_listing parts = {NULL, 0};
	int rc = mxt_folder_listing_make(&parts, folder->path, PARTS, err);
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
