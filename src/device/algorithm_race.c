/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithm_race.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "algorithm_field.h"
#include "choose.h"
#include "cleanup.h"
#include "clock.h"
#include "device_ops.h"
#include "error.h"

#define SELECT_SHARE 65    /* per cent of the time are for the stages, the rest for the decision */
#define SPREAD_EVERY 4     /* one in four of the first stage is from below the best-ranked */
#define MOST_REPEATS 8     /* of the first stage */
#define LEAST_DECIDE 4     /* blocks */
#define MOST_DECIDE  16    /* no more than MXT_ALGORITHM_KEPT */
#define ALPHA_PPM    10000 /* that an algorithm is called faster and is not, of one product */

struct course {
	const struct mxt_algorithm_race *race;
	struct mxt_algorithm_field field;
	uint32_t *lineup; /* owned: who is still in, the fastest first once a stage is over */
	size_t count;     /* of them */
	size_t met;       /* of the lineup: all that ran in the first stage, those that later stages left behind last */
	uint64_t unit_ns; /* of wall clock: one launch */
	size_t decided;   /* algorithms that met the library's choice in fresh blocks */
	char remark[MXT_RANKING_REMARK];
};

static int no_time(struct mxt_error *err)
{
	return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED, "no time to compare algorithms");
}

static uint64_t left_ns(const struct mxt_algorithm_race *race)
{
	uint64_t now = mxt_now_ns(race->clock);
	return race->end_ns > now ? race->end_ns - now : 0;
}

/* Two blocks without challengers: the first pays for first calls, the second says what a launch takes. */
static int reconnoitre(struct course *c, struct mxt_error *err)
{
	for (int i = 0; i < 2; i++) {
		mxt_algorithm_field_restart(&c->field);
		int rc = mxt_algorithm_field_block(&c->field, NULL, 0, err);
		if (rc < 0)
			return rc;
	}
	c->unit_ns = c->field.slot_ns + 1;
	return 0;
}

/* Stages of a lineup of this width: each halves it, and the last has two. */
static unsigned stages_of(size_t width)
{
	unsigned stages = 1;
	for (; width > 2; width = (width + 1) / 2)
		stages++;
	return stages;
}

/* Launches that all stages take: each stage as many as the first, and an untimed first call for each algorithm. */
static double launches_of(size_t width)
{
	return (double)width * (stages_of(width) * (1 + 2.0 / MXT_ALGORITHM_BLOCK) + 1);
}

/* As many as leave time for all stages. */
static size_t width_for(const struct course *c, uint64_t time_ns)
{
	size_t width = c->race->count - 1;
	while (width > 1 && launches_of(width) * (double)c->unit_ns > (double)time_ns)
		width -= width / 16 + 1;
	return width;
}

/* The best-ranked, and between them a spread over the rest: what time cuts off are the last of both. */
static void line_up(struct course *c, size_t width)
{
	size_t challengers = c->race->count - 1;
	size_t spread = width < challengers ? width / SPREAD_EVERY : 0, top = width - spread;
	size_t taken = 0, spread_taken = 0;
	for (size_t i = 0; i < width; i++) {
		size_t behind = (challengers - top) * (2 * spread_taken + 1) / (2 * spread + (spread == 0));
		bool is_spread = spread_taken < spread && i % SPREAD_EVERY == SPREAD_EVERY - 1;
		if (is_spread)
			spread_taken++;
		else
			taken++;
		c->lineup[i] = (uint32_t)(is_spread ? 1 + top + behind : taken);
	}
	c->count = width;
}

