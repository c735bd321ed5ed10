/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_report.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "artefacts.h"
#include "buf.h"
#include "clean_text.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "json.h"
#include "launch.h"
#include "launch_run.h"
#include "manifest.h"
#include "run_files.h"
#include "run_proof.h"
#include "supervise.h"

void mxt_launch_print_line(FILE *out, const char *kind, const char *text)
{
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT;
	mxt_clean_text(&clean, text, strlen(text));
	for (char *newline = clean.data; newline && (newline = strchr(newline, '\n'));)
		*newline = ' ';
	(void)fprintf(out, "mindxtrain: %s%s%s\n", kind, kind[0] ? ": " : "",
		      clean.failed ? text : mxt_buf_text(&clean));
}

/* Did the command itself say that all went well? What else is not known of a failed one is no news. */
static bool ended_well(const struct mxt_supervised *supervised)
{
	return WIFEXITED(supervised->wait_status) && WEXITSTATUS(supervised->wait_status) == 0;
}

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
	mxt_buf_printf(&text, " after %.1f s; its output: %s/" MXT_RUN_LOG,
		       (double)(supervised->ended_ns - supervised->started_ns) / (double)MXT_NS_PER_S,
		       launch->request->folder);
	mxt_launch_print_line(out, "", mxt_buf_text(&text));
	if (supervised->n_swept > 0)
		(void)fprintf(out, "mindxtrain: warning: it left %zu process%s behind, now ended\n",
			      supervised->n_swept, supervised->n_swept == 1 ? "" : "es");
}

static void print_streams(FILE *out, const struct mxt_supervised *supervised)
{
	if (supervised->log_errno)
		(void)fprintf(out, "mindxtrain: warning: train.log is not complete: %s\n",
			      strerror(supervised->log_errno));
	if (supervised->shown_errno)
		(void)fprintf(out, "mindxtrain: warning: %" PRIu64 " bytes of the output were not shown (%s)%s\n",
			      supervised->lost_bytes, strerror(supervised->shown_errno),
			      supervised->log_errno ? "" : "; train.log has them");
}

static void print_report(FILE *out, const struct mxt_launch_result *result)
{
	if (result->report == MXT_CONFIG_CONFIRMED)
		(void)fprintf(out, "mindxtrain: Axolotl reports every planned key as planned\n");
	else if (result->report != MXT_CONFIG_DIFFERS && ended_well(&result->supervised))
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
		mxt_launch_print_line(out, "written", path ? path : "");
	}
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

#define COVERAGE_ENOUGH_PPM 800000 /* below it the largest calls that the plan does not hold are named */

static void put_pins(const json_t *pins, struct mxt_buf *text)
{
	if (pins)
		mxt_buf_printf(text, "; products with a pin: %" JSON_INTEGER_FORMAT ", without: %" JSON_INTEGER_FORMAT,
			       json_integer_value(json_object_get(pins, "hits")),
			       json_integer_value(json_object_get(pins, "misses")));
}

/* "12.3 %", where there is such a part of the step. Is it enough? */
static bool put_share(const json_t *coverage, const char *key, const char *before, const char *behind,
		      struct mxt_buf *text)
{
	const json_t *share = json_object_get(coverage, key);
	json_int_t ppm = json_integer_value(share);
	if (share)
		mxt_buf_printf(text, "%s%.1f %%%s", before, (double)ppm / 1e4, behind);
	return !share || ppm >= COVERAGE_ENOUGH_PPM;
}

static void print_unplanned(FILE *out, const json_t *calls)
{
	size_t i;
	json_t *call;
	json_array_foreach(calls, i, call)
	{
		const char *problem = text_of(call, "problem");
		mxt_launch_print_line(out, "not in the plan", problem ? problem : "");
	}
	mxt_launch_print_line(out, "note",
			      "mindxtrain record writes down what the job computes, and autotune --shapes plans it");
}

static void print_coverage(FILE *out, const json_t *coverage, bool well)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const char *unknown = text_of(coverage, "unknown");
	const char *basis = text_of(coverage, "basis");
	if (unknown && well)
		mxt_launch_print_line(out, "coverage is not known", unknown);
	if (!basis)
		return;
	bool enough = put_share(coverage, "share_ppm", "in the plan: ", " of a step's attention and products (", &text);
	enough = put_share(coverage, "attention_ppm", "attention ", ", ", &text) && enough;
	enough = put_share(coverage, "gemm_ppm", "products ", ", ", &text) && enough;
	mxt_buf_printf(&text, "by %s)", basis);
	put_pins(json_object_get(coverage, "pins"), &text);
	mxt_launch_print_line(out, "", mxt_buf_text(&text));
	if (!enough)
		print_unplanned(out, json_object_get(coverage, "largest_unplanned"));
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

/* Names of status.json in words. */
static const char *name_of(const char *what)
{
	static const struct {
		const char *what, *name;
	} names[] = {
	    {"sdpa", "torch's own attention"},
	    {"operators", "attention in the recorded steps"},
	    {"deterministic", "torch.use_deterministic_algorithms"},
	    {"cudnn.benchmark", "torch.backends.cudnn.benchmark"},
	    {"pins", "number of pinned products"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(names); i++)
		if (strcmp(names[i].what, what) == 0)
			return names[i].name;
	return what;
}

/* "8 ranks: torch's own attention is flash, as planned; for other calls math". */
static void put_witness(const json_t *row, size_t alike, struct mxt_buf *text)
{
	const char *what = text_of(row, "what"), *saw = text_of(row, "saw"), *planned = text_of(row, "planned");
	const char *also = text_of(row, "also"), *note = text_of(row, "note");
	if (alike == 1)
		mxt_buf_printf(text, "rank %" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(row, "rank")));
	else
		mxt_buf_printf(text, "%zu ranks", alike);
	mxt_buf_printf(text, ": %s is %s", name_of(what ? what : "?"), saw ? saw : "?");
	if (planned && saw && strcmp(saw, planned) == 0)
		mxt_buf_puts(text, ", as planned");
	else if (planned)
		mxt_buf_printf(text, ", planned is %s", planned);
	if (also)
		mxt_buf_printf(text, "; for other calls %s", also);
	if (note)
		mxt_buf_printf(text, "; %s", note);
}

