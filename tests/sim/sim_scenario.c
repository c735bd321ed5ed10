/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a broken scenario ends a process with: no status of the program's own. */
#define BAD_SCENARIO 97

const char *const mxt_sim_backend_names[MXT_SIM_BACKEND_COUNT] = {"math", "flash", "efficient", "cudnn"};
const char *const mxt_sim_direction_names[MXT_SIM_DIRECTION_COUNT] = {"forward", "backward"};
const char *const mxt_sim_blas_names[MXT_SIM_BLAS_COUNT] = {"cublas", "cublaslt"};

/* About what an H200 does (docs/benchmarks.md has the measured ones), so that a bare scenario looks like one. */
static const struct mxt_sim_scenario defaults = {
    .seed = -1,
    .bytes_per_s = 4e12,
    .device = {.count = 1,
	       .major = 9,
	       .multiprocessors = 132,
	       .runtime_version = -1, /* that of the library's name */
	       .driver_version = 13000,
	       .l2_bytes = 62914560,
	       .memory_bytes = INT64_C(150000000000)},
    .attention = {[MXT_SIM_MATH] = {{20000, 4e13, 0}, {40000, 4e13, 0}},
		  [MXT_SIM_FLASH] = {{8000, 3.4e14, 0}, {20000, 2.9e14, 0}},
		  [MXT_SIM_EFFICIENT] = {{10000, 1.7e14, 0}, {25000, 1.3e14, 0}},
		  [MXT_SIM_CUDNN] = {{9000, 5.7e14, 1e8}, {18000, 4.6e14, 1e8}}},
    .mm = {[MXT_SIM_CUBLAS] = {5000, 7e14, 0}, [MXT_SIM_CUBLASLT] = {5000, 6.8e14, 0}},
    .algorithms = {.factors = {1, 0.99, 1.04}, .count = 3, .workspace_bytes = 1048576},
};

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
		    json_unpack_ex(json, &fault, 0, "{s?i, s?i, s?i, s?i, s?i, s?i, s?i, s?I, s?I, s?i, s?s !}",
				   "count", &device->count, "major", &device->major, "minor", &device->minor,
				   "multiprocessors", &device->multiprocessors, "compute_mode", &device->compute_mode,
				   "runtime_version", &device->runtime_version, "driver_version",
				   &device->driver_version, "l2_bytes", &l2_bytes, "memory_bytes", &memory_bytes,
				   "status", &device->status, "exclusive", &device->exclusive),
		    "device", &fault);
	device->l2_bytes = l2_bytes;
	device->memory_bytes = memory_bytes;
}

/* Once a scenario names backends, torch has these and math. */
static void read_attention(json_t *json, struct mxt_sim_scenario *scenario)
{
	for (int backend = 0; backend < MXT_SIM_BACKEND_COUNT; backend++) {
		const char *name = mxt_sim_backend_names[backend];
		json_t *row = json_object_get(json, name), *costs[MXT_SIM_DIRECTION_COUNT] = {NULL};
		json_error_t fault;
		scenario->has[backend] = !json || row || backend == MXT_SIM_MATH;
		if (!row)
			continue;
		check_unpacked(json_unpack_ex(row, &fault, 0, "{s?o, s?o !}", "forward", &costs[MXT_SIM_FORWARD],
					      "backward", &costs[MXT_SIM_BACKWARD]),
			       name, &fault);
		for (int direction = 0; direction < MXT_SIM_DIRECTION_COUNT; direction++)
			read_cost(costs[direction], name, &scenario->attention[backend][direction]);
	}
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
	algorithms->count = json_array_size(factors);
	if (algorithms->count > MXT_SIM_MAX_ALGORITHMS)
		refuse("algorithms", "there are more than 16");
	for (size_t i = 0; i < algorithms->count; i++) {
		algorithms->factors[i] = json_number_value(json_array_get(factors, i));
		if (!(algorithms->factors[i] > 0))
			refuse("algorithms", "factors must be positive numbers");
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
	scenario->n_faults = json_array_size(json);
	scenario->faults = calloc(scenario->n_faults + 1, sizeof *scenario->faults);
	if (!scenario->faults)
		refuse("faults", "out of memory");
	for (size_t i = 0; i < scenario->n_faults; i++)
		read_fault(json_array_get(json, i), &scenario->faults[i]);
}

static void read_root(struct mxt_sim_scenario *scenario)
{
	json_t *noise = NULL, *device = NULL, *attention = NULL, *mm[MXT_SIM_BLAS_COUNT] = {NULL}, *algorithms = NULL,
	       *faults = NULL;
	const char *description = ""; /* for the reader of the file */
	json_int_t seed = scenario->seed;
	int real_sleep = 0;
	json_error_t fault;
	check_unpacked(json_unpack_ex(scenario->root, &fault, 0,
				      "{s?s, s?I, s?b, s?F, s?F, s?o, s?o, s?o, s?{s?o, s?o !}, s?o, s?o !}",
				      "description", &description, "seed", &seed, "real_sleep", &real_sleep,
				      "drift_per_s", &scenario->drift_per_s, "bytes_per_s", &scenario->bytes_per_s,
				      "noise", &noise, "device", &device, "attention", &attention, "mm", "cublas",
				      &mm[MXT_SIM_CUBLAS], "cublaslt", &mm[MXT_SIM_CUBLASLT], "algorithms", &algorithms,
				      "faults", &faults),
		       "the top level", &fault);
	if (!(scenario->bytes_per_s > 0))
		refuse("the top level", "bytes_per_s must be positive");
	scenario->seed = seed;
	scenario->real_sleep = real_sleep != 0;
	read_noise(noise, &scenario->noise);
	read_device(device, &scenario->device);
	read_attention(attention, scenario);
	for (int blas = 0; blas < MXT_SIM_BLAS_COUNT; blas++)
		read_cost(mm[blas], mxt_sim_blas_names[blas], &scenario->mm[blas]);
	read_algorithms(algorithms, &scenario->algorithms);
	read_faults(faults, scenario);
}

void mxt_sim_scenario_read(struct mxt_sim_scenario *ret_scenario)
{
	const char *path = getenv(MXT_SIM_TORCH_VARIABLE);
	json_error_t fault;
	*ret_scenario = defaults;
	ret_scenario->root = path && *path ? json_load_file(path, JSON_REJECT_DUPLICATES, &fault) : json_object();
	if (!ret_scenario->root)
		refuse("the text", path && *path ? fault.text : "out of memory");
	read_root(ret_scenario);
}

void mxt_sim_scenario_finish(struct mxt_sim_scenario *scenario)
{
	free(scenario->faults);
	json_decref(scenario->root);
	*scenario = (struct mxt_sim_scenario){.root = NULL};
}
