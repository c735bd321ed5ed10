/* SPDX-License-Identifier: Apache-2.0 */
#include "choice_simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "compiler.h"
#include "rng.h"

#define MARGIN      0.03
#define NEW_LENGTHS 6

const struct choice_world choice_worlds[] = {
    {.name = "0.5 %", .noise = 0.005},
    {.name = "2 %", .noise = 0.02},
    {.name = "5 %", .noise = 0.05},
    {.name = "0.5 %, outliers", .noise = 0.005, .outliers = 0.05},
    {.name = "2 %, outliers", .noise = 0.02, .outliers = 0.05},
    {.name = "5 %, outliers", .noise = 0.05, .outliers = 0.05},
    {.name = "0.5 %, rounds slow down by 15 %", .noise = 0.005, .slope = 0.15},
    {.name = "2 %, rounds speed up by 15 %", .noise = 0.02, .slope = -0.15},
    {.name = "0.5 %, first position 15 % faster", .noise = 0.005, .favour = 0.15, .position = 0},
    {.name = "0.5 %, second position 15 % faster", .noise = 0.005, .favour = 0.15, .position = 1},
    {.name = "2 %, third position 15 % faster", .noise = 0.02, .favour = 0.15, .position = 2},
    {.name = "2 %, outliers, first position 15 % faster", .noise = 0.02, .outliers = 0.05, .favour = 0.15},
    {.name = "0.5 %, clock steps", .noise = 0.005, .steps = 0.02},
    {.name = "2 %, clock steps, outliers", .noise = 0.02, .outliers = 0.05, .steps = 0.02},
    {.name = "0.5 %, processes differ by 0.5 %", .noise = 0.005, .process = 0.005},
};
const size_t choice_n_worlds = MXT_ARRAY_LEN(choice_worlds);

const struct choice_truth choice_truths[] = {
    {.name = "none", .first = 0, .others = 0},
    {.name = "half", .first = 0.5, .others = 0.5},
    {.name = "just below", .first = 0.999, .others = 0.999},
    {.name = "1.5 x", .first = 1.5, .others = 0},
    {.name = "2 x", .first = 2, .others = 0},
    {.name = "3 x", .first = 3, .others = 0},
    {.name = "2 x, yours races", .first = 2, .others = 0, .yours = true},
    {.name = "all 2 x", .first = 2, .others = 2},
    {.name = "3 x, others 2 x", .first = 3, .others = 2},
    {.name = "none, first calls half", .first = 0, .others = 0, .charge = 0.5, .charge_noise = 0.1},
    {.name = "just below, first calls half", .first = 0.999, .others = 0.999, .charge = 0.5, .charge_noise = 0.1},
    {.name = "none, first calls 90 %", .first = 0, .others = 0, .charge = 0.9, .charge_noise = 0.3},
    {.name = "10 x, first calls half", .first = 10, .others = 0, .charge = 0.5, .charge_noise = 0.1},
};
const size_t choice_n_truths = MXT_ARRAY_LEN(choice_truths);

const struct choice_world *choice_world(const char *name)
{
	for (size_t i = 0; i < choice_n_worlds; i++)
		if (strcmp(choice_worlds[i].name, name) == 0)
			return &choice_worlds[i];
	return NULL;
}

const struct choice_truth *choice_truth(const char *name)
{
	for (size_t i = 0; i < choice_n_truths; i++)
		if (strcmp(choice_truths[i].name, name) == 0)
			return &choice_truths[i];
	return NULL;
}

bool choice_world_keeps_level(const struct choice_world *world)
{
	bool drifts = world->slope > 0 || world->slope < 0 || world->favour > 0;
	return !drifts && !(world->steps > 0) && !(world->process > 0);
}

/* One race: who runs, what is true, and the state of the machine. */
struct run {
	const struct choice_world *world;
	struct mxt_rng rng;
	struct mxt_entrant entrants[MXT_RACE_MAX_CANDIDATES];
	double truth[MXT_RACE_MAX_CANDIDATES];       /* log gain over bare, of the whole */
	double steady[MXT_RACE_MAX_CANDIDATES];      /* log of what is timed, relative to bare's whole */
	double first_calls[MXT_RACE_MAX_CANDIDATES]; /* relative to bare's whole */
	double process[MXT_RACE_MAX_CANDIDATES];     /* log factor that this process keeps */
	double charge;                               /* bare's first calls */
	size_t count;
	bool slow_clock;
};

/* What a challenger's first calls cost, relative to bare's. */
#define FEW_FIRST_CALLS 0.01

static void enter(struct run *run, const char *name, enum mxt_role role, double gain)
{
	size_t i = run->count++;
	bool few = role == MXT_ROLE_CHALLENGER;
	run->entrants[i] = (struct mxt_entrant){name, role, true};
	run->truth[i] = -log1p(-gain * MARGIN);
	run->first_calls[i] = run->charge * (few ? FEW_FIRST_CALLS : 1);
	run->steady[i] = log(exp(-run->truth[i]) - run->first_calls[i]);
	run->process[i] = run->world->process * mxt_rng_normal(&run->rng);
}

static void line_up(struct run *run, const struct choice_truth *truth, unsigned challengers)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	enter(run, "bare", MXT_ROLE_BARE, 0);
	enter(run, "twin", MXT_ROLE_TWIN, 0);
	if (truth->yours)
		enter(run, "yours", MXT_ROLE_YOURS, 0);
	for (unsigned i = 0; i < challengers; i++)
		enter(run, names[i], MXT_ROLE_CHALLENGER, i == 0 ? truth->first : truth->others);
}

