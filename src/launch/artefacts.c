/* SPDX-License-Identifier: Apache-2.0 */
#include "artefacts.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "number.h"
#include "trainer_state.h"

#define CHECKPOINT "checkpoint-"
#define STATE      "trainer_state.json"

#define NS_PER_S INT64_C(1000000000)
/* A file's time is that of the kernel's last tick: so much before the clock's, at most. */
#define TICK_NS INT64_C(20000000)

/* Files that hold trained weights; of an index, the parts that it names must be there, too. */
static const struct weights_row {
	const char *name;
	bool adapter, index;
} weights[] = {
    {"adapter_model.safetensors", true, false},       {"adapter_model.bin", true, false},
    {"model.safetensors.index.json", false, true},    {"model.safetensors", false, false},
    {"pytorch_model.bin.index.json", false, true},    {"pytorch_model.bin", false, false},
    {"pytorch_model_fsdp_0/.metadata", false, false}, /* FSDP's sharded form, written last */
};

void mxt_artefacts_finish(struct mxt_artefacts *artefacts)
{
	json_decref(artefacts->found);
	free(artefacts->passed_over);
	*artefacts = (struct mxt_artefacts)MXT_ARTEFACTS_INIT;
}

/* The search and what it has found so far. */
struct search {
	const char *folder; /* output_dir */
	const struct timespec *start;
	struct mxt_artefacts *result;
	struct mxt_buf over; /* what is passed over */
	struct mxt_error *err;
};

/* ---- one file ---- */

/* Some file systems keep whole seconds, or two of them. */
static bool is_newer(const struct timespec *time, const struct timespec *start)
{
	if (time->tv_nsec == 0)
		return time->tv_sec >= start->tv_sec - 1;
	int64_t seconds = (int64_t)time->tv_sec - (int64_t)start->tv_sec;
	if (seconds > 1 || seconds < -1)
		return seconds > 0;
	return seconds * NS_PER_S + time->tv_nsec - start->tv_nsec >= -TICK_NS;
}

static void pass_over(struct search *s, const char *path, const char *why)
{
	mxt_buf_printf(&s->over, "%s%s %s", s->over.len > 0 ? ", " : "", path, why);
}

/* Is there such a file of this run, with something in it? What is there and does not count is noted. */
static bool is_of_run(struct search *s, const char *path, int64_t *ret_bytes)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return false;
	bool counts = S_ISREG(st.st_mode) && st.st_size > 0 && is_newer(&st.st_mtim, s->start);
	if (!S_ISREG(st.st_mode))
		pass_over(s, path, "is no file");
	else if (st.st_size == 0)
		pass_over(s, path, "is empty");
	else if (!counts)
		pass_over(s, path, "is older than the run");
	*ret_bytes = st.st_size;
	return counts;
}

/* `step`: -1 where there is none to tell. */
static int add_found(struct search *s, const char *what, const char *path, int64_t bytes, int64_t step)
{
	MXT_CLEANUP_JSON json_t *row = json_pack("{s:s, s:o, s:I}", "what", what, "path",
						 mxt_json_clean_text(path, strlen(path)), "bytes", (json_int_t)bytes);
	int rc = row ? json_array_append(s->result->found, row) : -1;
	if (rc == 0 && step >= 0)
		rc = json_object_set_new(row, "global_step", json_integer(step));
	return rc < 0 ? mxt_error_oom(s->err) : 0;
}

/* ---- weights ---- */

/* Every part that an index names is there. */
static int parts_are_there(struct search *s, const char *index, bool *ret_all)
{
	MXT_CLEANUP_JSON json_t *json = NULL;
	const char *weight;
	json_t *part;
	int read = mxt_json_read_file(index, MXT_JSON_FOREIGN, &json, NULL);
	if (read < 0) {
		pass_over(s, index, "cannot be read");
		return read == -ENOMEM ? mxt_error_oom(s->err) : 0;
	}
	json_t *map = json_object_get(json, "weight_map");
	*ret_all = json_object_size(map) > 0;
	json_object_foreach(map, weight, part)
	{
		MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
		int64_t bytes = 0;
		const char *name = json_string_value(part);
		mxt_buf_printf(&path, "%s/%s", s->folder, name ? name : "");
		int rc = mxt_buf_status(&path, s->err);
		if (rc < 0)
			return rc;
		if (name && !strchr(name, '/') && is_of_run(s, path.data, &bytes))
			continue;
		*ret_all = false;
		pass_over(s, index, "lacks a part of this run");
		return 0;
	}
	return 0;
}

