/* SPDX-License-Identifier: Apache-2.0 */
#include "pins.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "announce.h"
#include "choose.h"
#include "cleanup.h"
#include "error.h"
#include "field.h"
#include "json.h"
#include "problem_json.h"
#include "session.h"

void mxt_pins_finish(struct mxt_pins *pins)
{
	json_decref(pins->built);
	free(pins->offers);
	*pins = (struct mxt_pins){.form = MXT_PIN_FORM_NONE};
}

/* ---- what reads them ---- */

/* As TunableOp puts it together: the number, a dash, the revision. */
static int set_hipblaslt(json_t *built, const json_t *facts)
{
	const char *revision = mxt_json_text(facts, "revision");
	int64_t version = mxt_json_integer(facts, "version");
	if (version <= 0 || revision[0] == '\0')
		return 0;
	return json_object_set_new(built, "hipblaslt", json_sprintf("%" PRId64 "-%s", version, revision));
}

json_t *mxt_pins_built(const json_t *facts, const json_t *stack)
{
	const json_t *libraries = json_object_get(facts, "libraries");
	char hip[MXT_PIN_HIP_NUMBER];
	mxt_pin_hip_number(mxt_json_text(stack, "hip"), hip);
	json_t *built = json_object();
	int rc = built ? mxt_json_set_known(built, "arch", mxt_json_text(libraries, "arch")) : -1;
	if (rc == 0)
		rc = mxt_json_set_known(built, "hip", hip);
	if (rc == 0)
		rc = set_hipblaslt(built, json_object_get(libraries, "hipblaslt"));
	if (rc == 0)
		rc = mxt_json_set_known(built, "rocblas",
					mxt_json_text(json_object_get(libraries, "rocblas"), "version"));
	if (rc == 0)
		return built;
	json_decref(built);
	return NULL;
}

int mxt_pins_begin(struct mxt_session *session, const struct mxt_field *field, struct mxt_error *err)
{
	struct mxt_pins *pins = &session->pins;
	const json_t *stack = session->inventory.stack;
	if (!field->ops->pins)
		return 0;
	mxt_pins_finish(pins);
	if (session->request->workload->training.deterministic)
		return mxt_announce_skipped(session, "pins",
					    "results must repeat, and nobody says which solutions repeat theirs", err);
	pins->built = mxt_pins_built(field->entries[0].facts, stack);
	if (!pins->built)
		return mxt_error_oom(err);
	(void)snprintf(pins->library, sizeof pins->library, "%s", mxt_session_gemm_library(session, NULL));
	pins->form = mxt_pin_form(mxt_json_text(stack, "torch"), pins->library, pins->built);
	if (pins->form != MXT_PIN_FORM_NONE)
		return 0;
	return mxt_announce_skipped(session, "pins", "nothing in this stack reads pins, or it does not say its builds",
				    err);
}

/* ---- what could be pinned ---- */

/* "hipBLASLt 1.2.2" is of hipblaslt. */
static bool is_of(const char *text, const char *library)
{
	size_t len = strlen(library);
	for (size_t i = 0; i < len; i++)
		if (tolower((unsigned char)text[i]) != library[i])
			return false;
	return text[len] == ' ' || text[len] == '\0';
}

/* True when another product of the workload would get the same solution, which was not looked at for it. */
static bool stands_for_others(const struct mxt_session *session, const struct mxt_gemm *product)
{
	MXT_CLEANUP_BUF struct mxt_buf own = MXT_BUF_INIT;
	const struct mxt_problem pinned = {.kind = MXT_PROBLEM_GEMM, .as.gemm = *product};
	bool others = false;
	mxt_pin_form_key(session->pins.form, product, &own);
	for (size_t i = 0; i < session->set.n_problems && !others; i++) {
		const struct mxt_problem *problem = &session->set.problems[i];
		MXT_CLEANUP_BUF struct mxt_buf key = MXT_BUF_INIT;
		if (problem->kind != MXT_PROBLEM_GEMM || mxt_problem_equal(problem, &pinned))
			continue;
		mxt_pin_form_key(session->pins.form, &problem->as.gemm, &key);
		others = own.failed || key.failed || strcmp(mxt_buf_text(&own), mxt_buf_text(&key)) == 0;
	}
	return others;
}

int mxt_pins_offer(struct mxt_session *session, const struct mxt_gemm *product, double ns,
		   const struct mxt_ranking *ranking, struct mxt_error *err)
{
	struct mxt_pins *pins = &session->pins;
	const struct mxt_pin pin = {*product, ranking->solution};
	if (pins->form == MXT_PIN_FORM_NONE || ranking->solution == MXT_SOLUTION_DEFAULT ||
	    ranking->bound_ppm == MXT_BOUND_UNKNOWN_PPM || ranking->bound_ppm < MXT_PIN_BOUND_PPM ||
	    !is_of(ranking->library, pins->library) || !mxt_pin_form_can_pin(pins->form, pins->library, &pin) ||
	    stands_for_others(session, product))
		return 0;
	struct mxt_pin_offer *offers = reallocarray(pins->offers, pins->count + 1, sizeof *offers);
	if (!offers)
		return mxt_error_oom(err);
	pins->offers = offers;
	offers[pins->count++] = (struct mxt_pin_offer){.pin = pin,
						       .ns = ns,
						       .gain_ppm = ranking->gain_ppm,
						       .bound_ppm = ranking->bound_ppm,
						       .sample = json_array_size(session->heuristic.samples) - 1};
	return 0;
}