#define LOG_NS 13.8

/* Charges everybody what a few noisy first calls tell, and the twin what bare is charged. */
static void charge_all(struct run *run, const struct choice_truth *truth, struct mxt_race *race)
{
	struct mxt_charge charge = {0, 0, 0};
	for (size_t i = 0; truth->charge > 0 && i < run->count; i++) {
		double costs[NEW_LENGTHS];
		for (size_t k = 0; k < NEW_LENGTHS; k++)
			costs[k] =
			    exp(LOG_NS) * run->first_calls[i] * (1 + truth->charge_noise * mxt_rng_normal(&run->rng));
		if (run->entrants[i].role != MXT_ROLE_TWIN)
			mxt_charge_estimate(costs, NEW_LENGTHS, &charge);
		if (mxt_race_charge(race, i, &charge, NULL) < 0)
			abort();
	}
}

/* One measurement at `position` of `positions` in its round. */
static double measure(struct run *run, size_t entrant, size_t position, size_t positions)
{
	const struct choice_world *world = run->world;
	double log_ns =
	    LOG_NS + run->steady[entrant] + run->process[entrant] + world->noise * mxt_rng_normal(&run->rng);
	log_ns += log1p(world->slope * (double)position / (double)(positions - 1));
	if (world->favour > 0 && position == world->position % positions)
		log_ns += log1p(-world->favour);
	if (mxt_rng_unit(&run->rng) < world->outliers)
		log_ns += log(1.1) + mxt_rng_unit(&run->rng) * log(10 / 1.1);
	if (mxt_rng_unit(&run->rng) < world->steps)
		run->slow_clock = !run->slow_clock;
	return exp(log_ns + (run->slow_clock ? log(1.12) : 0));
}

static void add_round(struct run *run, struct mxt_race *race)
{
	uint32_t order[MXT_RACE_MAX_CANDIDATES], wanted = mxt_race_wants(race);
	size_t positions = 0;
	double time_ns[MXT_RACE_MAX_CANDIDATES] = {0};
	for (uint32_t i = 0; i < run->count; i++)
		if (wanted & (UINT32_C(1) << i))
			order[positions++] = i;
	mxt_rng_shuffle(&run->rng, order, positions);
	for (size_t p = 0; p < positions; p++)
		time_ns[order[p]] = measure(run, order[p], p, positions);
	mxt_race_add_block(race, time_ns, order, positions);
}

/* Counts one finished race; returns the name index of what ships. */
static size_t count_race(const struct run *run, const struct mxt_race *race, unsigned blocks, bool *crowned_falsely,
			 struct choice_tally *tally)
{
	double margin = -log1p(-MARGIN), best = 0;
	struct mxt_choice choice;
	mxt_race_choice(race, &choice);
	for (size_t i = 0; i < run->count; i++)
		best = fmax(best, run->truth[i]);
	bool won = choice.verdict == MXT_VERDICT_WINNER;
	tally->winnable += best > margin;
	tally->missed += best > margin && !won;
	tally->unresolved += choice.verdict == MXT_VERDICT_UNRESOLVED;
	tally->regret += best - run->truth[choice.winner];
	tally->blocks += blocks;
	*crowned_falsely = *crowned_falsely || (won && run->truth[choice.winner] <= margin);
	return choice.winner;
}

static size_t run_race(const struct choice_world *world, const struct choice_truth *truth, unsigned challengers,
		       uint64_t seed, bool *crowned_falsely, struct choice_tally *tally)
{
	struct run run = {.world = world, .rng = {seed * UINT64_C(0x2545f4914f6cdd1d)}, .charge = truth->charge};
	struct mxt_race_params params = MXT_RACE_PARAMS_DEFAULT;
	params.probes = 2;
	params.margin_ppm = truth->margin_ppm ? truth->margin_ppm : params.margin_ppm;
	line_up(&run, truth, challengers);
	struct mxt_race *race = NULL;
	if (mxt_race_create(run.entrants, run.count, &params, &race, NULL) < 0)
		abort();
	charge_all(&run, truth, race);
	unsigned blocks = 0;
	for (; mxt_race_wants(race); blocks++)
		add_round(&run, race);
	size_t shipped = count_race(&run, race, blocks, crowned_falsely, tally);
	mxt_race_destroy(race);
	return shipped;
}

void choice_simulate(const struct choice_world *world, const struct choice_truth *truth, uint64_t first_seed,
		     unsigned plans, struct choice_tally *ret_tally)
{
	/* How often each pair of decisions was made; the attention probe differs by seed only in who may lose. */
	unsigned decisions[MXT_RACE_MAX_CANDIDATES][MXT_RACE_MAX_CANDIDATES] = {0};
	struct choice_tally tally = {.plans = plans};
	for (unsigned i = 0; i < plans; i++) {
		uint64_t seed = first_seed + i;
		bool crowned_falsely = false;
		size_t gemm = run_race(world, truth, 8, 2 * seed, &crowned_falsely, &tally);
		size_t attention = run_race(world, truth, 1 + i % 3, 2 * seed + 1, &crowned_falsely, &tally);
		tally.false_plans += crowned_falsely;
		unsigned same = ++decisions[gemm][attention];
		tally.same = same > tally.same ? same : tally.same;
	}
	tally.regret /= 2.0 * plans;
	tally.blocks /= 2.0 * plans;
	*ret_tally = tally;
}
