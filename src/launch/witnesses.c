/* SPDX-License-Identifier: Apache-2.0 */
#include "witnesses.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "attention_provider.h"
#include "buf.h"
#include "error.h"
#include "file.h"
#include "folder_listing.h"
#include "json.h"
#include "plan.h"
#include "plan_settings.h"

#define SCHEMA    "mindxtrain.witness/1"
#define FILES     "witness-*.json"
#define MAX_BYTES ((size_t)64 << 10)
#define MAX_KINDS 16
#define MAX_NOTE  300

#define NOT_CALLED "not called"
#define UNKNOWN    "unknown"

/* Kernels that a witness may name. */
static const char *const backends[] = {"math", "flash", "efficient", "cudnn", "ck", "aotriton", "overrideable"};
#define N_BACKENDS MXT_ARRAY_LEN(backends)

/* One process against the plan. */
struct view {
	const json_t *document;
	const struct mxt_plan *plan;
	const char *planned; /* decision.attention; "": nothing */
	double work[N_BACKENDS];
	double unknown_work;
	bool called;
};

/* ---- rows ---- */

static int add_row(struct mxt_witnesses *witnesses, const json_t *document, const char *what, const char *saw,
		   const char *planned, json_t **ret_row)
{
	json_t *row = json_pack("{s:I, s:s, s:s}", "rank", (json_int_t)mxt_json_integer(document, "rank"), "what", what,
				"saw", saw);
	if (!row || json_array_append_new(witnesses->rows, row) < 0) /* takes it over, also when it fails */
		return -ENOMEM;
	if (ret_row)
		*ret_row = row;
	return mxt_json_set_known(row, "planned", planned) < 0 ? -ENOMEM : 0;
}

/* ---- attention ---- */

static int backend_index(const char *name)
{
	for (size_t i = 0; i < N_BACKENDS; i++)
		if (strcmp(backends[i], name) == 0)
			return (int)i;
	return -1;
}

/* Pairs of a query and a key, times what is computed for one. Bounded: each factor was read as at most 2^53. */
static double kind_work(const json_t *kind)
{
	static const char *const factors[] = {"batch", "heads", "queries", "keys", "head_dim", "calls"};
	double work = 1;
	for (size_t i = 0; i < MXT_ARRAY_LEN(factors); i++) {
		int64_t factor = mxt_json_integer(kind, factors[i]);
		work *= factor > 0 ? (double)factor : 0;
	}
	return work;
}

/* Those calls alone that have gradients, if there are any: the others do not train. */
static void add_up(struct view *view)
{
	const json_t *kinds = json_object_get(view->document, "kinds");
	size_t n = json_array_size(kinds) < MAX_KINDS ? json_array_size(kinds) : MAX_KINDS;
	bool trains = false;
	for (size_t i = 0; i < n; i++)
		trains = trains || json_is_true(json_object_get(json_array_get(kinds, i), "grad"));
	for (size_t i = 0; i < n; i++) {
		const json_t *kind = json_array_get(kinds, i);
		int index = backend_index(mxt_json_text(kind, "backend"));
		double work = kind_work(kind);
		view->called = view->called || work > 0;
		if (trains && !json_is_true(json_object_get(kind, "grad")))
			continue;
		if (index >= 0)
			view->work[index] += work;
		else
			view->unknown_work += work;
	}
}

/* What most of the work took. */
static const char *most_of(const struct view *view)
{
	const char *saw = view->called ? UNKNOWN : NOT_CALLED;
	double most = view->unknown_work;
	for (size_t i = 0; i < N_BACKENDS; i++) {
		if (view->work[i] <= most)
			continue;
		most = view->work[i];
		saw = backends[i];
	}
	/* What is compiled calls no function that could be watched; and some calls cannot be read. */
	bool missed =
	    mxt_json_integer(view->document, "compiled") > 0 || mxt_json_integer(view->document, "unread") > 0;
	return missed && strcmp(saw, NOT_CALLED) == 0 ? UNKNOWN : saw;
}