/* ---- the decision ---- */

/* What the offers save of all products of a step. */
static void add_up(struct mxt_pins *pins, double total_ns)
{
	double gain = 0, bound = 0;
	for (size_t i = 0; i < pins->count; i++) {
		gain += pins->offers[i].ns * pins->offers[i].gain_ppm;
		bound += pins->offers[i].ns * pins->offers[i].bound_ppm;
	}
	pins->gain_ppm = total_ns > 0 ? (int32_t)(gain / total_ns) : 0;
	pins->bound_ppm = total_ns > 0 ? (int32_t)(bound / total_ns) : 0;
}

static const char *judge(const struct mxt_session *session, const json_t *env)
{
	const struct mxt_pins *pins = &session->pins;
	if (pins->count == 0)
		return "no product has a solution that surely saves 5 % of it";
	if (strcmp(mxt_session_gemm_library(session, env), pins->library) != 0)
		return "the plan takes another library than the one whose solutions were compared";
	if (pins->bound_ppm < MXT_PINS_BOUND_PPM)
		return "all pins together do not surely save 1 % of the products' time";
	return NULL;
}

static int record(struct mxt_session *session, struct mxt_error *err)
{
	const struct mxt_pins *pins = &session->pins;
	json_t *row =
	    json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "probe", "pins", "incumbent", "heuristic", "best", "pinned",
		      "winner", pins->chosen ? "pinned" : "heuristic", "rule", pins->rule, "source", "measured");
	int rc = row ? json_array_append_new(session->choices, row) : -1;
	if (rc == 0 && pins->count > 0)
		rc = json_object_set_new(row, "gain_ppm", json_integer(pins->gain_ppm));
	if (rc == 0 && pins->count > 0)
		rc = json_object_set_new(row, "bound_ppm", json_integer(pins->bound_ppm));
	return rc == 0 ? 0 : mxt_error_oom(err);
}

int mxt_pins_settle(struct mxt_session *session, struct mxt_error *err)
{
	struct mxt_pins *pins = &session->pins;
	if (pins->form == MXT_PIN_FORM_NONE || session->heuristic.ranked == 0)
		return 0;
	MXT_CLEANUP_JSON json_t *env = mxt_session_plan_env(session);
	if (!env)
		return mxt_error_oom(err);
	add_up(pins, session->heuristic.total_ns);
	const char *objection = judge(session, env);
	pins->chosen = !objection;
	pins->rule = objection ? objection : "each surely saves 5 % of its product, all of them 1 % of all products";
	mxt_announce_pins(session);
	return record(session, err);
}

bool mxt_pins_ship(const struct mxt_session *session, const json_t *env)
{
	const struct mxt_pins *pins = &session->pins;
	return pins->chosen && !pins->dropped && strcmp(mxt_session_gemm_library(session, env), pins->library) == 0;
}

void mxt_pins_drop_unseen(struct mxt_session *session)
{
	struct mxt_pins *pins = &session->pins;
	size_t kept = 0;
	for (size_t i = 0; i < pins->count; i++)
		if (!pins->offers[i].unseen)
			pins->offers[kept++] = pins->offers[i];
	pins->count = kept;
	add_up(pins, session->heuristic.total_ns);
	pins->dropped = pins->dropped || pins->bound_ppm < MXT_PINS_BOUND_PPM;
}

/* ---- into the plan ---- */

/* A pin and the canonical bytes that it is sorted by. */
struct entry {
	struct mxt_buf key;
	json_t *pin; /* owned */
};

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return strcmp(mxt_buf_text(&x->key), mxt_buf_text(&y->key));
}

static int fill_entry(struct entry *entry, const struct mxt_pin *pin)
{
	const struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .as.gemm = pin->product};
	json_t *json = mxt_problem_json(&problem);
	int rc = json ? mxt_json_canonical(json, &entry->key, NULL) : -1;
	entry->pin = json_pack("{s:o, s:I}", "problem", json, "solution", (json_int_t)pin->solution);
	return rc < 0 || !entry->pin || entry->key.failed ? -1 : 0;
}

json_t *mxt_pins_json(const struct mxt_pins *pins)
{
	struct entry *entries = calloc(pins->count + 1, sizeof *entries);
	json_t *list = json_array();
	int rc = entries && list ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < pins->count; i++)
		rc = fill_entry(&entries[i], &pins->offers[i].pin);
	if (rc == 0)
		qsort(entries, pins->count, sizeof *entries, by_key);
	for (size_t i = 0; rc == 0 && i < pins->count; i++)
		rc = json_array_append(list, entries[i].pin);
	for (size_t i = 0; entries && i < pins->count; i++) {
		mxt_buf_finish(&entries[i].key);
		json_decref(entries[i].pin);
	}
	free(entries);
	if (rc == 0)
		return list;
	json_decref(list);
	return NULL;
}

int mxt_pins_mark(const struct mxt_pins *pins, json_t *samples)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < pins->count; i++)
		rc = json_object_set_new(json_array_get(samples, pins->offers[i].sample), "pinned", json_true());
	return rc;
}