static int look_for_weights(struct search *s, const struct weights_row *row, bool *ret_found)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	int64_t bytes = 0;
	mxt_buf_printf(&path, "%s/%s", s->folder, row->name);
	int rc = mxt_buf_status(&path, s->err);
	bool there = rc == 0 && is_of_run(s, path.data, &bytes), whole = !row->index;
	if (there && row->index)
		rc = parts_are_there(s, path.data, &whole);
	if (rc < 0 || !there || !whole)
		return rc;
	*ret_found = true;
	return add_found(s, row->adapter ? "adapter" : "model", path.data, bytes, -1);
}

static int find_weights(struct search *s, bool adapter)
{
	bool found = false;
	int rc = 0;
	for (size_t i = 0; rc == 0 && !found && i < MXT_ARRAY_LEN(weights); i++)
		if (weights[i].adapter == adapter)
			rc = look_for_weights(s, &weights[i], &found);
	return rc;
}

/* ---- checkpoints ---- */

/* The step of the newest checkpoint-N; -1: there is none. */
static int64_t newest_checkpoint(const char *folder)
{
	MXT_CLEANUP_DIR DIR *dir = opendir(folder);
	const struct dirent *row;
	int64_t newest = -1, step = 0;
	while (dir && (row = readdir(dir))) {
		if (strncmp(row->d_name, CHECKPOINT, strlen(CHECKPOINT)) == 0 &&
		    mxt_parse_i64_in(row->d_name + strlen(CHECKPOINT), 0, INT64_MAX, &step) == 0 && step > newest)
			newest = step;
	}
	return newest;
}

static int find_state(struct search *s)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	int64_t step = newest_checkpoint(s->folder), bytes = 0;
	if (step < 0)
		return 0;
	mxt_buf_printf(&path, "%s/" CHECKPOINT "%" PRId64 "/" STATE, s->folder, step);
	int rc = mxt_buf_status(&path, s->err);
	if (rc < 0 || !is_of_run(s, path.data, &bytes))
		return rc;
	return add_found(s, "state", path.data, bytes, mxt_trainer_state_read(path.data));
}

int mxt_artefacts_find(const struct mxt_axolotl_facts *facts, const struct timespec *start,
		       struct mxt_artefacts *ret_artefacts, struct mxt_error *err)
{
	struct mxt_artefacts result = MXT_ARTEFACTS_INIT;
	struct search s = {facts->output_dir, start, &result, MXT_BUF_INIT, err};
	result.found = json_array();
	int rc = result.found ? find_weights(&s, facts->adapter) : mxt_error_oom(err);
	if (rc == 0)
		rc = find_state(&s);
	if (rc == 0)
		rc = mxt_buf_status(&s.over, err);
	if (rc == 0 && s.over.len > 0)
		result.passed_over = mxt_buf_steal(&s.over);
	mxt_buf_finish(&s.over);
	if (rc < 0)
		mxt_artefacts_finish(&result);
	else
		*ret_artefacts = result;
	return rc;
}

static bool has_found(const struct mxt_artefacts *artefacts, const char *what)
{
	for (size_t i = 0; i < json_array_size(artefacts->found); i++)
		if (strcmp(mxt_json_text(json_array_get(artefacts->found, i), "what"), what) == 0)
			return true;
	return false;
}

int mxt_artefacts_verdict(const struct mxt_artefacts *artefacts, const struct mxt_axolotl_facts *facts,
			  struct mxt_error *err)
{
	bool lacks_weights = !has_found(artefacts, facts->adapter ? "adapter" : "model");
	bool lacks_state = facts->saves_checkpoints && !has_found(artefacts, "state");
	if (!lacks_weights && !lacks_state)
		return 0;
	return mxt_error_set(err, -ENOENT, MXT_E_LAUNCH_ARTEFACTS,
			     "the training ended with status 0, but %s%s%s of this run is not in %s%s%s; look for the "
			     "cause in train.log",
			     lacks_weights ? facts->adapter ? "the adapter" : "the model" : "",
			     lacks_weights && lacks_state ? " and " : "", lacks_state ? "a checkpoint's " STATE : "",
			     facts->output_dir, artefacts->passed_over ? ": " : "",
			     artefacts->passed_over ? artefacts->passed_over : "");
}
