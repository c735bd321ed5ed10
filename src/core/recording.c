/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "input_file.h"
#include "json.h"
#include "json_path.h"
#include "problem_json.h"
#include "recorded_call.h"
#include "recording_field.h"

#define MAX_NOTES 16

void mxt_recording_destroy(struct mxt_recording *recording)
{
	if (!recording)
		return;
	for (size_t i = 0; i < recording->n_notes; i++)
		free(recording->notes[i]);
	free(recording->notes);
	free(recording->torch);
	free(recording->device);
	free(recording->calls);
	free(recording->order);
	free(recording);
}

/* ---- what must fit together ---- */

static int check_length(const json_t *document, const json_t *array, const struct mxt_json_path *path,
			struct mxt_error *err)
{
	int64_t wanted = mxt_json_integer(document, "ranks") * mxt_json_integer(document, "steps");
	if ((int64_t)json_array_size(array) == wanted)
		return 0;
	return mxt_json_at(path,
			   mxt_error_set(err, -EINVAL, MXT_E_RECORDING,
					 "ranks times steps are %" PRId64 ", and there must be as many numbers here",
					 wanted),
			   err);
}

static int check_counts(const json_t *document, const struct mxt_json_path *root, struct mxt_error *err)
{
	const struct mxt_json_path passes = {root, "forward_passes", 0}, list = {root, "calls", 0};
	const json_t *calls = json_object_get(document, "calls");
	int rc = check_length(document, json_object_get(document, "forward_passes"), &passes, err);
	for (size_t i = 0; rc == 0 && i < json_array_size(calls); i++) {
		const struct mxt_json_path call = {&list, NULL, i}, at = {&call, "counts", 0};
		rc = check_length(document, json_object_get(json_array_get(calls, i), "counts"), &at, err);
	}
	return rc;
}

static int check_order(const json_t *document, const struct mxt_json_path *root, struct mxt_error *err)
{
	const struct mxt_json_path list = {root, "order", 0};
	const json_t *order = json_object_get(document, "order");
	int64_t n_calls = (int64_t)json_array_size(json_object_get(document, "calls"));
	for (size_t i = 0; i < json_array_size(order); i++) {
		const struct mxt_json_path at = {&list, NULL, i};
		if (json_integer_value(json_array_get(json_array_get(order, i), 0)) >= n_calls)
			return mxt_json_at(
			    &at, mxt_error_set(err, -EINVAL, MXT_E_RECORDING, "there is no call of this number"), err);
	}
	return 0;
}

int mxt_recording_check(const char *name, const json_t *document, struct mxt_error *err)
{
	const struct mxt_json_path root = MXT_JSON_ROOT;
	int rc = mxt_recording_object_check(MXT_RECORDING_FILE, document, &root, err);
	if (rc == 0)
		rc = check_counts(document, &root, err);
	if (rc == 0)
		rc = check_order(document, &root, err);
	return rc < 0 ? mxt_error_wrap(err, rc, "%s", name) : 0;
}

/* ---- taking it over ---- */

static int add_note(struct mxt_recording *recording, struct mxt_error *err, const char *fmt, ...) MXT_PRINTF(3, 4);
static int add_note(struct mxt_recording *recording, struct mxt_error *err, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, fmt);
	int len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return mxt_error_oom(err);
	if (recording->n_notes == MAX_NOTES)
		free(text); /* the first ones say enough */
	else
		recording->notes[recording->n_notes++] = text;
	return 0;
}

static double mean_count(const json_t *counts)
{
	double sum = 0;
	for (size_t i = 0; i < json_array_size(counts); i++)
		sum += (double)json_integer_value(json_array_get(counts, i));
	return json_array_size(counts) ? sum / (double)json_array_size(counts) : 0;
}

static int take_calls(struct mxt_recording *recording, const json_t *calls, struct mxt_error *err)
{
	const struct mxt_json_path root = MXT_JSON_ROOT, list = {&root, "calls", 0};
	for (size_t i = 0; i < json_array_size(calls); i++) {
		const struct mxt_json_path at = {&list, NULL, i};
		const json_t *call = json_array_get(calls, i);
		struct mxt_recorded_call *taken = &recording->calls[recording->n_calls];
		int rc = mxt_recorded_call_read(call, &at, taken, err);
		if (rc < 0)
			return rc;
		taken->calls *= mean_count(json_object_get(call, "counts"));
		recording->n_calls++;
	}
	return 0;
}

static void take_order(struct mxt_recording *recording, const json_t *order)
{
	for (size_t i = 0; i < json_array_size(order); i++) {
		const json_t *pair = json_array_get(order, i);
		recording->order[recording->n_order++] =
		    (struct mxt_recorded_step){(uint32_t)json_integer_value(json_array_get(pair, 0)),
					       (uint64_t)json_integer_value(json_array_get(pair, 1))};
	}
}

/* ---- what the user should know ---- */

static const struct {
	const char *what, *sentence;
} missed[] = {
    {"compiled_graph", "compiled graphs ran: what their generated kernels compute is not in the recording"},
    {"cuda_graph_replay", "CUDA graphs were replayed: what they compute is not in the recording"},
    {"unknown_attention", "an attention operator ran that the recorder does not know"},
    {"unread_lengths", "the lengths of packed documents could not be read while a CUDA graph was captured"},
    {"unreadable_call", "some calls could not be described"},
    {"calls_beyond_limit", "there were more different calls than a recording holds"},
    {"order_beyond_limit", "the order of the step is cut: it was longer than a recording holds"},
};

