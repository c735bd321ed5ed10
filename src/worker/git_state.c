/* SPDX-License-Identifier: Apache-2.0 */
#include "git_state.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "affix.h"
#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "json.h"
#include "outside_tool.h"

#define LIMIT_NS   (10 * MXT_NS_PER_S) /* the first status after a boot reads all of a large tree */
#define MAX_BYTES  ((size_t)16 << 20)
#define TEXT_BYTES 200

/* ---- the environment ---- */

/* Variables that lead git to another repository, index or configuration, or change its words. */
static bool is_left_out(const char *entry)
{
	return mxt_has_prefix(entry, "GIT_") || mxt_has_prefix(entry, "LC_ALL=") || mxt_has_prefix(entry, "LANGUAGE=");
}

/* A list that borrows its entries; NULL: no memory. */
static char **make_environment(char *const *environment)
{
	static const char *const ours[] = {"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"};
	size_t n = 0, kept = 0;
	while (environment && environment[n])
		n++;
	char **list = calloc(n + MXT_ARRAY_LEN(ours) + 1, sizeof *list);
	for (size_t i = 0; list && i < n; i++)
		if (!is_left_out(environment[i]))
			list[kept++] = environment[i];
	for (size_t i = 0; list && i < MXT_ARRAY_LEN(ours); i++)
		memcpy(&list[kept++], &ours[i], sizeof ours[i]); /* execve() changes nothing */
	return list;
}

/* ---- what it says ---- */

struct state {
	const char *oid, *head; /* in the text */
	size_t oid_len, head_len;
	json_int_t changed, untracked;
};

static void read_line(const char *line, size_t len, struct state *state)
{
	static const char oid[] = "# branch.oid ", head[] = "# branch.head ";
	if (len > sizeof oid - 1 && memcmp(line, oid, sizeof oid - 1) == 0) {
		state->oid = line + sizeof oid - 1;
		state->oid_len = len - (sizeof oid - 1);
	} else if (len > sizeof head - 1 && memcmp(line, head, sizeof head - 1) == 0) {
		state->head = line + sizeof head - 1;
		state->head_len = len - (sizeof head - 1);
	} else if (*line == '?') {
		state->untracked++;
	} else if (*line == '1' || *line == '2' || *line == 'u') {
		state->changed++;
	}
}

/* SHA-1 or SHA-256, in lower case. */
static bool is_revision(const char *text, size_t len)
{
	return (len == 40 || len == 64) && strspn(text, "0123456789abcdef") == len;
}

/* Sets a member to a text of others; what is in brackets is a remark of git's, and no name. */
static int set_text(json_t *object, const char *key, const char *text, size_t len)
{
	if (len == 0 || *text == '(')
		return 0;
	MXT_CLEANUP_FREE char *copy = strndup(text, len);
	return copy ? json_object_set_new(object, key, mxt_json_clean_text(copy, TEXT_BYTES)) : -1;
}

int mxt_git_state_parse(const char *text, json_t **ret_state, struct mxt_error *err)
{
	struct state state = {.oid = NULL};
	while (*text) {
		size_t len = strcspn(text, "\n");
		if (len > 0)
			read_line(text, len, &state);
		text += len + (text[len] == '\n');
	}
	MXT_CLEANUP_JSON json_t *object =
	    json_pack("{s:I, s:I}", "changed", state.changed, "untracked", state.untracked);
	int failed = object ? 0 : -1;
	if (failed == 0 && state.oid && is_revision(state.oid, state.oid_len))
		failed = set_text(object, "revision", state.oid, state.oid_len);
	if (failed == 0 && state.head)
		failed = set_text(object, "branch", state.head, state.head_len);
	if (failed < 0)
		return mxt_error_oom(err);
	*ret_state = mxt_steal_ptr(&object);
	return 0;
}

/* ---- why there is none ---- */

struct reason {
	const char *words, *reason;
};

static const struct reason reasons[] = {
    {"not a git repository", "the folder is in no repository of git"},
    {"cannot change to", "the folder is not there"},
    {"safe.directory", "the repository belongs to somebody else, and git's safe.directory does not name it"},
};

static int explain(const struct mxt_error *why, json_t **ret_state, struct mxt_error *err)
{
	const char *text = mxt_error_text(why);
	for (size_t i = 0; i < MXT_ARRAY_LEN(reasons); i++)
		if (strstr(text, reasons[i].words))
			text = reasons[i].reason;
	json_t *state = json_pack("{s:o}", "unknown", mxt_json_clean_text(text, TEXT_BYTES));
	if (!state)
		return mxt_error_oom(err);
	*ret_state = state;
	return 0;
}

/* ---- asking ---- */

static int ask(const char *folder, char *const *environment, struct mxt_buf *answer, struct mxt_error *err)
{
	/* The hook that core.fsmonitor may name would be a program of the repository. */
	const char *const argv[] = {"git",
				    "-C",
				    folder,
				    "-c",
				    "core.fsmonitor=false",
				    "status",
				    "--porcelain=v2",
				    "--branch",
				    "--untracked-files=normal",
				    NULL};
	const struct mxt_outside_tool git = {.argv = argv,
					     .cancel_fd = -1,
					     .environment = environment,
					     .clock = &mxt_clock_monotonic,
					     .limit_ns = LIMIT_NS,
					     .max_bytes = MAX_BYTES,
					     .streams = {.input_fd = -1, .extra_fd = -1}};
	return mxt_outside_tool_run(&git, answer, err);
}

int mxt_git_state(const char *folder, char *const *environment, json_t **ret_state, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	MXT_CLEANUP_BUF struct mxt_buf answer = MXT_BUF_INIT;
	MXT_CLEANUP_FREE char **clean = make_environment(environment);
	int rc = clean ? ask(folder, clean, &answer, &why) : -ENOMEM;
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	return rc < 0 ? explain(&why, ret_state, err) : mxt_git_state_parse(mxt_buf_text(&answer), ret_state, err);
}
