/* SPDX-License-Identifier: Apache-2.0 */
#include "resume_check.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "axolotl_facts.h"
#include "buf.h"
#include "checkpoint_state.h"
#include "cleanup.h"
#include "error.h"
#include "number.h"
#include "remarks.h"

#define PREFIX "checkpoint-"

/* ---- checkpoints in a folder ---- */

/* The step of a folder of this name; -1: it is no checkpoint's. */
static int64_t step_of(const char *name)
{
	int64_t step = -1;
	if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0)
		return -1;
	name += sizeof PREFIX - 1;
	return *name >= '0' && *name <= '9' && mxt_parse_i64_in(name, 0, INT64_MAX - 1, &step) == 0 ? step : -1;
}

/* The largest step below `limit`; -1: none. */
static int64_t newest_below(const char *folder, int64_t limit)
{
	int64_t newest = -1;
	MXT_CLEANUP_DIR DIR *dir = opendir(folder);
	const struct dirent *entry;
	while (dir && (entry = readdir(dir)) != NULL) {
		int64_t step = step_of(entry->d_name);
		if (step > newest && step < limit)
			newest = step;
	}
	return newest;
}

static int join_step(const char *folder, int64_t step, struct mxt_buf *path, struct mxt_error *err)
{
	mxt_buf_truncate(path, 0);
	mxt_buf_printf(path, "%s/" PREFIX "%" PRId64, folder, step);
	return mxt_buf_status(path, err);
}

/* ---- one checkpoint ---- */

static int check(const char *checkpoint, struct mxt_error *err)
{
	struct stat st;
	MXT_CLEANUP_BUF struct mxt_buf state = MXT_BUF_INIT;
	if (stat(checkpoint, &st) < 0 && errno == ENOENT)
		return mxt_error_set(err, -ENOENT, MXT_E_CHECKPOINT_PARTIAL, "%s is not there", checkpoint);
	int rc = mxt_checkpoint_check_folder(checkpoint, err);
	if (rc < 0)
		return rc;
	mxt_buf_printf(&state, "%s/trainer_state.json", checkpoint);
	rc = mxt_buf_status(&state, err);
	if (rc < 0 || access(state.data, F_OK) == 0)
		return rc;
	return mxt_error_set(err, -ENOENT, MXT_E_CHECKPOINT_PARTIAL,
			     "%s has no trainer_state.json, which the trainer writes last", checkpoint);
}

static bool is_partial(const struct mxt_error *err)
{
	return err->id == MXT_E_CHECKPOINT_PARTIAL || err->id == MXT_E_SAFETENSORS;
}

/* ---- what to do instead ---- */

/* Appends the newest whole checkpoint of a step below `limit`; nothing when there is none. */
static int find_whole(const char *folder, int64_t limit, struct mxt_buf *path, struct mxt_error *err)
{
	int64_t step = limit;
	while ((step = newest_below(folder, step)) >= 0) {
		MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
		int rc = join_step(folder, step, path, err);
		if (rc < 0)
			return rc;
		rc = check(path->data, &why);
		if (rc == -ENOMEM)
			return mxt_error_oom(err);
		if (rc == 0)
			return 0;
	}
	mxt_buf_truncate(path, 0);
	return 0;
}

static int refuse(const struct mxt_axolotl_facts *facts, const char *checkpoint, const struct mxt_error *why,
		  struct mxt_remarks *remarks, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf whole = MXT_BUF_INIT;
	size_t len = strlen(checkpoint);
	while (len > 1 && checkpoint[len - 1] == '/')
		len--;
	mxt_buf_append(&folder, checkpoint, len);
	int rc = mxt_buf_status(&folder, err);
	if (rc < 0)
		return rc;
	char *slash = strrchr(folder.data, '/');
	int64_t step = step_of(slash ? slash + 1 : folder.data);
	if (slash)
		*slash = '\0';
	rc = find_whole(slash ? folder.data : ".", step < 0 ? INT64_MAX : step, &whole, err);
	if (rc < 0)
		return rc;
	const char *remedy =
	    facts->resume ? "set resume_from_checkpoint to it" : "move the other away to go on from it";
	if (whole.len > 0)
		mxt_remark_refuse(remarks, MXT_E_CHECKPOINT_PARTIAL, MXT_ALLOW_NOTHING,
				  "the training cannot go on from a checkpoint that is not whole: %s; the newest whole "
				  "one before it is %s: %s",
				  mxt_error_text(why), whole.data, remedy);
	else
		mxt_remark_refuse(
		    remarks, MXT_E_CHECKPOINT_PARTIAL, MXT_ALLOW_NOTHING,
		    "the training cannot go on from a checkpoint that is not whole: %s; there is no whole "
		    "one before it: start without %s",
		    mxt_error_text(why), facts->resume ? "resume_from_checkpoint" : "auto_resume_from_checkpoints");
	return 0;
}

int mxt_resume_check(const struct mxt_axolotl_facts *facts, struct mxt_remarks *remarks, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	MXT_CLEANUP_BUF struct mxt_buf newest = MXT_BUF_INIT;
	const char *checkpoint = facts->resume;
	if (!checkpoint && facts->resumes_newest) {
		int64_t step = newest_below(facts->output_dir, INT64_MAX);
		int rc = step < 0 ? 0 : join_step(facts->output_dir, step, &newest, err);
		if (rc < 0)
			return rc;
		checkpoint = newest.data;
	}
	int rc = checkpoint ? check(checkpoint, &why) : 0;
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc < 0 && is_partial(&why))
		return refuse(facts, checkpoint, &why, remarks, err);
	if (rc < 0)
		mxt_remark_warn(remarks, "it is not known whether the checkpoint to go on from is whole: %s",
				mxt_error_text(&why));
	return 0;
}
