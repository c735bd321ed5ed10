/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_handoff.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "file.h"
#include "hash.h"
#include "hipblaslt_override.h"
#include "json.h"
#include "plan.h"
#include "tunableop_csv.h"

#define PREFIX     "@file:"
#define PREFIX_LEN (sizeof PREFIX - 1)
#define NUMBER     "%d" /* replaced in a whole path by readers that put their device's number into it */

bool mxt_is_handoff(const char *value)
{
	return strncmp(value, PREFIX, PREFIX_LEN) == 0;
}

static const char *word_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* One row; `last` is the row before it, or NULL. A row begins where the one before it ended. */
static void append_message(const json_t *message, const json_t *last, const json_t *training, struct mxt_buf *buf)
{
	bool same = last && strcmp(word_of(message, "collective"), word_of(last, "collective")) == 0;
	int64_t nodes = mxt_json_integer_or(training, "nodes", 1);
	mxt_buf_printf(buf, "%s,%" PRId64 ",%" PRId64 ",%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
		       word_of(message, "collective"), same ? mxt_json_integer_or(last, "max_bytes", 0) + 1 : 0,
		       mxt_json_integer_or(message, "max_bytes", 0), word_of(message, "algorithm"),
		       word_of(message, "protocol"), mxt_json_integer_or(message, "channels", -1), nodes,
		       nodes * mxt_json_integer_or(training, "gpus", 1));
}

/* What the tuner plugins of NCCL and RCCL read. */
static int append_collectives(const json_t *decision, struct mxt_buf *buf, struct mxt_error *err)
{
	const json_t *table = json_object_get(json_object_get(decision, "collective"), "table");
	const json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	mxt_buf_puts(buf, "# collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks\n");
	for (size_t i = 0; i < json_array_size(table); i++)
		append_message(json_array_get(table, i), i > 0 ? json_array_get(table, i - 1) : NULL, training, buf);
	return mxt_buf_status(buf, err);
}

/* Every hand-off that this version can write. */
struct handoff {
	const char *name;
	const char *part, *key; /* the list in the decision that it is made of */
	bool numbered;          /* its reader puts its device's number before the name's last dot */
	int (*append)(const json_t *decision, struct mxt_buf *buf, struct mxt_error *err);
};

static const struct handoff handoffs[] = {
    {"collectives.csv", "collective", "table", false, append_collectives},
    {"hipblaslt.txt", "gemm", "pins", false, mxt_hipblaslt_override},
    {"tunableop.csv", "gemm", "pins", true, mxt_tunableop_csv},
};

/* The hand-off that `value` names; NULL when there is none of that name. */
static const struct handoff *find_handoff(const char *value)
{
	const char *name = value + PREFIX_LEN;
	for (size_t i = 0; i < MXT_ARRAY_LEN(handoffs); i++) {
		size_t len = strlen(handoffs[i].name);
		if (strncmp(name, handoffs[i].name, len) == 0 && name[len] == '@')
			return &handoffs[i];
	}
	return NULL;
}

/* Appends the content of the hand-off that `value` names. */
static int generate(const json_t *decision, const char *value, const struct handoff **ret_handoff, struct mxt_buf *buf,
		    struct mxt_error *err)
{
	const struct handoff *handoff = find_handoff(value);
	if (!handoff)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PLAN_HANDOFF,
				     "this version of mindxtrain cannot write the hand-off file that %s stands for; "
				     "use the version that made the plan",
				     value);
	*ret_handoff = handoff;
	if (json_array_size(json_object_get(json_object_get(decision, handoff->part), handoff->key)) > 0)
		return handoff->append(decision, buf, err);
	return mxt_error_set(
	    err, -EINVAL, MXT_E_PLAN_HANDOFF,
	    "the plan names the hand-off file %s, but its decision has nothing to write there; make the plan anew",
	    handoff->name);
}

bool mxt_plan_has_handoffs(const struct mxt_plan *plan)
{
	for (size_t i = 0; i < mxt_plan_env_count(plan); i++)
		if (mxt_is_handoff(mxt_plan_env_value(plan, i)))
			return true;
	return false;
}

void mxt_handoff_resolve(const char *value, const char *dir, struct mxt_buf *buf)
{
	if (!mxt_is_handoff(value)) {
		mxt_buf_puts(buf, value);
		return;
	}
	mxt_buf_puts(buf, dir);
	mxt_buf_putc(buf, '/');
	mxt_buf_append(buf, value + PREFIX_LEN, strlen(value) - PREFIX_LEN - 1);
}

json_t *mxt_handoffs_env(const json_t *env, const char *dir)
{
	json_t *resolved = json_object();
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)env, name, value) /* jansson's iterators take no const; nothing is changed */
	{
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		mxt_handoff_resolve(json_string_value(value), dir, &text);
		if (!text.failed && resolved &&
		    json_object_set_new(resolved, name, json_string(mxt_buf_text(&text))) == 0)
			continue;
		json_decref(resolved);
		return NULL;
	}
	return resolved;
}