/* Each of the lineup once, in blocks; who was not met when time ended is left as it was. */
static int run_round(struct course *c, uint64_t end_ns, struct mxt_error *err)
{
	size_t room = 0;
	for (size_t at = 0; at < c->count; at += room) {
		size_t left = c->count - at;
		room = mxt_algorithm_field_room(&c->field, end_ns);
		if (room == 0)
			return 0;
		int rc = mxt_algorithm_field_block(&c->field, c->lineup + at, left < room ? left : room, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int run_stage(struct course *c, size_t repeats, uint64_t end_ns, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < repeats && mxt_algorithm_field_room(&c->field, end_ns); i++) {
		rc = run_round(c, end_ns, err);
		mxt_rng_shuffle(&c->field.rng, c->lineup, c->count); /* other neighbours in the next one */
	}
	c->count = mxt_algorithm_field_sort(&c->field, c->lineup, c->count);
	return rc;
}

/* Stage after stage until two are left, or the time for them is over. */
static int select_fastest(struct course *c, struct mxt_error *err)
{
	uint64_t began = mxt_now_ns(c->race->clock), time_ns = left_ns(c->race) / 100 * SELECT_SHARE;
	uint64_t end_ns = began + time_ns;
	size_t width = width_for(c, time_ns);
	double rounds = (double)time_ns / (launches_of(width) * (double)c->unit_ns);
	size_t repeats = rounds < 1 ? 1 : rounds < MOST_REPEATS ? (size_t)rounds : MOST_REPEATS;
	unsigned stages = stages_of(width);
	line_up(c, width);
	mxt_algorithm_field_expect(&c->field, 2 * c->unit_ns); /* an untimed first call comes with each */
	/* First calls load kernels, so that the first stage may need more than its share, but not that of all. */
	int rc = run_stage(c, repeats, stages > 1 ? began + time_ns / 2 : end_ns, err);
	c->met = c->count;
	mxt_algorithm_field_expect(&c->field, c->unit_ns);
	while (rc == 0 && c->count > 2) {
		c->count = (c->count + 1) / 2;
		repeats *= 2;
		rc = run_stage(c, repeats, end_ns, err);
	}
	return rc;
}

static void leave(struct course *c, uint32_t algorithm, struct mxt_error *err)
{
	if (c->remark[0] == '\0')
		(void)snprintf(c->remark, sizeof c->remark, "%s", mxt_error_text(err));
	mxt_error_clear(err);
	c->field.standings[algorithm].out = true;
}

/* The fastest that looks faster than the library's choice and may win; 0: none. */
static int pick(struct course *c, uint32_t *ret_pick, struct mxt_error *err)
{
	for (size_t i = 0; i < c->met; i++) {
		uint32_t algorithm = c->lineup[i];
		if (c->field.standings[algorithm].out || mxt_algorithm_field_gain(&c->field, algorithm) <= 0)
			continue;
		int rc = c->race->check(c->race->context, algorithm, err);
		if (rc == 0)
			*ret_pick = algorithm;
		if (rc != -ENOTSUP)
			return rc;
		leave(c, algorithm, err);
	}
	*ret_pick = 0;
	return 0;
}

/* What the fresh blocks show of the pick against the library's choice. */
static void evaluate(const struct course *c, struct mxt_confirm *ret_confirm)
{
	double log_ratios[MXT_ALGORITHM_KEPT];
	const struct mxt_algorithm_field *field = &c->field;
	for (size_t i = 0; i < field->kept; i++)
		log_ratios[i] = field->first[i] - (field->chosen[i] + field->twin[i]) / 2;
	mxt_confirm_evaluate(log_ratios, field->kept, ALPHA_PPM, c->decided, ret_confirm);
}

/* Fresh blocks of the pick, until they show that it is slower, or as many as time and the bound have use for. */
static int decide(struct course *c, uint32_t picked, struct mxt_confirm *ret_confirm, struct mxt_error *err)
{
	struct mxt_algorithm_field *field = &c->field;
	mxt_algorithm_field_restart(field);
	mxt_algorithm_field_expect(field, c->unit_ns);
	c->decided++;
	*ret_confirm = (struct mxt_confirm){.blocks = 0};
	while (field->kept < MOST_DECIDE && !ret_confirm->surely_slower) {
		if (!mxt_algorithm_field_room(field, c->race->end_ns))
			return field->kept < LEAST_DECIDE ? no_time(err) : 0;
		int rc = mxt_algorithm_field_block(field, &picked, 1, err);
		if (rc < 0 || field->standings[picked].out)
			return rc;
		evaluate(c, ret_confirm);
	}
	return 0;
}

static uint32_t runnable(const struct course *c)
{
	uint32_t n = 1;
	for (size_t i = 1; i < c->race->count; i++)
		n += c->field.standings[i].blocks > 0 && !c->field.standings[i].out ? 1 : 0;
	return n;
}

static void report(const struct course *c, uint32_t picked, const struct mxt_confirm *confirm,
		   struct mxt_ranking *ret_ranking)
{
	const struct mxt_algorithm_field *field = &c->field;
	bool faster = picked && confirm->surely_faster;
	uint64_t chosen_ns = mxt_algorithm_field_chosen_ns(field);
	*ret_ranking = (struct mxt_ranking){
	    .algorithms = runnable(c),
	    .rounds = picked ? field->standings[picked].blocks : (uint32_t)field->kept,
	    .default_ns = chosen_ns,
	    .best_ns = faster ? mxt_algorithm_field_first_ns(field) : chosen_ns,
	    .gain_ppm = faster ? confirm->gain_ppm : 0,
	    .bound_ppm = faster ? confirm->bound_ppm : 0,
	    .floor_ppm = mxt_algorithm_field_floor_ppm(field),
	    .solution = MXT_SOLUTION_DEFAULT,
	};
	(void)snprintf(ret_ranking->remark, sizeof ret_ranking->remark, "%s", c->remark);
}

static bool any_met(const struct course *c)
{
	for (size_t i = 1; i < c->race->count; i++)
		if (c->field.standings[i].blocks > 0 || c->field.standings[i].out)
			return true;
	return c->race->count == 1;
}

/* One that ran in the stages and refuses now makes room for the next. */
static int finish(struct course *c, uint32_t *ret_picked, struct mxt_confirm *ret_confirm, struct mxt_error *err)
{
	int rc;
	do {
		rc = pick(c, ret_picked, err);
		if (rc == 0 && *ret_picked)
			rc = decide(c, *ret_picked, ret_confirm, err);
	} while (rc == 0 && *ret_picked && c->field.standings[*ret_picked].out);
	return rc;
}

static int run(struct course *c, struct mxt_ranking *ret_ranking, size_t *ret_fastest, struct mxt_error *err)
{
	struct mxt_confirm confirm = {.blocks = 0};
	uint32_t picked = 0;
	int rc = reconnoitre(c, err);
	if (rc == 0 && c->race->count > 1)
		rc = select_fastest(c, err);
	if (rc == 0)
		rc = any_met(c) ? finish(c, &picked, &confirm, err) : no_time(err);
	if (rc < 0)
		return rc;
	report(c, picked, &confirm, ret_ranking);
	*ret_fastest = confirm.surely_faster ? picked : 0;
	return 0;
}

int mxt_algorithm_race(const struct mxt_algorithm_race *race, struct mxt_ranking *ret_ranking, size_t *ret_fastest,
		       struct mxt_error *err)
{
	struct course c = {.race = race, .count = 0};
	c.lineup = calloc(race->count, sizeof *c.lineup);
	int rc = c.lineup ? mxt_algorithm_field_init(&c.field, race, err) : mxt_error_oom(err);
	if (rc == 0)
		rc = run(&c, ret_ranking, ret_fastest, err);
	mxt_algorithm_field_finish(&c.field);
	free(c.lineup);
	return rc;
}