static int note_missed(struct mxt_recording *recording, const json_t *list, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		const char *what = json_string_value(json_object_get(row, "what")), *text = what;
		for (size_t known = 0; known < MXT_ARRAY_LEN(missed); known++)
			if (strcmp(missed[known].what, what) == 0)
				text = missed[known].sentence;
		rc = add_note(recording, err, "%s (%" JSON_INTEGER_FORMAT ")", text,
			      json_integer_value(json_object_get(row, "count")));
	}
	return rc;
}

/* One sentence for each reason, with its calls in a step. */
static int note_obstacles(struct mxt_recording *recording, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < recording->n_calls; i++) {
		const char *why = recording->calls[i].why_not;
		double calls = 0;
		bool first = why != NULL;
		for (size_t j = 0; first && j < i; j++)
			first = recording->calls[j].why_not != why;
		for (size_t j = i; first && j < recording->n_calls; j++)
			calls += recording->calls[j].why_not == why ? recording->calls[j].calls : 0;
		if (first)
			rc = add_note(recording, err, "not timed: %s (%.0f calls in a step)", why, calls);
	}
	return rc;
}

/* ---- identity ---- */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

/* Appends the canonical bytes of {"calls", "problem", "share_ppm"} as a string, so that they can be sorted. */
static int append_row(json_t *rows, const struct mxt_problem *problem, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *row =
	    json_pack("{s:o, s:I, s:I}", "problem", mxt_problem_json(problem), "calls", (json_int_t)problem->calls,
		      "share_ppm", (json_int_t)problem->share_ppm);
	if (!row)
		return mxt_error_oom(err);
	int rc = mxt_json_canonical(row, &text, err);
	if (rc == 0)
		rc = mxt_buf_status(&text, err);
	if (rc == 0 && json_array_append_new(rows, json_string(mxt_buf_text(&text))) < 0)
		rc = mxt_error_oom(err);
	return rc;
}

static int hash_rows(const json_t *rows, char ret_hex[MXT_HASH_HEX_SIZE], struct mxt_error *err)
{
	size_t n = json_array_size(rows);
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_FREE json_t **sorted = calloc(n + 1, sizeof(json_t *));
	if (!sorted)
		return mxt_error_oom(err);
	for (size_t i = 0; i < n; i++)
		sorted[i] = json_array_get(rows, i);
	qsort(sorted, n, sizeof(json_t *), compare_texts);
	for (size_t i = 0; i < n; i++)
		mxt_buf_printf(&text, "%c%s", i == 0 ? '[' : ',', json_string_value(sorted[i]));
	mxt_buf_putc(&text, ']');
	int rc = mxt_buf_status(&text, err);
	if (rc == 0)
		mxt_hash_hex(text.data, text.len, ret_hex);
	return rc;
}

/* Over the problems as they would be tuned on a device that knows every dtype and size. */
static int make_hash(struct mxt_recording *recording, struct mxt_error *err)
{
	const struct mxt_scale real = {.gemm_tokens = 0};
	MXT_CLEANUP(mxt_problem_set_finish) struct mxt_problem_set set = {.problems = NULL};
	MXT_CLEANUP_JSON json_t *rows = json_array();
	if (!rows)
		return mxt_error_oom(err);
	int rc = mxt_recording_problems(recording, &real, false, &set, NULL, err);
	for (size_t i = 0; rc == 0 && i < set.n_problems; i++)
		rc = append_row(rows, &set.problems[i], err);
	return rc == 0 ? hash_rows(rows, recording->hash, err) : rc;
}

/* ---- reading ---- */

static int allocate(struct mxt_recording *recording, const json_t *document, struct mxt_error *err)
{
	recording->calls = calloc(json_array_size(json_object_get(document, "calls")) + 1, sizeof *recording->calls);
	recording->order = calloc(json_array_size(json_object_get(document, "order")) + 1, sizeof *recording->order);
	recording->notes = calloc(MAX_NOTES, sizeof *recording->notes);
	recording->torch = strdup(json_string_value(json_object_get(document, "torch")));
	recording->device = strdup(json_string_value(json_object_get(document, "device")));
	bool done = recording->calls && recording->order && recording->notes && recording->torch && recording->device;
	return done ? 0 : mxt_error_oom(err);
}

static int take_document(struct mxt_recording *recording, const json_t *document, struct mxt_error *err)
{
	recording->ranks = (uint32_t)mxt_json_integer(document, "ranks");
	recording->steps = (uint32_t)mxt_json_integer(document, "steps");
	int rc = allocate(recording, document, err);
	if (rc == 0)
		rc = take_calls(recording, json_object_get(document, "calls"), err);
	if (rc < 0)
		return rc;
	take_order(recording, json_object_get(document, "order"));
	rc = note_missed(recording, json_object_get(document, "not_seen"), err);
	if (rc == 0)
		rc = note_obstacles(recording, err);
	return rc == 0 ? make_hash(recording, err) : rc;
}

int mxt_recording_parse(const char *name, const char *text, size_t len, struct mxt_recording **ret_recording,
			struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *document = NULL;
	int rc = mxt_json_parse(name, text, len, MXT_JSON_CANONICAL, &document, err);
	if (rc == 0)
		rc = mxt_recording_check(name, document, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = calloc(1, sizeof *recording);
	if (!recording)
		return mxt_error_oom(err);
	rc = take_document(recording, document, err);
	if (rc < 0)
		return mxt_error_wrap(err, rc, "%s", name);
	*ret_recording = mxt_steal_ptr(&recording);
	return 0;
}

int mxt_recording_read(const char *path, struct mxt_recording **ret_recording, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	int rc = mxt_input_refine(mxt_file_read(path, MXT_JSON_MAX_BYTES, &text, err), err);
	return rc < 0 ? rc : mxt_recording_parse(path, mxt_buf_text(&text), text.len, ret_recording, err);
}
