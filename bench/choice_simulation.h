/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans made by real races (choose.h) on simulated times whose truth is known: for the unit test that bounds the error
 * rates, and for the program that prints the tables of docs/choosing.md (simulate_choice.c).
 *
 * A plan has two probes: gemm with eight challengers, and attention with one to three, by the seed. The order of each
 * round is drawn anew from the seed. Where first calls are charged, both probes estimate them as a run does, from six
 * new lengths of every process.
 */
#ifndef MXT_CHOICE_SIMULATION_H
#define MXT_CHOICE_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the machine behaves. Shares are of single measurements; the rest are parts of the time. */
struct choice_world {
	const char *name;
	double noise;      /* standard deviation of one measurement, on the log scale */
	double outliers;   /* share of measurements that take 1.1 to 10 times as long */
	double slope;      /* the last of a round is slower than the first by so much; negative: faster */
	double favour;     /* one position of each round is faster by so much ... */
	unsigned position; /* ... this one, modulo the number of positions */
	double steps;      /* share of measurements after which the clock goes between full and 12 % slower */
	double process;    /* standard deviation of what a process keeps from its start (placement, alignment) */
};

/* What is true about the challengers: gains over both incumbents, in margins (3 %). */
struct choice_truth {
	const char *name;
	double first;        /* of the first challenger of each probe */
	double others;       /* of all others */
	bool yours;          /* the caller's own settings race too, equal to bare */
	uint32_t margin_ppm; /* what the race is told instead of 3 %; 0: nothing else */
	/*
	 * Of bare's time (and yours'), this part are first calls on new lengths; the challengers have almost none, and
	 * are slower in what is timed, so that the gains above hold for the whole. One first call deviates from the
	 * next by `charge_noise`, a standard deviation relative to it.
	 */
	double charge, charge_noise;
};

extern const struct choice_world choice_worlds[];
extern const size_t choice_n_worlds;
extern const struct choice_truth choice_truths[];
extern const size_t choice_n_truths;

struct choice_tally {
	unsigned plans;
	unsigned false_plans; /* with at least one winner whose true gain is not above 3 % */
	unsigned winnable;    /* races with a challenger whose true gain is above 3 % */
	unsigned missed;      /* of these, races without a winner */
	unsigned unresolved;  /* races */
	unsigned same;        /* plans that decided like the most frequent plan */
	double regret;        /* best true gain less the one that ships, on the log scale: mean over races */
	double blocks;        /* screen included: mean over races */
};

/* NULL when there is none of that name. */
const struct choice_world *choice_world(const char *name);
const struct choice_truth *choice_truth(const char *name);

/* True when nothing in this world moves the level of what is timed away from the truth. */
bool choice_world_keeps_level(const struct choice_world *world);

/* Makes `plans` plans, from the seeds `first_seed` and up. Aborts when memory runs out. */
void choice_simulate(const struct choice_world *world, const struct choice_truth *truth, uint64_t first_seed,
		     unsigned plans, struct choice_tally *ret_tally);

#endif
