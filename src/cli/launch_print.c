/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_print.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "buf.h"
#include "clean_text.h"
#include "cleanup.h"
#include "clock.h"
#include "env_record.h"
#include "error.h"
#include "json.h"
#include "launch.h"
#include "launch_run.h"
#include "plan.h"
#include "plan_handoff.h"
#include "plan_show.h"
#include "run_files.h"
#include "shell_quote.h"
#include "yaml_edit.h"

/* One line, whatever is in the text. */
static void print_line(FILE *out, const char *kind, const char *text)
{
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT;
	mxt_clean_text(&clean, text, strlen(text));
	for (char *newline = clean.data; newline && (newline = strchr(newline, '\n'));)
		*newline = ' ';
	(void)fprintf(out, "mindxtrain: %s%s%s\n", kind, kind[0] ? ": " : "",
		      clean.failed ? text : mxt_buf_text(&clean));
}

void mxt_launch_print_remarks(FILE *out, const struct mxt_launch *launch)
{
	for (size_t i = 0; i < launch->remarks.count; i++)
		print_line(out, mxt_remark_kind_name(launch->remarks.items[i].kind), launch->remarks.items[i].text);
}

/* ---- --print ---- */

/* As a person would type it. */
static void put_word(const char *word, struct mxt_buf *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	if (word[0] && word[strspn(word, plain)] == '\0')
		mxt_buf_puts(text, word);
	else
		mxt_shell_quote(word, text);
}

static void put_command(const struct mxt_launch *launch, struct mxt_buf *text)
{
	mxt_buf_puts(text, "command\n ");
	for (char *const *word = launch->argv; *word; word++) {
		mxt_buf_putc(text, ' ');
		put_word(*word, text);
	}
	mxt_buf_putc(text, '\n');
}

static void put_environment(const struct mxt_launch *launch, struct mxt_buf *text)
{
	mxt_buf_puts(text, "environment\n");
	if (json_object_size(launch->env.changes) == 0)
		mxt_buf_puts(text, "  as it is\n");
	mxt_env_changes_text(launch->env.changes, text);
}

static void put_config(const struct mxt_launch *launch, struct mxt_buf *text)
{
	mxt_buf_printf(text, "config %s\n", launch->request->config);
	if (json_array_size(launch->config.changes) == 0)
		mxt_buf_puts(text, "  as it is\n");
	mxt_yaml_changes_text(launch->config.changes, text);
	if (launch->line.accelerate_config.len > 0)
		mxt_buf_printf(text, "%s\n%s", MXT_RUN_ACCELERATE, mxt_buf_text(&launch->line.accelerate_config));
}

static void put_handoffs(const struct mxt_launch *launch, struct mxt_buf *text)
{
	MXT_CLEANUP_JSON json_t *hashes = NULL;
	const char *name;
	json_t *hash;
	if (!mxt_plan_has_handoffs(launch->request->plan) ||
	    mxt_handoffs_hashes(mxt_plan_decision(launch->request->plan), &hashes, NULL) < 0)
		return;
	mxt_buf_puts(text, "files\n");
	json_object_foreach(hashes, name, hash)
	{
		mxt_buf_printf(text, "  %s  %s\n", name, json_string_value(hash));
	}
}

int mxt_launch_print(FILE *out, const struct mxt_launch *launch, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT;
	mxt_buf_printf(&text, "plan %s%s\n", mxt_plan_id(launch->request->plan), mxt_plan_marks(launch->request->plan));
	if (launch->argv)
		put_command(launch, &text);
	if (launch->env.changes)
		put_environment(launch, &text);
	if (launch->request->config)
		put_config(launch, &text);
	put_handoffs(launch, &text);
	mxt_clean_text(&clean, mxt_buf_text(&text), text.len);
	clean.failed = clean.failed || text.failed;
	int rc = mxt_buf_status(&clean, err);
	if (rc == 0)
		(void)fwrite(mxt_buf_text(&clean), 1, clean.len, out);
	return rc;
}

/* ---- the end ---- */

static void print_end(FILE *out, const struct mxt_launch *launch, const struct mxt_launch_result *result)
{
	const struct mxt_supervised *supervised = &result->supervised;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	if (!supervised->started)
		return;
	if (WIFSIGNALED(supervised->wait_status))
		mxt_buf_printf(&text, "the command was killed by signal %d (%s)", WTERMSIG(supervised->wait_status),
			       strsignal(WTERMSIG(supervised->wait_status)));
	else
		mxt_buf_printf(&text, "the command ended with status %d", WEXITSTATUS(supervised->wait_status));
	mxt_buf_printf(&text, " after %.1f s; %s",
		       (double)(supervised->ended_ns - supervised->started_ns) / (double)MXT_NS_PER_S,
		       launch->request->folder);
	print_line(out, "", mxt_buf_text(&text));
	if (supervised->n_swept > 0)
		(void)fprintf(out, "mindxtrain: warning: it left %zu processes behind, which were ended\n",
			      supervised->n_swept);
}

