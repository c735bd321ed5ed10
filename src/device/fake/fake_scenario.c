/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "input_file.h"
#include "json.h"

#define MAX_NUMBER 1e18

static int refuse(struct mxt_error *err, const char *where, const json_error_t *fault)
{
	return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO, "%s of the scenario: %s", where, fault->text);
}

struct number {
	const char *key;
	double value;
};

/* Everything that the file gives as a number is at least 0, and no more than what keeps times within a life span. */
static int check_numbers(const struct number *numbers, size_t count, const char *where, struct mxt_error *err)
{
	for (size_t i = 0; i < count; i++)
		if (!(numbers[i].value >= 0 && numbers[i].value <= MAX_NUMBER))
			return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO,
					     "%s of the scenario: %s must lie between 0 and 1e18", where,
					     numbers[i].key);
	return 0;
}

static int parse_cost(json_t *json, const char *where, struct mxt_fake_cost *cost, struct mxt_error *err)
{
	json_error_t fault;
	if (json && json_unpack_ex(json, &fault, 0, "{s?F, s?F, s?F !}", "fixed_ns", &cost->fixed_ns, "ns_per_flop",
				   &cost->ns_per_flop, "first_call_ns", &cost->first_call_ns) < 0)
		return refuse(err, where, &fault);
	const struct number numbers[] = {
	    {"fixed_ns", cost->fixed_ns}, {"ns_per_flop", cost->ns_per_flop}, {"first_call_ns", cost->first_call_ns}};
	return check_numbers(numbers, MXT_ARRAY_LEN(numbers), where, err);
}

static int parse_noise(json_t *json, const char *where, struct mxt_fake_noise *noise, struct mxt_error *err)
{
	json_error_t fault;
	if (json && json_unpack_ex(json, &fault, 0, "{s?F, s?F, s?F, s?F !}", "sigma", &noise->sigma,
				   "tail_probability", &noise->tail_probability, "tail_size", &noise->tail_size,
				   "process_sigma", &noise->process_sigma) < 0)
		return refuse(err, where, &fault);
	const struct number numbers[] = {{"sigma", noise->sigma},
					 {"tail_probability", noise->tail_probability},
					 {"tail_size", noise->tail_size},
					 {"process_sigma", noise->process_sigma}};
	return check_numbers(numbers, MXT_ARRAY_LEN(numbers), where, err);
}

static int parse_faults(json_t *json, struct mxt_fake_row *row, struct mxt_error *err)
{
	size_t count = json_array_size(json);
	if (json && !json_is_array(json))
		return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO, "faults of the scenario must be an array");
	row->faults = calloc(count + 1, sizeof *row->faults);
	if (!row->faults)
		return mxt_error_oom(err);
	for (size_t i = 0; i < count; i++) {
		int rc = mxt_fake_fault_parse(json_array_get(json, i), &row->faults[i], err);
		if (rc < 0)
			return rc;
		row->n_faults++;
	}
	return 0;
}

static int parse_bare(json_t *json, enum mxt_problem_kind kind, struct mxt_fake_row *row, struct mxt_error *err)
{
	json_t *cost = NULL, *noise = NULL, *faults = NULL;
	json_error_t fault;
	*row = (struct mxt_fake_row){.name = "bare",
				     .choice = kind == MXT_PROBLEM_GEMM ? "openblas" : "math",
				     .bits = "same",
				     .probe = kind,
				     .cost = {.fixed_ns = 1000, .ns_per_flop = 0.01}};
	if (json && json_unpack_ex(json, &fault, 0, "{s?s, s?s, s?o, s?o, s?o !}", "choice", &row->choice, "bits",
				   &row->bits, "cost", &cost, "noise", &noise, "faults", &faults) < 0)
		return refuse(err, "bare", &fault);
	int rc = parse_cost(cost, "bare cost", &row->cost, err);
	if (rc == 0)
		rc = parse_noise(noise, "bare noise", &row->noise, err);
	return rc < 0 ? rc : parse_faults(faults, row, err);
}

