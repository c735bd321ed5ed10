/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_device.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "environ.h"
#include "error.h"
#include "fake_inventory.h"
#include "fake_scenario.h"
#include "rng.h"

#define MAX_NS 1e18 /* of one launch; also what an infinite time becomes */

struct mxt_device {
	struct mxt_fake_scenario scenario;
	const struct mxt_fake_row *rows[MXT_PROBLEM_KIND_COUNT]; /* in force, by kind */
	struct mxt_rng rng;
	double process_deviate;              /* standard normal, for life */
	double elapsed_ns;                   /* device time spent */
	uint32_t calls[MXT_FAKE_SITE_COUNT]; /* so far */
	bool deterministic;                  /* the target asks for it */
	struct mxt_problem *seen;            /* owned: what was called before */
	size_t n_seen;
};

struct mxt_task {
	struct mxt_problem problem;
};

/* ---- inventory and candidates: in the orchestrator ---- */

static int fake_inventory(const struct mxt_sysroot *root, const struct mxt_device_target *target, const json_t *survey,
			  struct mxt_inventory *ret_inventory, struct mxt_error *err)
{
	(void)root;
	(void)target;
	(void)survey;
	MXT_CLEANUP(mxt_fake_scenario_finish) struct mxt_fake_scenario scenario = {.root = NULL};
	int rc = mxt_fake_scenario_read(getenv(MXT_FAKE_SCENARIO_VARIABLE), &scenario, err);
	return rc < 0 ? rc : mxt_fake_inventory_parse(scenario.inventory, ret_inventory, err);
}

static int copy_candidate(const struct mxt_fake_row *row, struct mxt_candidate *candidate)
{
	candidate->name = strdup(row->name);
	candidate->env = json_incref(row->env);
	candidate->choice = strdup(row->choice);
	candidate->deterministic = row->deterministic;
	candidate->first_calls = row->first_calls;
	candidate->skip = row->skip ? strdup(row->skip) : NULL;
	return candidate->name && candidate->choice && (candidate->skip || !row->skip) ? 0 : -ENOMEM;
}

static int copy_candidates(const struct mxt_fake_scenario *scenario, enum mxt_problem_kind probe,
			   struct mxt_candidate_list *list)
{
	list->bare_choice = strdup(scenario->bare[probe].choice);
	list->items = calloc(scenario->n_rows + 1, sizeof *list->items);
	if (!list->items || !list->bare_choice)
		return -ENOMEM;
	int rc = 0;
	for (size_t i = 0; i < scenario->n_rows && rc == 0; i++)
		if (scenario->rows[i].probe == probe)
			rc = copy_candidate(&scenario->rows[i], &list->items[list->count++]);
	return rc;
}

static int fake_candidates(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
			   enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
			   struct mxt_error *err)
{
	(void)root;
	(void)inventory;
	MXT_CLEANUP(mxt_fake_scenario_finish) struct mxt_fake_scenario scenario = {.root = NULL};
	int rc = mxt_fake_scenario_read(mxt_environ_get(environment, MXT_FAKE_SCENARIO_VARIABLE), &scenario, err);
	if (rc < 0)
		return rc;
	struct mxt_candidate_list list = {.items = NULL};
	if (copy_candidates(&scenario, probe, &list) < 0) {
		mxt_candidate_list_finish(&list);
		return mxt_error_oom(err);
	}
	*ret_list = list;
	return 0;
}

/* ---- in the worker ---- */

static uint64_t hash(uint64_t start, const char *bytes, size_t len) /* FNV-1a */
{
	for (size_t i = 0; i < len; i++)
		start = (start ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
	return start;
}

/*
 * Every worker draws its own noise, and with a seed in the scenario the same in every run: what tells workers apart
 * is their command line, which holds the label ("bare" and its twin differ in nothing else).
 */
static uint64_t noise_seed(const struct mxt_fake_scenario *scenario)
{
	char text[1024];
	MXT_CLEANUP_CLOSE int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, text, sizeof text) : 0;
	uint64_t seed = hash(UINT64_C(0xcbf29ce484222325), text, len > 0 ? (size_t)len : 0);
	if (scenario->seed >= 0)
		return seed ^ (uint64_t)scenario->seed;
	return seed ^ (uint64_t)getpid() << 32 ^ mxt_now_ns(&mxt_clock_monotonic);
}

