/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was seen, as canonical-form JSON. A number that does not apply is left out, never written as 0.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "length_trade.h"
#include "problem_json.h"
#include "session.h"
#include "statistics.h"

/* Appends a new reference; takes it over even on failure. */
static int append(json_t *list, json_t *value, struct mxt_error *err)
{
	return value && json_array_append_new(list, value) == 0 ? 0 : mxt_error_oom(err);
}

int mxt_evidence_text(json_t *list, struct mxt_error *err, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	json_t *text = json_vsprintf(fmt, args);
	va_end(args);
	return append(list, text, err);
}

static int set_integer(json_t *object, const char *key, uint64_t value)
{
	return json_object_set_new(object, key, json_integer((json_int_t)value));
}

/* Median, quantiles and minimum of the block times. */
static int set_times(json_t *sample, const struct mxt_measure *measure)
{
	double ns[MXT_FIELD_MAX_ROUNDS];
	for (uint32_t i = 0; i < measure->n; i++)
		ns[i] = (double)measure->ns[i];
	double median = mxt_median(ns, measure->n); /* sorts */
	int rc = set_integer(sample, "n", measure->n);
	rc |= set_integer(sample, "median_ns", (uint64_t)median);
	rc |= set_integer(sample, "p20_ns", (uint64_t)mxt_quantile(ns, measure->n, 0.2));
	rc |= set_integer(sample, "p80_ns", (uint64_t)mxt_quantile(ns, measure->n, 0.8));
	rc |= set_integer(sample, "min_ns", (uint64_t)ns[0]);
	return rc;
}

static int set_preparation(json_t *sample, const struct mxt_measure *measure)
{
	int rc = set_integer(sample, "first_call_ns", measure->first_call_ns);
	if (measure->check.error_ppb != UINT64_MAX)
		rc |= set_integer(sample, "error_ppb", measure->check.error_ppb);
	if (measure->check.repeatable)
		rc |= json_object_set_new(sample, "repeatable", json_true());
	if (measure->check.backend[0])
		rc |= json_object_set_new(sample, "backend", json_string(measure->check.backend));
	return rc;
}

/* One row: an entry on an item. `problem` is NULL for a whole layer. */
static json_t *sample_json(const char *probe, const struct mxt_entry *entry, const struct mxt_measure *measure,
			   const struct mxt_problem *problem)
{
	json_t *sample = json_pack("{s:s, s:s, s:s}", "probe", probe, "candidate", entry->name, "status",
				   mxt_outcome_name(entry->outcome));
	if (!sample)
		return NULL;
	int rc = 0;
	if (problem)
		rc |= json_object_set_new(sample, "problem", mxt_problem_json(problem));
	if (entry->reason)
		rc |= json_object_set_new(sample, "reason", json_string(entry->reason));
	if (measure->prepared && problem)
		rc |= set_preparation(sample, measure);
	if (measure->n > 0)
		rc |= set_times(sample, measure);
	if (rc == 0)
		return sample;
	json_decref(sample);
	return NULL;
}