static void print_streams(FILE *out, const struct mxt_supervised *supervised)
{
	if (supervised->log_errno)
		(void)fprintf(out, "mindxtrain: warning: train.log is not complete: %s\n",
			      strerror(supervised->log_errno));
	if (supervised->shown_errno)
		(void)fprintf(out, "mindxtrain: warning: not all of the output was shown (%s); train.log has it\n",
			      strerror(supervised->shown_errno));
}

static void print_report(FILE *out, const struct mxt_launch_result *result)
{
	if (result->report == MXT_CONFIG_CONFIRMED)
		(void)fprintf(out, "mindxtrain: Axolotl reports every planned key as planned\n");
	else if (result->report != MXT_CONFIG_DIFFERS)
		(void)fprintf(out,
			      "mindxtrain: warning: Axolotl's report of its config was not %s: that it took the "
			      "planned keys is not shown\n",
			      result->report == MXT_CONFIG_UNREADABLE ? "readable" : "seen");
}

static void print_artefacts(FILE *out, const struct mxt_artefacts *artefacts)
{
	size_t i;
	json_t *file;
	json_array_foreach(artefacts->found, i, file)
	{
		const char *path = json_string_value(json_object_get(file, "path"));
		print_line(out, "left", path ? path : "");
	}
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

#define COVERAGE_ENOUGH_PPM 800000 /* below it the largest calls that are not planned are named */

static void print_coverage(FILE *out, const json_t *coverage)
{
	const char *unknown = text_of(coverage, "unknown");
	const char *basis = text_of(coverage, "basis");
	json_int_t share = json_integer_value(json_object_get(coverage, "share_ppm"));
	size_t i;
	json_t *call;
	if (unknown)
		print_line(out, "coverage is not known", unknown);
	if (!basis)
		return;
	(void)fprintf(out,
		      "mindxtrain: %.1f %% of a step's attention and matrix products are planned problems (by %s)\n",
		      (double)share / 1e4, basis);
	if (share >= COVERAGE_ENOUGH_PPM)
		return;
	json_array_foreach(json_object_get(coverage, "largest_unplanned"), i, call)
	{
		const char *problem = text_of(call, "problem");
		print_line(out, "not planned", problem ? problem : "");
	}
}

static bool same_row(const json_t *a, const json_t *b)
{
	static const char *const keys[] = {"what", "saw", "planned"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(keys); i++) {
		const json_t *left = json_object_get(a, keys[i]), *right = json_object_get(b, keys[i]);
		if (left != right && !json_equal(left, right))
			return false;
	}
	return true;
}

/* How many rows are like this one; 0 when an earlier one is. */
static size_t like_row(const json_t *rows, size_t row)
{
	size_t count = 0;
	for (size_t i = 0; i < json_array_size(rows); i++) {
		if (!same_row(json_array_get(rows, i), json_array_get(rows, row)))
			continue;
		if (i < row)
			return 0;
		count++;
	}
	return count;
}

static void put_value(const json_t *row, const char *key, const char *before, struct mxt_buf *text)
{
	const json_t *value = json_object_get(row, key);
	if (json_is_integer(value))
		mxt_buf_printf(text, "%s%" JSON_INTEGER_FORMAT, before, json_integer_value(value));
	else if (json_is_string(value))
		mxt_buf_printf(text, "%s%s", before, json_string_value(value));
}

/* What many processes saw alike is one line. */
static void print_witnesses(FILE *out, const struct mxt_run_proof *proof)
{
	size_t i;
	json_t *row;
	json_array_foreach(proof->witnesses, i, row)
	{
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		size_t alike = like_row(proof->witnesses, i);
		if (alike == 0)
			continue;
		mxt_buf_printf(&text, "%zu process%s:", alike, alike == 1 ? "" : "es");
		put_value(row, "what", " ", &text);
		put_value(row, "saw", " is ", &text);
		put_value(row, "planned", ", planned is ", &text);
		put_value(row, "also", "; for other calls ", &text);
		put_value(row, "note", "; ", &text);
		print_line(out, "", mxt_buf_text(&text));
	}
	if (proof->contradicted)
		print_line(out, "warning", "the training did not run as planned: see the line above that differs");
}

static void print_caches(FILE *out, const json_t *caches)
{
	size_t i;
	json_t *row;
	json_array_foreach(caches, i, row)
	{
		const char *cache = json_string_value(json_object_get(row, "cache"));
		json_int_t tuned = json_integer_value(json_object_get(row, "tuned"));
		(void)fprintf(out, "mindxtrain: %s%" JSON_INTEGER_FORMAT " files appeared in the cache of %s",
			      tuned ? "warning: " : "", json_integer_value(json_object_get(row, "new")),
			      cache ? cache : "?");
		(void)fprintf(out, tuned ? ", %" JSON_INTEGER_FORMAT " of them hold choices made while it ran\n" : "\n",
			      tuned);
	}
}

void mxt_launch_print_result(FILE *out, const struct mxt_launch *launch, const struct mxt_launch_result *result)
{
	print_end(out, launch, result);
	print_streams(out, &result->supervised);
	if (!result->supervised.started)
		return;
	if (launch->request->config)
		print_report(out, result);
	print_artefacts(out, &result->artefacts);
	print_coverage(out, result->proof.coverage);
	print_witnesses(out, &result->proof);
	print_caches(out, result->caches);
}
