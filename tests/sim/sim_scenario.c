/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_vendor.h"

/* What a broken scenario ends a process with: no status of the program's own. */
#define BAD_SCENARIO 97

_Noreturn static void refuse(const char *where, const char *why)
{
	(void)fprintf(stderr, "stand-in torch: %s of the scenario in " MXT_SIM_TORCH_VARIABLE ": %s\n", where, why);
	_Exit(BAD_SCENARIO);
}

static void check_unpacked(int rc, const char *where, const json_error_t *fault)
{
	if (rc < 0)
		refuse(where, fault->text);
}

static void read_cost(json_t *json, const char *where, struct mxt_sim_cost *cost)
{
	json_error_t fault;
	if (!json)
		return;
	check_unpacked(json_unpack_ex(json, &fault, 0, "{s?F, s?F, s?F !}", "fixed_ns", &cost->fixed_ns, "flops_per_s",
				      &cost->flops_per_s, "first_call_ns", &cost->first_call_ns),
		       where, &fault);
	if (!(cost->flops_per_s > 0))
		refuse(where, "flops_per_s must be positive");
}

static void read_noise(json_t *json, struct mxt_sim_noise *noise)
{
	json_error_t fault;
	if (json)
		check_unpacked(json_unpack_ex(json, &fault, 0, "{s?F, s?F, s?F, s?F !}", "sigma", &noise->sigma,
					      "tail_probability", &noise->tail_probability, "tail_size",
					      &noise->tail_size, "process_sigma", &noise->process_sigma),
			       "noise", &fault);
}

static void read_device(json_t *json, struct mxt_sim_device *device)
{
	json_error_t fault;
	json_int_t l2_bytes = device->l2_bytes, memory_bytes = device->memory_bytes;
	if (json)
		check_unpacked(
		    json_unpack_ex(
			json, &fault, 0, "{s?i, s?i, s?i, s?i, s?i, s?i, s?i, s?I, s?I, s?i, s?s, s?s, s?s, s?o !}",
			"count", &device->count, "major", &device->major, "minor", &device->minor, "multiprocessors",
			&device->multiprocessors, "compute_mode", &device->compute_mode, "runtime_version",
			&device->runtime_version, "driver_version", &device->driver_version, "l2_bytes", &l2_bytes,
			"memory_bytes", &memory_bytes, "status", &device->status, "exclusive", &device->exclusive,
			"name", &device->name, "arch", &device->arch, "pci", &device->pci),
		    "device", &fault);
	device->l2_bytes = l2_bytes;
	device->memory_bytes = memory_bytes;
}

/* Once a scenario names backends, torch has these and math. */
static void read_attention(json_t *json, struct mxt_sim_scenario *scenario)
{
	size_t left = json_object_size(json);
	for (int backend = 0; backend < MXT_SIM_BACKEND_COUNT; backend++) {
		const char *name = mxt_sim_vendor.backends[backend];
		json_t *row = name ? json_object_get(json, name) : NULL, *costs[MXT_SIM_DIRECTION_COUNT] = {NULL};
		json_error_t fault;
		scenario->has[backend] = name && (!json || row || backend == MXT_SIM_MATH);
		if (!row)
			continue;
		left--;
		check_unpacked(json_unpack_ex(row, &fault, 0, "{s?o, s?o !}", "forward", &costs[MXT_SIM_FORWARD],
					      "backward", &costs[MXT_SIM_BACKWARD]),
			       name, &fault);
		for (int direction = 0; direction < MXT_SIM_DIRECTION_COUNT; direction++)
			read_cost(costs[direction], name, &scenario->attention[backend][direction]);
	}
	if (left > 0)
		refuse("attention", "there is a backend that this stack does not have");
}

static size_t read_factors(json_t *json, const char *where, double factors[static MXT_SIM_MAX_ALGORITHMS])
{
	size_t count = json_array_size(json);
	if (count > MXT_SIM_MAX_ALGORITHMS)
		refuse(where, "there are more than 16");
	for (size_t i = 0; i < count; i++) {
		factors[i] = json_number_value(json_array_get(json, i));
		if (!(factors[i] > 0))
			refuse(where, "factors must be positive numbers");
	}
	return count;
}

static void read_algorithms(json_t *json, struct mxt_sim_algorithms *algorithms)
{
	json_t *factors = NULL;
	json_int_t workspace_bytes = algorithms->workspace_bytes;
	json_error_t fault;
	if (!json)
		return;
	check_unpacked(
	    json_unpack_ex(json, &fault, 0, "{s:o, s?I !}", "factors", &factors, "workspace_bytes", &workspace_bytes),
	    "algorithms", &fault);
	algorithms->workspace_bytes = workspace_bytes;
	algorithms->count = read_factors(factors, "algorithms", algorithms->factors);
}

static void read_solutions(json_t *json, const char *where, struct mxt_sim_solutions *solutions)
{
	json_t *factors = NULL;
	json_int_t workspace_bytes = solutions->workspace_bytes;
	json_error_t fault;
	if (!json)
		return;
	check_unpacked(json_unpack_ex(json, &fault, 0, "{s?o, s?i, s?i, s?F, s?F, s?F, s?I, s?i !}", "factors",
				      &factors, "count", &solutions->count, "seed", &solutions->seed, "gain",
				      &solutions->gain, "cliff_share", &solutions->cliff_share, "cliff_gain",
				      &solutions->cliff_gain, "workspace_bytes", &workspace_bytes, "vanish",
				      &solutions->vanish),
		       where, &fault);
	solutions->workspace_bytes = workspace_bytes;
	solutions->n_factors = read_factors(factors, where, solutions->factors);
	if (solutions->n_factors > 0)
		solutions->count = (int)solutions->n_factors;
}

