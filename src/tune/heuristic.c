/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "announce.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "session.h"

/* What all products may take: of what is left of the budget, and at most. More where the answer goes into the plan. */
#define SHARE_PERCENT     10
#define MOST_NS           (4 * MXT_NS_PER_S)
#define PIN_SHARE_PERCENT 25
#define PIN_MOST_NS       (15 * MXT_NS_PER_S)
#define LEAST_NS          (300 * MXT_NS_PER_MS) /* below, nothing is compared */
#define EACH_NS           (100 * MXT_NS_PER_MS) /* for one product, at least */
#define SLACK_NS          (2 * MXT_NS_PER_S)    /* an answer may be late: the first one loads the library */

static double part_of(double part, double whole)
{
	return whole > 0 ? part / whole * 1e6 + (part < 0 ? -0.5 : 0.5) : 0;
}

uint32_t mxt_heuristic_share_ppm(const struct mxt_heuristic *heuristic)
{
	return (uint32_t)part_of(heuristic->ranked_ns, heuristic->total_ns);
}

int32_t mxt_heuristic_gain_ppm(const struct mxt_heuristic *heuristic)
{
	return (int32_t)part_of(heuristic->gain_ns, heuristic->ranked_ns);
}

uint32_t mxt_heuristic_floor_ppm(const struct mxt_heuristic *heuristic)
{
	return (uint32_t)part_of(heuristic->floor_ns, heuristic->ranked_ns);
}

/* A product of the course, and what its calls take of a step. */
struct product {
	uint32_t id;
	double ns;
};

struct ranking_run {
	struct mxt_session *session;
	const struct mxt_field *field;
	struct product *products; /* owned, those that take most first */
	size_t count;
	double ahead_ns; /* of a step, in products that were not yet asked for */
	uint64_t end_ns;
};

static int by_time(const void *a, const void *b)
{
	const struct product *x = a, *y = b;
	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : x->id < y->id ? -1 : 1;
}

static int list_products(struct ranking_run *run, struct mxt_error *err)
{
	const struct mxt_course *course = run->field->course;
	const struct mxt_measure *measures = run->field->entries[0].measures;
	run->products = calloc(course->n_items + 1, sizeof *run->products);
	if (!run->products)
		return mxt_error_oom(err);
	for (size_t i = 0; i < course->n_items; i++) {
		if (measures[i].n == 0)
			continue;
		double ns = course->items[i].weight * (double)mxt_measure_median(&measures[i]);
		run->products[run->count++] = (struct product){(uint32_t)i, ns};
		run->ahead_ns += ns;
	}
	qsort(run->products, run->count, sizeof *run->products, by_time);
	run->session->heuristic.products = run->count;
	run->session->heuristic.total_ns = run->ahead_ns;
	return 0;
}

static int keep(struct ranking_run *run, const struct product *product, const struct mxt_ranking *ranking,
		struct mxt_error *err)
{
	struct mxt_heuristic *heuristic = &run->session->heuristic;
	const struct mxt_course *course = run->field->course;
	if ((double)ranking->best_ns < course->items[product->id].least_ns)
		return mxt_evidence_text(run->session->health, err,
					 "heuristic check: an algorithm reported %llu ns where this hardware needs at "
					 "least %.0f ns",
					 (unsigned long long)ranking->best_ns, course->items[product->id].least_ns);
	heuristic->ranked++;
	heuristic->ranked_ns += product->ns;
	heuristic->gain_ns += product->ns * ranking->gain_ppm / 1e6;
	heuristic->floor_ns += product->ns * ranking->floor_ppm / 1e6;
	memcpy(heuristic->library, ranking->library, sizeof heuristic->library);
	const struct mxt_problem *problem = &course->problems[product->id];
	int rc = mxt_evidence_ranking(run->session, problem, ranking, err);
	return rc < 0 ? rc : mxt_pins_offer(run->session, &problem->as.gemm, product->ns, ranking, err);
}