/* Runs one row's faults that are due. */
static int run_faults(const struct mxt_fake_row *row, enum mxt_fake_site site, uint32_t call,
		      struct mxt_fake_effect *effect, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < row->n_faults && rc == 0; i++)
		rc = mxt_fake_fault_run(&row->faults[i], site, call, effect, err);
	return rc;
}

/*
 * Faults of the candidates that are in force; those of bare only where none is. Called once at the start of every
 * function of the device.
 */
static int enter(struct mxt_device *device, enum mxt_fake_site site, struct mxt_fake_effect *effect,
		 struct mxt_error *err)
{
	uint32_t call = ++device->calls[site];
	bool selected = false;
	for (int kind = 0; kind < MXT_PROBLEM_KIND_COUNT; kind++)
		selected = selected || device->rows[kind] != &device->scenario.bare[kind];
	int rc = 0;
	for (int kind = 0; kind < MXT_PROBLEM_KIND_COUNT && rc == 0; kind++)
		if (!selected || device->rows[kind] != &device->scenario.bare[kind])
			rc = run_faults(device->rows[kind], site, call, effect, err);
	return rc;
}

static void fake_close(struct mxt_device *device)
{
	if (!device)
		return;
	mxt_fake_scenario_finish(&device->scenario);
	free(device->seen);
	free(device);
}

static int fake_open(const struct mxt_device_target *target, struct mxt_device **ret_device, struct mxt_error *err)
{
	if (target->ordinal > 0)
		return mxt_error_set(err, -ENODEV, MXT_E_SCENARIO, "there is one fake device, number 0");
	struct mxt_device *device = calloc(1, sizeof *device);
	if (!device)
		return mxt_error_oom(err);
	device->deterministic = target->deterministic;
	int rc = mxt_fake_scenario_read(getenv(MXT_FAKE_SCENARIO_VARIABLE), &device->scenario, err);
	struct mxt_fake_effect effect = MXT_FAKE_EFFECT_NONE;
	if (rc == 0) {
		for (int kind = 0; kind < MXT_PROBLEM_KIND_COUNT; kind++)
			device->rows[kind] = mxt_fake_scenario_row(&device->scenario, (enum mxt_problem_kind)kind);
		device->rng.state = noise_seed(&device->scenario);
		device->process_deviate = mxt_rng_normal(&device->rng);
		rc = enter(device, MXT_FAKE_OPEN, &effect, err);
	}
	if (rc < 0) {
		fake_close(device);
		return rc;
	}
	*ret_device = device;
	return 0;
}

static int fake_describe(struct mxt_device *device, json_t **ret_facts, struct mxt_error *err)
{
	struct mxt_fake_effect effect = MXT_FAKE_EFFECT_NONE;
	int rc = enter(device, MXT_FAKE_DESCRIBE, &effect, err);
	if (rc < 0)
		return rc;
	json_t *facts =
	    json_pack("{s:b, s:s, s:s}", "simulated", 1, "attention", device->rows[MXT_PROBLEM_ATTENTION]->name, "gemm",
		      device->rows[MXT_PROBLEM_GEMM]->name);
	if (!facts)
		return mxt_error_oom(err);
	*ret_facts = facts;
	return 0;
}

static int fake_prepare(struct mxt_device *device, const struct mxt_problem *problem, struct mxt_task **ret_task,
			struct mxt_error *err)
{
	struct mxt_fake_effect effect = MXT_FAKE_EFFECT_NONE;
	int rc = enter(device, MXT_FAKE_PREPARE, &effect, err);
	if (rc < 0)
		return rc;
	struct mxt_task *task = calloc(1, sizeof *task);
	if (!task)
		return mxt_error_oom(err);
	task->problem = *problem;
	*ret_task = task;
	return 0;
}

static void fake_release(struct mxt_device *device, struct mxt_task *task)
{
	(void)device;
	free(task);
}

static double step_ns(const struct mxt_device *device, const struct mxt_step *step)
{
	if (!step->task)
		return (double)step->filler_bytes * device->scenario.ns_per_byte;
	const struct mxt_fake_cost *cost = &device->rows[step->task->problem.kind]->cost;
	return cost->fixed_ns + cost->ns_per_flop * mxt_problem_flops(&step->task->problem);
}