/* An entry that never got ready is one row; another is one row per item. */
static int entry_samples(json_t *list, const char *probe, const struct mxt_field *field, const struct mxt_entry *entry,
			 struct mxt_error *err)
{
	static const struct mxt_measure nothing;
	if (!entry->facts)
		return append(list, sample_json(probe, entry, &nothing, NULL), err);
	const struct mxt_course *course = field->course;
	for (size_t i = 0; i < course->n_items; i++) {
		const struct mxt_item *item = &course->items[i];
		const struct mxt_problem *problem = item->n_steps == 1 ? &course->problems[item->steps[0].id] : NULL;
		int rc = append(list, sample_json(probe, entry, &entry->measures[i], problem), err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mxt_evidence_samples(struct mxt_session *session, const char *probe, const struct mxt_field *field,
			 struct mxt_error *err)
{
	for (size_t i = 0; i < field->n_entries; i++) {
		int rc = entry_samples(session->samples, probe, field, &field->entries[i], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mxt_evidence_choice(struct mxt_session *session, const char *probe, const struct mxt_probe_result *result,
			struct mxt_error *err)
{
	const struct mxt_choice *choice = &result->choice;
	const char *source = choice->verdict == MXT_VERDICT_UNRESOLVED ? "unresolved" : "measured";
	json_t *row =
	    json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:s, s:s}", "probe", probe, "incumbent", result->incumbent_name,
		      "winner", result->winner_name, "best", result->best_name, "gain_ppm", (int)choice->gain_ppm,
		      "blocks", (json_int_t)choice->blocks, "rule", choice->rule, "source", source);
	int rc = 0;
	if (row && choice->bound_ppm != MXT_BOUND_UNKNOWN_PPM)
		rc |= json_object_set_new(row, "bound_ppm", json_integer(choice->bound_ppm));
	if (row && choice->floor_ppm != MXT_FLOOR_UNKNOWN_PPM)
		rc |= json_object_set_new(row, "floor_ppm", json_integer(choice->floor_ppm));
	json_t *lengths = NULL;
	if (row && result->lengths.state != MXT_LENGTHS_FIXED)
		rc |= mxt_length_trade_json(session, &result->lengths, &lengths);
	if (row && lengths)
		rc |= json_object_set_new(row, "new_lengths", lengths);
	if (rc < 0) {
		json_decref(row);
		row = NULL;
	}
	return append(session->choices, row, err);
}

int mxt_evidence_ranking(struct mxt_session *session, const struct mxt_problem *problem,
			 const struct mxt_ranking *ranking, struct mxt_error *err)
{
	json_t *row = json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:i, s:I}", "problem", mxt_problem_json(problem),
				"offered", (json_int_t)ranking->offered, "algorithms", (json_int_t)ranking->algorithms,
				"rounds", (json_int_t)ranking->rounds, "default_ns", (json_int_t)ranking->default_ns,
				"best_ns", (json_int_t)ranking->best_ns, "gain_ppm", (int)ranking->gain_ppm,
				"floor_ppm", (json_int_t)ranking->floor_ppm);
	int rc = 0;
	if (row && ranking->bound_ppm != MXT_BOUND_UNKNOWN_PPM)
		rc |= json_object_set_new(row, "bound_ppm", json_integer(ranking->bound_ppm));
	if (row && ranking->solution != MXT_SOLUTION_DEFAULT)
		rc |= json_object_set_new(row, "solution", json_integer(ranking->solution));
	if (row && ranking->remark[0])
		rc |= json_object_set_new(row, "remark", json_string(ranking->remark));
	if (rc < 0) {
		json_decref(row);
		row = NULL;
	}
	return append(session->heuristic.samples, row, err);
}

/* What new lengths cost an entry; nothing where nobody looked. */
static json_t *first_calls_json(const char *probe, const struct mxt_entry *entry)
{
	const struct mxt_first_calls *first = &entry->first;
	json_t *row = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "probe", probe, "candidate", entry->name,
				"shapes", (json_int_t)first->shapes, "forward_ns",
				(json_int_t)first->call_ns[MXT_FORWARD], "cost_ns", (json_int_t)first->cost.middle,
				"low_ns", (json_int_t)first->cost.low, "high_ns", (json_int_t)first->cost.high);
	uint64_t backward = first->call_ns[MXT_BACKWARD];
	if (row && backward && set_integer(row, "backward_ns", backward) < 0) {
		json_decref(row);
		return NULL;
	}
	return row;
}

int mxt_evidence_first_calls(struct mxt_session *session, const char *probe, const struct mxt_field *field,
			     struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < field->n_entries; i++)
		if (field->entries[i].first.known && field->entries[i].role != MXT_ROLE_TWIN)
			rc = append(session->first_calls, first_calls_json(probe, &field->entries[i]), err);
	return rc;
}

/* What each worker reported to be in force, and whether its results are bit-equal to bare's. */
int mxt_evidence_witnesses(struct mxt_session *session, const char *probe, const struct mxt_field *field,
			   struct mxt_error *err)
{
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if (!entry->facts)
			continue;
		json_t *row =
		    json_pack("{s:s, s:s, s:O}", "probe", probe, "candidate", entry->name, "facts", entry->facts);
		session->stand_in = session->stand_in || json_is_true(json_object_get(entry->facts, "stand_in"));
		bool equal = i > 0 && mxt_field_same_bits(field, &field->entries[0], entry);
		if (row && equal && json_object_set_new(row, "bits_equal_bare", json_true()) < 0) {
			json_decref(row);
			row = NULL;
		}
		int rc = append(session->witnesses, row, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