static int parse_probe(const char *name, enum mxt_problem_kind *ret_kind, struct mxt_error *err)
{
	for (int kind = 0; kind < MXT_PROBLEM_KIND_COUNT; kind++)
		if (strcmp(mxt_problem_kind_name((enum mxt_problem_kind)kind), name) == 0) {
			*ret_kind = (enum mxt_problem_kind)kind;
			return 0;
		}
	return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO, "the scenario names an unknown probe '%s'", name);
}

static int check_env(json_t *env, const char *name, struct mxt_error *err)
{
	const char *variable;
	json_t *value;
	json_object_foreach(env, variable, value)
	{
		if (!json_is_string(value))
			return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO,
					     "candidate '%s' of the scenario: %s is not a string", name, variable);
	}
	return json_object_size(env) > 0 ? 0
					 : mxt_error_set(err, -EINVAL, MXT_E_SCENARIO,
							 "candidate '%s' of the scenario sets no variable", name);
}

/* Cost and noise start from what bare has; `factor` scales the cost. */
static int parse_candidate(json_t *json, const struct mxt_fake_row *bare, struct mxt_fake_row *row,
			   struct mxt_error *err)
{
	const char *probe = "";
	json_t *cost = NULL, *noise = NULL, *faults = NULL;
	double factor = 1;
	int deterministic = 0, first_calls = 0;
	json_error_t fault;
	if (json_unpack_ex(json, &fault, 0, "{s:s, s:s, s:o, s?s, s?s, s?s, s?b, s?b, s?F, s?o, s?o, s?o !}", "name",
			   &row->name, "probe", &probe, "env", &row->env, "choice", &row->choice, "skip", &row->skip,
			   "bits", &row->bits, "deterministic", &deterministic, "first_calls", &first_calls, "factor",
			   &factor, "cost", &cost, "noise", &noise, "faults", &faults) < 0)
		return refuse(err, "a candidate", &fault);
	int rc = parse_probe(probe, &row->probe, err);
	if (rc == 0)
		rc = check_env(row->env, row->name, err);
	if (rc < 0)
		return rc;
	row->deterministic = deterministic != 0;
	row->first_calls = first_calls != 0;
	row->choice = row->choice ? row->choice : row->name;
	row->bits = row->bits ? row->bits : row->name;
	row->cost = bare[row->probe].cost;
	row->cost.fixed_ns *= factor;
	row->cost.ns_per_flop *= factor;
	row->noise = bare[row->probe].noise;
	rc = parse_cost(cost, row->name, &row->cost, err);
	if (rc == 0)
		rc = parse_noise(noise, row->name, &row->noise, err);
	return rc < 0 ? rc : parse_faults(faults, row, err);
}