/* True when this process calls the problem for the first time. */
static bool first_time(struct mxt_device *device, const struct mxt_problem *problem)
{
	for (size_t i = 0; i < device->n_seen; i++)
		if (mxt_problem_equal(&device->seen[i], problem))
			return false;
	struct mxt_problem *seen = realloc(device->seen, (device->n_seen + 1) * sizeof *seen);
	if (!seen)
		return true;
	device->seen = seen;
	device->seen[device->n_seen++] = *problem;
	return true;
}

/* What first calls add, once per shape. */
static double first_calls_ns(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps)
{
	double ns = 0;
	for (size_t i = 0; i < n_steps; i++) {
		const struct mxt_task *task = steps[i].task;
		if (task && first_time(device, &task->problem))
			ns += device->rows[task->problem.kind]->cost.first_call_ns;
	}
	return ns;
}

/* The first task's row says how much one launch deviates. */
static double deviation(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps)
{
	size_t first = 0;
	while (first < n_steps && !steps[first].task)
		first++;
	enum mxt_problem_kind kind = first < n_steps ? steps[first].task->problem.kind : MXT_PROBLEM_GEMM;
	const struct mxt_fake_noise *noise = &device->rows[kind]->noise;
	double factor =
	    exp(noise->sigma * mxt_rng_normal(&device->rng) + noise->process_sigma * device->process_deviate);
	if (mxt_rng_unit(&device->rng) < noise->tail_probability)
		factor *= 1 - noise->tail_size * log(1 - mxt_rng_unit(&device->rng));
	return factor * (1 + device->scenario.drift_per_s * device->elapsed_ns / 1e9);
}

static void sleep_ns(double ns)
{
	struct timespec left = {(time_t)(ns / 1e9), (long)fmod(ns, 1e9)};
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static int fake_time(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps, uint32_t repeats,
		     uint64_t *ret_ns, struct mxt_error *err)
{
	struct mxt_fake_effect effect = MXT_FAKE_EFFECT_NONE;
	int rc = enter(device, MXT_FAKE_TIME, &effect, err);
	if (rc < 0)
		return rc;
	double ns = 0;
	for (size_t i = 0; i < n_steps; i++)
		ns += step_ns(device, &steps[i]);
	ns = ns * repeats * deviation(device, steps, n_steps) + first_calls_ns(device, steps, n_steps);
	ns = ns < MAX_NS ? ns : MAX_NS;
	device->elapsed_ns += ns;
	if (device->scenario.real_sleep)
		sleep_ns(ns);
	*ret_ns = (uint64_t)(ns * effect.time_factor + 0.5);
	return 0;
}

static int fake_check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check,
		      struct mxt_error *err)
{
	struct mxt_fake_effect effect = MXT_FAKE_EFFECT_NONE;
	int rc = enter(device, MXT_FAKE_CHECK, &effect, err);
	if (rc < 0)
		return rc;
	const char *bits = device->rows[task->problem.kind]->bits;
	struct mxt_rng rng = {hash((uint64_t)task->problem.kind, bits, strlen(bits))};
	struct mxt_check check = {.error_ppb = effect.error_ppb ? effect.error_ppb : 100,
				  .bound_ppb = 100000,
				  .repeatable = device->deterministic && effect.repeatable};
	for (size_t i = 0; i < sizeof check.bits; i++)
		check.bits[i] = (uint8_t)mxt_rng_u64(&rng);
	(void)snprintf(check.backend, sizeof check.backend, "%s", effect.backend);
	*ret_check = check;
	return 0;
}

/* Those of the built-in CPU provider, which scenarios use. */
static const char *const fake_selectors[] = {"MINDXTRAIN_CPU_ATTENTION", "MINDXTRAIN_CPU_BLAS", "OPENBLAS_NUM_THREADS",
					     NULL};

const struct mxt_device_ops mxt_fake_device = {
    .name = "fake",
    .max_workers = 3,
    .simulated = true,
    .self_test = false,
    .stop_idle = true,
    .vendor = NULL,
    .needs_torch = false,
    .torch_backend = MXT_TORCH_CPU,
    .ramp_ns = 0,
    .pins = false,
    .float32 = true,
    .scaled = true,
    .surveyor = NULL,
    .selectors = fake_selectors,
    .deterministic = NULL,
    .detect = mxt_always_here,
    .count = mxt_any_count,
    .inventory = fake_inventory,
    .candidates = fake_candidates,
    .open = fake_open,
    .close = fake_close,
    .describe = fake_describe,
    .prepare = fake_prepare,
    .release = fake_release,
    .time = fake_time,
    .check = fake_check,
    .rank = mxt_no_ranking,
};