/* Its part of the time that is left, by what it takes of a step. */
static uint64_t limit_for(const struct ranking_run *run, const struct product *product, uint64_t left_ns)
{
	double share = run->ahead_ns > 0 ? product->ns / run->ahead_ns : 1;
	uint64_t limit = (uint64_t)((double)left_ns * share);
	limit = limit > EACH_NS ? limit : EACH_NS;
	return limit < left_ns ? limit : left_ns;
}

static int rank_product(struct ranking_run *run, const struct product *product, uint64_t now,
			enum mxt_outcome *ret_outcome, struct mxt_error *err)
{
	struct mxt_worker *worker = run->field->entries[0].worker;
	uint64_t limit = limit_for(run, product, run->end_ns - now);
	uint64_t deadline = now + limit + SLACK_NS, work_end = run->session->request->budget->work_end_ns;
	struct mxt_ranking ranking = {.algorithms = 0};
	int rc = mxt_worker_rank(worker, product->id, limit, deadline < work_end ? deadline : work_end, ret_outcome,
				 &ranking, err);
	run->ahead_ns -= product->ns;
	return rc == 0 && *ret_outcome == MXT_OK ? keep(run, product, &ranking, err) : rc;
}

/* The worker said no, or nothing any more. */
static int note_refusal(struct ranking_run *run, enum mxt_outcome outcome, const struct product *product,
			struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf what = MXT_BUF_INIT;
	const char *reason = mxt_worker_reason(run->field->entries[0].worker);
	mxt_buf_puts(&what, "heuristic check of ");
	mxt_problem_text(&run->field->course->problems[product->id], &what);
	int rc = mxt_buf_status(&what, err);
	if (rc < 0)
		return rc;
	if (outcome == MXT_UNSUPPORTED)
		return mxt_announce_skipped(run->session, mxt_buf_text(&what), reason, err);
	return mxt_evidence_text(run->session->health, err, "%s: %s: %s", mxt_buf_text(&what),
				 mxt_outcome_name(outcome), reason);
}

static int rank_all(struct ranking_run *run, struct mxt_error *err)
{
	for (size_t i = 0; i < run->count; i++) {
		const struct product *product = &run->products[i];
		uint64_t now = mxt_now_ns(run->field->clock);
		enum mxt_outcome outcome = MXT_OK;
		if (now >= run->end_ns)
			return 0;
		int rc = rank_product(run, product, now, &outcome, err);
		if (rc == 0 && outcome != MXT_OK)
			rc = note_refusal(run, outcome, product, err);
		if (rc < 0)
			return rc;
		if (outcome == MXT_FAILED || outcome == MXT_TIMEOUT)
			return 0; /* nobody is there any more to be asked */
		mxt_announce_progress(run->session, "heuristic");
	}
	return 0;
}

static uint64_t time_for_all(const struct mxt_session *session, bool pins)
{
	uint64_t percent = pins ? PIN_SHARE_PERCENT : SHARE_PERCENT, most = pins ? PIN_MOST_NS : MOST_NS;
	uint64_t part = mxt_budget_left_ns(session->request->budget) / 100 * percent;
	return part < most ? part : most;
}

int mxt_session_rank(struct mxt_session *session, const struct mxt_field *field, struct mxt_error *err)
{
	const struct mxt_entry *bare = &field->entries[0];
	if (field->ops->rank == mxt_no_ranking || bare->outcome != MXT_OK || !bare->worker)
		return 0;
	uint64_t part = time_for_all(session, field->ops->pins);
	session->heuristic.done = true;
	if (part < LEAST_NS)
		return mxt_announce_skipped(session, "heuristic check", "no time for it within the budget", err);
	struct ranking_run run = {.session = session, .field = field, .end_ns = mxt_now_ns(field->clock) + part};
	int rc = mxt_pins_begin(session, field, err);
	if (rc == 0)
		rc = list_products(&run, err);
	if (rc == 0)
		rc = rank_all(&run, err);
	free(run.products);
	return rc;
}
