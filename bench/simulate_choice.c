/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the error rates of choosing on simulated machines as Markdown tables:
 *
 *   simulate_choice [PLANS [FIRST_SEED]]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "choice_simulation.h"
#include "compiler.h"
#include "number.h"

static double false_percent(const struct choice_tally *t)
{
	return 100.0 * t->false_plans / t->plans;
}

static double missed_percent(const struct choice_tally *t)
{
	return t->winnable ? 100.0 * t->missed / t->winnable : -1;
}

static double same_percent(const struct choice_tally *t)
{
	return 100.0 * t->same / t->plans;
}

static double unresolved_percent(const struct choice_tally *t)
{
	return 50.0 * t->unresolved / t->plans;
}

static double regret_percent(const struct choice_tally *t)
{
	return 100 * t->regret;
}

static double blocks(const struct choice_tally *t)
{
	return t->blocks;
}

struct figure {
	const char *title;
	int digits;
	double (*of)(const struct choice_tally *tally); /* negative: does not apply */
};

static const struct figure figures[] = {
    {"False winners, % of plans", 2, false_percent},
    {"Missed winners, % of races with one", 1, missed_percent},
    {"Plans that decide like the most frequent plan, %", 1, same_percent},
    {"Unresolved, % of races", 1, unresolved_percent},
    {"Gain left behind, % of the probe's time", 2, regret_percent},
    {"Blocks per race, screen included", 1, blocks},
};

/*
 * What moves the level of what is timed leaves first calls as they are: there the gain of the whole is another one than
 * these truths say.
 */
static bool is_shown(const struct choice_world *world, bool charged)
{
	return !charged || choice_world_keeps_level(world);
}

/* Of the truths with first calls that are charged, or of those without. */
static void print_table(const struct figure *figure, const struct choice_tally *tallies, bool charged)
{
	printf("\n### %s%s\n\n| machine |", figure->title, charged ? ", first calls charged" : "");
	for (size_t t = 0; t < choice_n_truths; t++)
		if ((choice_truths[t].charge > 0) == charged)
			printf(" %s |", choice_truths[t].name);
	printf("\n|---|");
	for (size_t t = 0; t < choice_n_truths; t++)
		if ((choice_truths[t].charge > 0) == charged)
			printf("---|");
	for (size_t w = 0; w < choice_n_worlds; w++) {
		if (!is_shown(&choice_worlds[w], charged))
			continue;
		printf("\n| %s |", choice_worlds[w].name);
		for (size_t t = 0; t < choice_n_truths; t++) {
			double value = figure->of(&tallies[w * choice_n_truths + t]);
			if ((choice_truths[t].charge > 0) != charged)
				continue;
			if (value >= 0)
				printf(" %.*f", figure->digits, value);
			printf(" |");
		}
	}
	printf("\n");
}

static int number(int argc, char **argv, int index, int64_t *ret_value)
{
	return argc > index ? mxt_parse_i64_in(argv[index], 1, 1000000000, ret_value) : 0;
}

int main(int argc, char **argv)
{
	int64_t plans = 20000, first_seed = 1;
	if (argc > 3 || number(argc, argv, 1, &plans) < 0 || number(argc, argv, 2, &first_seed) < 0) {
		(void)fprintf(stderr, "usage: simulate_choice [PLANS [FIRST_SEED]]\n");
		return 2;
	}
	struct choice_tally *tallies = calloc(choice_n_worlds * choice_n_truths, sizeof *tallies);
	if (!tallies)
		return 1;
	for (size_t w = 0; w < choice_n_worlds; w++)
		for (size_t t = 0; t < choice_n_truths; t++)
			choice_simulate(&choice_worlds[w], &choice_truths[t], (uint64_t)first_seed, (unsigned)plans,
					&tallies[w * choice_n_truths + t]);
	for (size_t f = 0; f < MXT_ARRAY_LEN(figures); f++)
		print_table(&figures[f], tallies, false);
	for (size_t f = 0; f < MXT_ARRAY_LEN(figures); f++)
		print_table(&figures[f], tallies, true);
	free(tallies);
	return 0;
}
