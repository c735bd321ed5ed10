/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_handoff.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "file.h"
#include "plan.h"

#define PREFIX     "@file:"
#define PREFIX_LEN (sizeof PREFIX - 1)

bool mxt_is_handoff(const char *value)
{
	return strncmp(value, PREFIX, PREFIX_LEN) == 0;
}

static int64_t integer_or(const json_t *object, const char *key, int64_t omitted)
{
	const json_t *value = json_object_get(object, key);
	return value ? json_integer_value(value) : omitted;
}

static const char *word_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* One row; `last` is the row before it, or NULL. A row begins where the one before it ended. */
static void append_message(const json_t *message, const json_t *last, const json_t *training, struct mxt_buf *buf)
{
	bool same = last && strcmp(word_of(message, "collective"), word_of(last, "collective")) == 0;
	int64_t nodes = integer_or(training, "nodes", 1);
	mxt_buf_printf(buf, "%s,%" PRId64 ",%" PRId64 ",%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
		       word_of(message, "collective"), same ? integer_or(last, "max_bytes", 0) + 1 : 0,
		       integer_or(message, "max_bytes", 0), word_of(message, "algorithm"), word_of(message, "protocol"),
		       integer_or(message, "channels", -1), nodes, nodes * integer_or(training, "gpus", 1));
}

/* What the tuner plugins of NCCL and RCCL read. */
static bool append_collectives(const struct mxt_plan *plan, struct mxt_buf *buf)
{
	const json_t *decision = mxt_plan_decision(plan);
	const json_t *table = json_object_get(json_object_get(decision, "collective"), "table");
	const json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	mxt_buf_puts(buf, "# collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks\n");
	for (size_t i = 0; i < json_array_size(table); i++)
		append_message(json_array_get(table, i), i > 0 ? json_array_get(table, i - 1) : NULL, training, buf);
	return json_array_size(table) > 0;
}

/* Every hand-off that this version can write. `append` returns false when the decision holds nothing for it. */
static const struct {
	const char *name;
	bool (*append)(const struct mxt_plan *plan, struct mxt_buf *buf);
} handoffs[] = {
    {"collectives.csv", append_collectives},
};

/* Appends the content of the hand-off that `value` names. */
static int generate(const struct mxt_plan *plan, const char *value, struct mxt_buf *buf, struct mxt_error *err)
{
	const char *name = value + PREFIX_LEN;
	for (size_t i = 0; i < MXT_ARRAY_LEN(handoffs); i++) {
		size_t len = strlen(handoffs[i].name);
		if (strncmp(name, handoffs[i].name, len) != 0 || name[len] != '@')
			continue;
		if (handoffs[i].append(plan, buf))
			return mxt_buf_status(buf, err);
		return mxt_error_set(
		    err, -EINVAL, MXT_E_PLAN_HANDOFF,
		    "the plan names the hand-off file %s, but its decision has nothing to write there; "
		    "make the plan anew",
		    handoffs[i].name);
	}
	return mxt_error_set(err, -ENOTSUP, MXT_E_PLAN_HANDOFF,
			     "this version of mindxtrain cannot write the hand-off file that %s stands for; use the "
			     "version that made the plan",
			     value);
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

static int write_handoff(const struct mxt_plan *plan, const char *value, const char *dir, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf content = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	int rc = generate(plan, value, &content, err);
	if (rc < 0)
		return rc;
	mxt_handoff_resolve(value, dir, &path);
	rc = mxt_buf_status(&path, err);
	return rc < 0 ? rc : mxt_file_replace(path.data, content.data, content.len, err);
}

int mxt_plan_write_handoffs(const struct mxt_plan *plan, const char *dir, struct mxt_error *err)
{
	for (size_t i = 0; i < mxt_plan_env_count(plan); i++) {
		const char *value = mxt_plan_env_value(plan, i);
		int rc = mxt_is_handoff(value) ? write_handoff(plan, value, dir, err) : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}
