/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scenario file of the fake device: docs/scenario.md describes it.
 */
#ifndef MXT_DEVICE_FAKE_SCENARIO_H
#define MXT_DEVICE_FAKE_SCENARIO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fake_fault.h"
#include "problem.h"

/* Where the scenario is; named in messages. */
#define MXT_FAKE_SCENARIO_VARIABLE "MINDXTRAIN_FAKE_SCENARIO"

/* Times of one problem kind: fixed_ns + ns_per_flop * FLOPs, and first_call_ns more for the first call of a shape. */
struct mxt_fake_cost {
	double fixed_ns, ns_per_flop, first_call_ns;
};

/* Relative deviations of one launch. */
struct mxt_fake_noise {
	double sigma;            /* of the log of a time */
	double tail_probability; /* how often a launch is disturbed */
	double tail_size;        /* mean of the exponential share that a disturbance adds */
	double process_sigma;    /* of the log of a factor that a process keeps for life */
};

/* A candidate, or what the bare environment makes (probe and env unused). Strings are borrowed from the file. */
struct mxt_fake_row {
	const char *name, *choice, *skip, *bits;
	json_t *env; /* borrowed: object of strings */
	enum mxt_problem_kind probe;
	bool deterministic;
	bool first_calls; /* as in struct mxt_candidate */
	struct mxt_fake_cost cost;
	struct mxt_fake_noise noise;
	struct mxt_fake_fault *faults; /* owned */
	size_t n_faults;
};

struct mxt_fake_scenario {
	json_t *root;      /* owned */
	json_t *inventory; /* borrowed; NULL: defaults */
	int64_t seed;      /* -1: a new one in every process */
	bool real_sleep;
	double drift_per_s; /* times grow by this share per second of device time */
	double ns_per_byte; /* of fillers */
	struct mxt_fake_row bare[MXT_PROBLEM_KIND_COUNT];
	struct mxt_fake_row *rows; /* owned */
	size_t n_rows;
};

/* `name` is the file's, for messages; the bytes are not kept. */
int mxt_fake_scenario_parse(const char *name, const char *text, size_t len, struct mxt_fake_scenario *ret_scenario,
			    struct mxt_error *err);
int mxt_fake_scenario_read(const char *path, struct mxt_fake_scenario *ret_scenario, struct mxt_error *err);
void mxt_fake_scenario_finish(struct mxt_fake_scenario *scenario);

/*
 * What this process's environment selects for a kind of problem: the candidate with the most variables that are all
 * set as it says, else bare.
 */
const struct mxt_fake_row *mxt_fake_scenario_row(const struct mxt_fake_scenario *scenario, enum mxt_problem_kind kind);

#endif