static bool is_imported(const json_t *document, const char *provider)
{
	size_t i;
	json_t *name;
	json_array_foreach(json_object_get(document, "imported"), i, name)
	{
		if (json_is_string(name) && strcmp(json_string_value(name), provider) == 0)
			return true;
	}
	return false;
}

/*
 * Of torch's own kernels one is planned: it must be it. Another package is planned: torch's own must not do its work,
 * which is sure only where that package is not even there.
 */
static bool contradicts(const struct view *view, const char *saw)
{
	if (view->planned[0] == '\0' || strcmp(saw, UNKNOWN) == 0)
		return false;
	if (mxt_sdpa_has(view->planned))
		return strcmp(saw, view->planned) != 0;
	return strcmp(saw, NOT_CALLED) != 0 && !is_imported(view->document, view->planned);
}

/* What it took for other calls. */
static int set_also(json_t *row, const struct view *view, const char *saw)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	for (size_t i = 0; i < N_BACKENDS; i++)
		if (view->work[i] > 0 && strcmp(backends[i], saw) != 0)
			mxt_buf_printf(&text, "%s%s", text.len > 0 ? ", " : "", backends[i]);
	return text.failed ? -1 : mxt_json_set_known(row, "also", mxt_buf_text(&text));
}

/* All that the process has to say, as one text. */
static int set_note(json_t *row, const json_t *document)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	size_t i;
	json_t *note;
	json_array_foreach(json_object_get(document, "notes"), i, note)
	{
		if (json_is_string(note) && text.len < MAX_NOTE)
			mxt_buf_printf(&text, "%s%s", text.len > 0 ? "; " : "", json_string_value(note));
	}
	if (text.failed)
		return -1;
	return text.len > 0 ? json_object_set_new(row, "note", mxt_json_clean_text(text.data, MAX_NOTE)) : 0;
}

static int take_attention(struct mxt_witnesses *witnesses, struct view *view)
{
	json_t *row = NULL;
	add_up(view);
	const char *saw = most_of(view);
	int rc = add_row(witnesses, view->document, "sdpa", saw, view->planned, &row);
	if (rc == 0 && (set_also(row, view, saw) < 0 || set_note(row, view->document) < 0))
		rc = -ENOMEM;
	witnesses->contradicted = witnesses->contradicted || contradicts(view, saw);
	return rc;
}

/* ---- settings and pins ---- */

static int take_settings(struct mxt_witnesses *witnesses, const struct view *view, struct mxt_error *err)
{
	const json_t *settings = json_object_get(view->document, "settings");
	const char *deterministic = mxt_json_text(settings, "deterministic");
	struct mxt_plan_settings planned;
	int rc = mxt_plan_settings(view->plan, &planned, err);
	if (rc == 0 && planned.deterministic && deterministic[0]) {
		bool on = strcmp(deterministic, "on") == 0;
		rc = add_row(witnesses, view->document, "deterministic", on ? "on" : "off", "on", NULL);
		witnesses->contradicted = witnesses->contradicted || !on;
	}
	if (rc == 0 && strcmp(mxt_json_text(settings, "cudnn_benchmark"), "on") == 0) {
		rc = add_row(witnesses, view->document, "cudnn.benchmark", "on", "off", NULL);
		witnesses->contradicted = true;
	}
	return rc;
}

static int take_pins(struct mxt_witnesses *witnesses, const struct view *view)
{
	const json_t *seen = json_object_get(view->document, "pins");
	const json_t *pins = json_object_get(json_object_get(mxt_plan_decision(view->plan), "gemm"), "pins");
	char saw[32], planned[32];
	if (!seen || json_array_size(pins) == 0)
		return 0;
	int64_t rows = mxt_json_integer(seen, "rows");
	(void)snprintf(saw, sizeof saw, "%" PRId64, rows);
	(void)snprintf(planned, sizeof planned, "%zu", json_array_size(pins));
	witnesses->contradicted = witnesses->contradicted || rows < (int64_t)json_array_size(pins);
	return add_row(witnesses, view->document, "pins", saw, planned, NULL);
}

/* ---- files ---- */

static bool is_witness(const json_t *document)
{
	int64_t rank = mxt_json_integer(document, "rank");
	return strcmp(mxt_json_text(document, "schema"), SCHEMA) == 0 && rank >= 0 && rank <= INT32_MAX;
}