static int parse_candidates(json_t *json, struct mxt_fake_scenario *scenario, struct mxt_error *err)
{
	size_t count = json_array_size(json);
	if (json && !json_is_array(json))
		return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO, "candidates of the scenario must be an array");
	scenario->rows = calloc(count + 1, sizeof *scenario->rows);
	if (!scenario->rows)
		return mxt_error_oom(err);
	for (size_t i = 0; i < count; i++) {
		scenario->n_rows++; /* also what is half parsed is released */
		int rc = parse_candidate(json_array_get(json, i), scenario->bare, &scenario->rows[i], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int parse(struct mxt_fake_scenario *scenario, struct mxt_error *err)
{
	json_t *bare[MXT_PROBLEM_KIND_COUNT] = {NULL}, *candidates = NULL;
	const char *description = ""; /* for the reader of the file */
	json_int_t seed = -1;
	int real_sleep = 0;
	json_error_t fault;
	scenario->ns_per_byte = 0.1;
	if (json_unpack_ex(scenario->root, &fault, 0, "{s?s, s?o, s?I, s?b, s?F, s?F, s?{s?o, s?o !}, s?o !}",
			   "description", &description, "inventory", &scenario->inventory, "seed", &seed, "real_sleep",
			   &real_sleep, "drift_per_s", &scenario->drift_per_s, "ns_per_byte", &scenario->ns_per_byte,
			   "bare", "attention", &bare[MXT_PROBLEM_ATTENTION], "gemm", &bare[MXT_PROBLEM_GEMM],
			   "candidates", &candidates) < 0)
		return refuse(err, "the top level", &fault);
	const struct number numbers[] = {{"seed", seed == -1 ? 0 : (double)seed},
					 {"drift_per_s", scenario->drift_per_s},
					 {"ns_per_byte", scenario->ns_per_byte}};
	int rc = check_numbers(numbers, MXT_ARRAY_LEN(numbers), "the top level", err);
	if (rc < 0)
		return rc;
	scenario->seed = seed;
	scenario->real_sleep = real_sleep != 0;
	for (int kind = 0; kind < MXT_PROBLEM_KIND_COUNT; kind++) {
		rc = parse_bare(bare[kind], (enum mxt_problem_kind)kind, &scenario->bare[kind], err);
		if (rc < 0)
			return rc;
	}
	return parse_candidates(candidates, scenario, err);
}

int mxt_fake_scenario_parse(const char *name, const char *text, size_t len, struct mxt_fake_scenario *ret_scenario,
			    struct mxt_error *err)
{
	struct mxt_fake_scenario scenario = {.root = NULL};
	int rc = mxt_json_parse(name, text, len, MXT_JSON_FOREIGN, &scenario.root, err);
	if (rc < 0)
		return rc;
	rc = parse(&scenario, err);
	if (rc < 0) {
		mxt_fake_scenario_finish(&scenario);
		return mxt_error_wrap(err, rc, "%s", name);
	}
	*ret_scenario = scenario;
	return 0;
}

int mxt_fake_scenario_read(const char *path, struct mxt_fake_scenario *ret_scenario, struct mxt_error *err)
{
	if (!path || !*path)
		return mxt_error_set(err, -ENODEV, MXT_E_SCENARIO,
				     "the simulated device needs a scenario: set " MXT_FAKE_SCENARIO_VARIABLE
				     " to a file (docs/scenario.md)");
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_input_refine(mxt_file_read(path, MXT_JSON_MAX_BYTES, &buf, err), err);
	return rc < 0 ? rc : mxt_fake_scenario_parse(path, mxt_buf_text(&buf), buf.len, ret_scenario, err);
}

void mxt_fake_scenario_finish(struct mxt_fake_scenario *scenario)
{
	for (size_t kind = 0; kind < MXT_PROBLEM_KIND_COUNT; kind++)
		free(scenario->bare[kind].faults);
	for (size_t i = 0; i < scenario->n_rows; i++)
		free(scenario->rows[i].faults);
	free(scenario->rows);
	json_decref(scenario->root);
	*scenario = (struct mxt_fake_scenario){.root = NULL};
}

static bool in_force(const struct mxt_fake_row *row)
{
	const char *variable;
	json_t *value;
	json_object_foreach(row->env, variable, value)
	{
		const char *set = getenv(variable);
		if (!set || strcmp(set, json_string_value(value)) != 0)
			return false;
	}
	return true;
}

const struct mxt_fake_row *mxt_fake_scenario_row(const struct mxt_fake_scenario *scenario, enum mxt_problem_kind kind)
{
	const struct mxt_fake_row *best = NULL;
	for (size_t i = 0; i < scenario->n_rows; i++) {
		const struct mxt_fake_row *row = &scenario->rows[i];
		if (row->probe == kind && in_force(row) &&
		    (!best || json_object_size(row->env) > json_object_size(best->env)))
			best = row;
	}
	return best ? best : &scenario->bare[kind];
}
