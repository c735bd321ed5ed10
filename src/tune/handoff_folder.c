/* SPDX-License-Identifier: Apache-2.0 */
#include "handoff_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"
#include "environ.h"
#include "error.h"
#include "plan_handoff.h"
#include "session.h"

static bool names_handoffs(const json_t *env)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)env, name, value) /* jansson's iterators take no const; nothing is changed */
	{
		if (mxt_is_handoff(json_string_value(value)))
			return true;
	}
	return false;
}

static int make_folder(struct mxt_session *session, struct mxt_error *err)
{
	const char *parent = mxt_environ_get(session->request->environment, "TMPDIR");
	MXT_CLEANUP_FREE char *absolute = realpath(parent && parent[0] ? parent : "/tmp", NULL);
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	if (session->handoffs)
		return 0;
	if (!absolute)
		return mxt_error_errno(err, errno, "cannot find the folder for temporary files, %s",
				       parent && parent[0] ? parent : "/tmp");
	mxt_buf_printf(&path, "%s/mindxtrain-XXXXXX", absolute);
	int rc = mxt_buf_status(&path, err);
	if (rc < 0)
		return rc;
	if (!mkdtemp(path.data))
		return mxt_error_errno(err, errno, "cannot make a folder in %s", absolute);
	session->handoffs = mxt_buf_steal(&path);
	return 0;
}

int mxt_handoff_folder_export(struct mxt_session *session, const json_t *decision, const json_t *env, json_t **ret_env,
			      struct mxt_error *err)
{
	int rc = 0;
	bool needed = names_handoffs(env);
	if (needed)
		rc = make_folder(session, err);
	if (needed && rc == 0)
		rc = mxt_handoffs_write(decision, session->request->target.ordinal + 1, session->handoffs, err);
	if (rc < 0)
		return rc;
	json_t *exported = mxt_handoffs_env(env, needed ? session->handoffs : "");
	if (!exported)
		return mxt_error_oom(err);
	*ret_env = exported;
	return 0;
}

void mxt_handoff_folder_remove(const char *path)
{
	DIR *folder = path ? opendir(path) : NULL;
	for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
		(void)unlinkat(dirfd(folder), entry->d_name, 0); /* fails for the two that are no files */
	if (folder)
		(void)closedir(folder);
	if (path)
		(void)rmdir(path);
}