/* The recorded operators are told where they say something else than the first calls of the same process did. */
static bool is_told(const json_t *rows, const json_t *operators)
{
	size_t i;
	json_t *row;
	if (strcmp(mxt_json_text(operators, "what"), "operators") != 0)
		return false;
	json_array_foreach((json_t *)rows, i, row) /* jansson's iterators take no const */
	{
		if (strcmp(mxt_json_text(row, "what"), "sdpa") == 0 &&
		    json_equal(json_object_get(row, "rank"), json_object_get(operators, "rank")) &&
		    json_equal(json_object_get(row, "saw"), json_object_get(operators, "saw")))
			return true;
	}
	return false;
}

/* What many processes saw alike is one line; one that differs is named by its rank. */
static void print_witnesses(FILE *out, const struct mxt_run_proof *proof)
{
	size_t i;
	json_t *row;
	json_array_foreach(proof->witnesses, i, row)
	{
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		size_t alike = like_row(proof->witnesses, i);
		if (alike == 0 || is_told(proof->witnesses, row))
			continue;
		put_witness(row, alike, &text);
		mxt_launch_print_line(out, "", mxt_buf_text(&text));
	}
	if (proof->contradicted)
		mxt_launch_print_line(out, "warning",
				      "the training did not run as planned: see the line above that differs");
}

static void print_caches(FILE *out, const json_t *caches)
{
	size_t i;
	json_t *row;
	json_array_foreach(caches, i, row)
	{
		const char *cache = json_string_value(json_object_get(row, "cache"));
		json_int_t tuned = json_integer_value(json_object_get(row, "tuned"));
		json_int_t files = json_integer_value(json_object_get(row, "new"));
		(void)fprintf(out, "mindxtrain: %s%" JSON_INTEGER_FORMAT " file%s appeared in the cache of %s",
			      tuned ? "warning: " : "", files, files == 1 ? "" : "s", cache ? cache : "?");
		(void)fprintf(out, tuned ? ", %" JSON_INTEGER_FORMAT " of them of choices made while it ran\n" : "\n",
			      tuned);
	}
}

void mxt_launch_print_result(FILE *out, const struct mxt_launch *launch, const struct mxt_launch_result *result)
{
	print_end(out, launch, result);
	print_streams(out, &result->supervised);
	if (!result->supervised.started)
		return;
	/* Axolotl's first process alone reports, on the first node. */
	if (launch->request->config && (launch->nodes.rank == 0 || result->report != MXT_CONFIG_AWAITED))
		print_report(out, result);
	print_artefacts(out, &result->artefacts);
	print_coverage(out, result->proof.coverage, ended_well(&result->supervised));
	print_witnesses(out, &result->proof);
	if (result->handoffs_changed)
		mxt_launch_print_line(out, "warning", mxt_error_text(&result->handoffs));
	print_caches(out, result->caches);
}

/* What a command trained that only it knows has no result to be compared. */
static void put_result(const struct mxt_manifest *manifest, struct mxt_buf *text)
{
	const json_t *document = mxt_manifest_document(manifest);
	const json_t *unknown = json_object_get(json_object_get(document, "result"), "unknown");
	const char *result_id = mxt_manifest_result_id(manifest);
	const char *reason = json_string_value(json_array_get(unknown, 0));
	if (result_id)
		mxt_buf_printf(text, ", result_id %s", result_id);
	else if (json_object_get(document, "config"))
		mxt_buf_printf(text, "; its result_id is not known: %s", reason ? reason : "?");
}

/* `run` does not know what its command read and wrote; who started it does. */
static void print_remedy(FILE *out, const struct mxt_manifest *manifest)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const json_t *document = mxt_manifest_document(manifest);
	json_t *status = json_object_get(json_object_get(document, "run"), "exit_status");
	if (json_object_get(document, "config") || !json_is_integer(status) || json_integer_value(status) != 0)
		return;
	mxt_buf_printf(&text,
		       "it lists the folder of the run alone; with data and result: mindxtrain manifest create %s "
		       "--config FILE --dataset PATH --checkpoint PATH",
		       mxt_manifest_list(manifest, 0)->root);
	mxt_launch_print_line(out, "note", mxt_buf_text(&text));
}

void mxt_launch_print_manifest(FILE *out, const struct mxt_manifest *manifest)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_puts(&text, mxt_manifest_id(manifest));
	put_result(manifest, &text);
	mxt_launch_print_line(out, "manifest_id", mxt_buf_text(&text));
	print_remedy(out, manifest);
}

void mxt_launch_print_no_manifest(FILE *out, const char *folder, const struct mxt_error *cause)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char id[12];
	mxt_buf_printf(&text,
		       "the run has no manifest, or not all of its lists: %s [%s]; make it with: mindxtrain manifest "
		       "create %s",
		       mxt_error_text(cause), mxt_error_id_text(cause->id, id), folder);
	mxt_launch_print_line(out, "warning", mxt_buf_text(&text));
}