static void read_clock(json_t *json, struct mxt_sim_clock *clock)
{
	int wall = 0;
	json_error_t fault;
	if (!json)
		return;
	check_unpacked(json_unpack_ex(json, &fault, 0, "{s?F, s?F, s?b, s?s !}", "cold_factor", &clock->cold_factor,
				      "warm_s", &clock->warm_s, "wall", &wall, "shared", &clock->shared),
		       "clock", &fault);
	clock->wall = wall != 0;
}

/* Memory for the rows of a list, and one more. */
static void *rows_of(json_t *json, size_t row_bytes, const char *where, size_t *ret_count)
{
	void *rows = calloc(json_array_size(json) + 1, row_bytes);
	if (!rows)
		refuse(where, "out of memory");
	*ret_count = json_array_size(json);
	return rows;
}

static void read_cliffs(json_t *json, struct mxt_sim_scenario *scenario)
{
	json_error_t fault;
	scenario->cliffs = rows_of(json, sizeof *scenario->cliffs, "cliffs", &scenario->n_cliffs);
	for (size_t i = 0; i < scenario->n_cliffs; i++) {
		struct mxt_sim_cliff *cliff = &scenario->cliffs[i];
		check_unpacked(json_unpack_ex(json_array_get(json, i), &fault, 0, "{s:s, s:o, s:F !}", "at", &cliff->at,
					      "dims", &cliff->dims, "factor", &cliff->factor),
			       "a cliff", &fault);
	}
}

static void read_fault(json_t *json, struct mxt_sim_fault *row)
{
	json_int_t after = 0, times = -1;
	json_error_t fault;
	*row = (struct mxt_sim_fault){.code = -1};
	check_unpacked(json_unpack_ex(json, &fault, 0, "{s:s, s:s, s?s, s?o, s?I, s?I, s?i !}", "at", &row->at, "kind",
				      &row->kind, "text", &row->text, "env", &row->env, "after", &after, "times",
				      &times, "code", &row->code),
		       "a fault", &fault);
	row->after = after;
	row->times = times;
}

static void read_faults(json_t *json, struct mxt_sim_scenario *scenario)
{
	scenario->faults = rows_of(json, sizeof *scenario->faults, "faults", &scenario->n_faults);
	for (size_t i = 0; i < scenario->n_faults; i++)
		read_fault(json_array_get(json, i), &scenario->faults[i]);
}

static void read_blas(json_t *mm, json_t *solutions, struct mxt_sim_scenario *scenario)
{
	static const char form[] = "{s?o, s?o !}";
	const char *const *names = mxt_sim_vendor.blas;
	json_t *costs[MXT_SIM_BLAS_COUNT] = {NULL}, *rows[MXT_SIM_BLAS_COUNT] = {NULL};
	json_error_t fault;
	if (mm)
		check_unpacked(json_unpack_ex(mm, &fault, 0, form, names[0], &costs[0], names[1], &costs[1]), "mm",
			       &fault);
	if (solutions)
		check_unpacked(json_unpack_ex(solutions, &fault, 0, form, names[0], &rows[0], names[1], &rows[1]),
			       "solutions", &fault);
	for (int blas = 0; blas < MXT_SIM_BLAS_COUNT; blas++) {
		read_cost(costs[blas], names[blas], &scenario->mm[blas]);
		read_solutions(rows[blas], names[blas], &scenario->solutions[blas]);
	}
}

static void read_root(struct mxt_sim_scenario *scenario)
{
	json_t *noise = NULL, *clock = NULL, *device = NULL, *attention = NULL, *mm = NULL, *algorithms = NULL,
	       *solutions = NULL, *cliffs = NULL, *faults = NULL;
	const char *description = ""; /* for the reader of the file */
	json_int_t seed = scenario->seed;
	int real_sleep = 0;
	json_error_t fault;
	check_unpacked(json_unpack_ex(scenario->root, &fault, 0,
				      "{s?s, s?I, s?b, s?F, s?F, s?o, s?o, s?o, s?o, s?o, s?o, s?o, s?o, s?o !}",
				      "description", &description, "seed", &seed, "real_sleep", &real_sleep,
				      "drift_per_s", &scenario->drift_per_s, "bytes_per_s", &scenario->bytes_per_s,
				      "noise", &noise, "clock", &clock, "device", &device, "attention", &attention,
				      "mm", &mm, "algorithms", &algorithms, "solutions", &solutions, "cliffs", &cliffs,
				      "faults", &faults),
		       "the top level", &fault);
	if (!(scenario->bytes_per_s > 0))
		refuse("the top level", "bytes_per_s must be positive");
	scenario->seed = seed;
	scenario->real_sleep = real_sleep != 0;
	read_noise(noise, &scenario->noise);
	read_clock(clock, &scenario->clock);
	read_device(device, &scenario->device);
	read_attention(attention, scenario);
	read_blas(mm, solutions, scenario);
	read_algorithms(algorithms, &scenario->algorithms);
	read_cliffs(cliffs, scenario);
	read_faults(faults, scenario);
}

void mxt_sim_scenario_read(struct mxt_sim_scenario *ret_scenario)
{
	const char *path = getenv(MXT_SIM_TORCH_VARIABLE);
	json_error_t fault;
	*ret_scenario = *mxt_sim_vendor.defaults;
	ret_scenario->root = path && *path ? json_load_file(path, JSON_REJECT_DUPLICATES, &fault) : json_object();
	if (!ret_scenario->root)
		refuse("the text", path && *path ? fault.text : "out of memory");
	read_root(ret_scenario);
}

void mxt_sim_scenario_finish(struct mxt_sim_scenario *scenario)
{
	free(scenario->faults);
	free(scenario->cliffs);
	json_decref(scenario->root);
	*scenario = (struct mxt_sim_scenario){.root = NULL};
}