/* One file of a hand-off, as its reader will look for it: `number` counts devices. */
static int file_path(const struct handoff *handoff, unsigned number, const char *dir, struct mxt_buf *buf,
		     struct mxt_error *err)
{
	const char *dot = strrchr(handoff->name, '.');
	if (handoff->numbered && strstr(dir, NUMBER))
		return mxt_error_set(err, -EINVAL, MXT_E_PLAN_HANDOFF,
				     "hand-off files cannot be in %s: whoever reads %s would put a number in the place "
				     "of %s; name another folder",
				     dir, handoff->name, NUMBER);
	mxt_buf_printf(buf, "%s/%.*s", dir, (int)(dot - handoff->name), handoff->name);
	if (handoff->numbered)
		mxt_buf_printf(buf, "%u", number);
	mxt_buf_puts(buf, dot);
	return mxt_buf_status(buf, err);
}

/* What is to be done with each file of a decision. */
struct visit {
	int (*file)(const char *path, const struct mxt_buf *content, struct mxt_error *err);
	unsigned devices; /* at least */
	const char *dir;
};

static unsigned device_count(const json_t *decision, unsigned at_least)
{
	const json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	unsigned gpus = (unsigned)mxt_json_integer_or(training, "gpus", 1); /* the plan's tables bound it */
	return gpus > at_least ? gpus : at_least;
}

static int visit_handoff(const json_t *decision, const char *value, const struct visit *visit, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf content = MXT_BUF_INIT;
	const struct handoff *handoff = NULL;
	int rc = generate(decision, value, &handoff, &content, err);
	unsigned files = rc == 0 && handoff->numbered ? device_count(decision, visit->devices) : 1;
	for (unsigned i = 0; rc == 0 && i < files; i++) {
		MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
		rc = file_path(handoff, i, visit->dir, &path, err);
		if (rc == 0)
			rc = visit->file(mxt_buf_text(&path), &content, err);
	}
	return rc;
}

static int visit_files(const json_t *decision, const struct visit *visit, struct mxt_error *err)
{
	const char *name;
	json_t *value;
	json_object_foreach(json_object_get(decision, "env"), name, value)
	{
		const char *text = json_string_value(value);
		int rc = mxt_is_handoff(text) ? visit_handoff(decision, text, visit, err) : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int write_file(const char *path, const struct mxt_buf *content, struct mxt_error *err)
{
	return mxt_file_replace_read_only(path, content->data, content->len, err);
}

int mxt_handoffs_write(const json_t *decision, unsigned devices, const char *dir, struct mxt_error *err)
{
	return visit_files(decision, &(struct visit){write_file, devices, dir}, err);
}

int mxt_plan_write_handoffs(const struct mxt_plan *plan, const char *dir, struct mxt_error *err)
{
	return mxt_handoffs_write(mxt_plan_decision(plan), 1, dir, err);
}

/* A file that cannot be read, or is larger, has been changed as well. */
static int compare_file(const char *path, const struct mxt_buf *content, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf found = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	char here[MXT_HASH_HEX_SIZE], planned[MXT_HASH_HEX_SIZE];
	mxt_hash_hex(content->data, content->len, planned);
	int rc = mxt_file_read(path, content->len, &found, &cause);
	if (cause.id == MXT_E_NO_MEMORY)
		return mxt_error_oom(err);
	if (rc < 0)
		return mxt_error_set(
		    err, -EBADMSG, MXT_E_HANDOFF_CHANGED,
		    "the hand-off file %s is not what the plan says: %s; what ran with it did not run this plan", path,
		    mxt_error_text(&cause));
	mxt_hash_hex(found.data, found.len, here);
	if (strcmp(here, planned) == 0)
		return 0;
	return mxt_error_set(err, -EBADMSG, MXT_E_HANDOFF_CHANGED,
			     "the hand-off file %s was changed: its BLAKE3 hash is %s, the plan's %s; what ran with it "
			     "did not run this plan",
			     path, here, planned);
}

int mxt_plan_verify_handoffs(const struct mxt_plan *plan, const char *dir, struct mxt_error *err)
{
	return visit_files(mxt_plan_decision(plan), &(struct visit){compare_file, 1, dir}, err);
}

static int add_hash(const json_t *decision, const char *value, json_t *hashes, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf content = MXT_BUF_INIT;
	const struct handoff *handoff = NULL;
	char hash[MXT_HASH_HEX_SIZE];
	int rc = generate(decision, value, &handoff, &content, err);
	if (rc < 0)
		return rc;
	mxt_hash_hex(content.data, content.len, hash);
	return json_object_set_new(hashes, handoff->name, json_string(hash)) == 0 ? 0 : mxt_error_oom(err);
}

int mxt_handoffs_hashes(const json_t *decision, json_t **ret_hashes, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *hashes = json_object();
	const char *name;
	json_t *value;
	int rc = hashes ? 0 : mxt_error_oom(err);
	json_object_foreach(json_object_get(decision, "env"), name, value)
	{
		const char *text = json_string_value(value);
		if (rc == 0 && mxt_is_handoff(text))
			rc = add_hash(decision, text, hashes, err);
	}
	if (rc == 0)
		*ret_hashes = json_incref(hashes);
	return rc;
}