static int judge(struct mxt_witnesses *witnesses, const json_t *document, const struct mxt_plan *plan,
		 struct mxt_error *err)
{
	const json_t *attention = json_object_get(mxt_plan_decision(plan), "attention");
	const char *forward = mxt_json_text(attention, "forward");
	struct view view = {
	    .document = document, .plan = plan, .planned = forward[0] ? forward : mxt_json_text(attention, "backend")};
	int rc = take_attention(witnesses, &view);
	if (rc == 0)
		rc = take_settings(witnesses, &view, err);
	if (rc == 0)
		rc = take_pins(witnesses, &view);
	return rc == -ENOMEM ? mxt_error_oom(err) : rc;
}

int mxt_witness_take(struct mxt_witnesses *witnesses, const char *text, size_t len, const struct mxt_plan *plan,
		     struct mxt_error *err)
{
	json_t *document = NULL;
	int rc = mxt_json_parse("witness", text, len, MXT_JSON_CANONICAL, &document, err);
	if (rc < 0)
		return rc;
	if (!is_witness(document)) {
		json_decref(document);
		return mxt_error_set(err, -EINVAL, MXT_E_JSON_VALUE, "this is no witness");
	}
	if (json_array_append_new(witnesses->documents, document) < 0)
		return mxt_error_oom(err);
	witnesses->processes++;
	const char *why = mxt_json_text(document, "not_recorded");
	if (why[0] && !witnesses->not_recorded)
		witnesses->not_recorded = why;
	return judge(witnesses, document, plan, err);
}

/* What is torn, or no witness at all, is passed over. */
static int read_file(struct mxt_witnesses *witnesses, const char *path, const struct mxt_plan *plan,
		     struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	int rc = mxt_file_read(path, MAX_BYTES, &text, NULL);
	if (rc == 0)
		rc = mxt_witness_take(witnesses, mxt_buf_text(&text), text.len, plan, NULL);
	return rc == -ENOMEM ? mxt_error_oom(err) : 0;
}

static int compare_ranks(const json_t *a, const json_t *b)
{
	int64_t left = mxt_json_integer(a, "rank"), right = mxt_json_integer(b, "rank");
	return (left > right) - (left < right);
}

/* By rank; rows of one rank keep their order. */
static int sort_rows(json_t *rows)
{
	for (size_t i = 1; i < json_array_size(rows); i++) {
		size_t at = i;
		json_t *row = json_incref(json_array_get(rows, i));
		while (at > 0 && compare_ranks(json_array_get(rows, at - 1), row) > 0)
			at--;
		if (at < i && (json_array_remove(rows, i) < 0 || json_array_insert(rows, at, row) < 0)) {
			json_decref(row);
			return -1;
		}
		json_decref(row);
	}
	return 0;
}

int mxt_witnesses_read(const char *ranks, const struct mxt_plan *plan, struct mxt_witnesses *ret_witnesses,
		       struct mxt_error *err)
{
	MXT_CLEANUP_WITNESSES struct mxt_witnesses witnesses = {.rows = json_array(), .documents = json_array()};
	MXT_CLEANUP_FOLDER_LISTING struct mxt_folder_listing files = {NULL, 0};
	if (!witnesses.rows || !witnesses.documents)
		return mxt_error_oom(err);
	int rc = mxt_folder_listing_make(&files, ranks, FILES, NULL);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	rc = 0;
	for (size_t i = 0; rc == 0 && i < files.count; i++)
		rc = read_file(&witnesses, files.paths[i], plan, err);
	if (rc == 0 && sort_rows(witnesses.rows) < 0)
		rc = mxt_error_oom(err);
	if (rc < 0)
		return rc;
	*ret_witnesses = witnesses;
	witnesses = (struct mxt_witnesses){.rows = NULL};
	return 0;
}

void mxt_witnesses_finish(struct mxt_witnesses *witnesses)
{
	json_decref(witnesses->rows);
	json_decref(witnesses->documents);
	*witnesses = (struct mxt_witnesses){.rows = NULL};
}
