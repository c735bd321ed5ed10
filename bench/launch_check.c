/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run costs before its command starts and after it has ended, step by step, in this process:
 *
 *     launch_check PLAN PYTHON CONFIG OUT [REPEATS]
 *
 * PYTHON: of the training, or its environment's folder; CONFIG: an Axolotl YAML; OUT: where folders of runs are made.
 * Medians in microseconds, of the time that passes and of the processor's; a busy host shows in the first only.
 * `driver`, which is asked for NVIDIA's plans, is the identity of the device.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "caches.h"
#include "clock.h"
#include "error.h"
#include "json.h"
#include "number.h"
#include "plan.h"
#include "plan_check.h"
#include "plan_fit.h"
#include "plan_software.h"
#include "remarks.h"
#include "run_folder.h"
#include "sysroot.h"
#include "workload_check.h"

#define MAX_REPEATS 1000

enum step { READ, PYTHON, DRIVER, MACHINE, CONFIG, FOLDER, CACHES_BEFORE, CACHES_AFTER, SETTLE, N_STEPS };

static const char *const step_names[] = {
    [READ] = "read and verify the plan",
    [PYTHON] = "Python, torch, packages",
    [DRIVER] = "driver",
    [MACHINE] = "platform, stack, contract",
    [CONFIG] = "workload of the config",
    [FOLDER] = "folder of the run, 4 files",
    [CACHES_BEFORE] = "caches, before",
    [CACHES_AFTER] = "caches, after",
    [SETTLE] = "last status, on the disk",
};

struct bench {
	const char *plan, *python, *config, *out;
	char **environment;
	uint64_t *times[N_STEPS], *busy[N_STEPS];
	int repeat;
	uint64_t began, began_busy;
};

static uint64_t busy_ns(void)
{
	struct timespec now = {0, 0};
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * MXT_NS_PER_S + (uint64_t)now.tv_nsec;
}

static void begin(struct bench *b)
{
	b->began_busy = busy_ns();
	b->began = mxt_now_ns(&mxt_clock_monotonic);
}

static void end(struct bench *b, enum step step)
{
	b->times[step][b->repeat] = mxt_now_ns(&mxt_clock_monotonic) - b->began;
	b->busy[step][b->repeat] = busy_ns() - b->began_busy;
}

static int check(struct bench *b, const struct mxt_plan *plan, struct mxt_error *err)
{
	const struct mxt_sysroot root = MXT_SYSROOT_LIVE;
	MXT_CLEANUP_PLAN_SOFTWARE struct mxt_plan_software software = MXT_PLAN_SOFTWARE_INIT;
	MXT_CLEANUP_REMARKS struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_plan_machine machine = {.root = &root, .environment = b->environment};
	begin(b);
	int rc = mxt_plan_software_find(&root, b->environment, b->python, &software, err);
	end(b, PYTHON);
	begin(b);
	if (rc == 0)
		rc = mxt_plan_software_lend(&software, plan, &machine, err);
	end(b, DRIVER);
	struct mxt_plan_check_request request = {.plan = plan,
						 .use = MXT_PLAN_RUN,
						 .machine = &machine,
						 .packages = &software.packages,
						 .torch = software.version.version,
						 .nodes = 1};
	begin(b);
	if (rc == 0)
		rc = mxt_plan_check(&request, &remarks, err);
	end(b, MACHINE);
	const struct mxt_workload_check_request workload = {.plan = plan,
							    .config = b->config,
							    .environment = b->environment,
							    .packages = &software.packages,
							    .torch = software.version.version};
	begin(b);
	if (rc == 0)
		rc = mxt_workload_check(&workload, &remarks, err);
	end(b, CONFIG);
	for (size_t i = 0; b->repeat == 0 && i < remarks.count; i++)
		(void)fprintf(stderr, "%s\n", remarks.items[i].text);
	return rc;
}

static int keep(struct bench *b, const struct mxt_plan *plan, struct mxt_error *err)
{
	MXT_CLEANUP_RUN_FOLDER struct mxt_run_folder folder = MXT_RUN_FOLDER_INIT;
	MXT_CLEANUP_JSON json_t *status = json_pack("{s:s}", "state", "starting");
	static const char *const names[] = {"plan.json", "env.json", "argv.json", "status.json"};
	begin(b);
	int rc = mxt_run_folder_make(&folder, b->out, (int64_t)time(NULL), mxt_plan_id(plan), 0, err);
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(names); i++)
		rc = mxt_run_folder_write_json(&folder, names[i], i == 0 ? mxt_plan_document(plan) : status, err);
	end(b, FOLDER);
	begin(b);
	if (rc == 0)
		rc = mxt_run_folder_settle(&folder, status, err);
	end(b, SETTLE);
	return rc;
}

static int watch(struct bench *b, struct mxt_error *err)
{
	MXT_CLEANUP_CACHES struct mxt_caches *caches = NULL;
	MXT_CLEANUP_JSON json_t *changes = NULL;
	begin(b);
	int rc = mxt_caches_create(b->environment, &caches, err);
	end(b, CACHES_BEFORE);
	begin(b);
	if (rc == 0)
		rc = mxt_caches_changes(caches, &changes, err);
	end(b, CACHES_AFTER);
	return rc;
}

static int run_once(struct bench *b, struct mxt_error *err)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = NULL;
	begin(b);
	int rc = mxt_plan_read(b->plan, &plan, err);
	end(b, READ);
	if (rc == 0)
		rc = check(b, plan, err);
	if (rc == 0)
		rc = keep(b, plan, err);
	return rc < 0 ? rc : watch(b, err);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static double median_us(uint64_t *times, size_t count)
{
	qsort(times, count, sizeof *times, compare);
	uint64_t median = times[count / 2];
	return (double)median / 1e3;
}

static void print(struct bench *b, size_t repeats)
{
	struct rusage usage;
	for (int step = 0; step < N_STEPS; step++)
		(void)printf("%-28s %8.1f us, processor %8.1f us\n", step_names[step],
			     median_us(b->times[step], repeats), median_us(b->busy[step], repeats));
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		(void)printf("peak RSS %ld KiB\n", usage.ru_maxrss);
}

int main(int argc, char **argv, char **envp)
{
	int64_t repeats = 100;
	static uint64_t times[N_STEPS][MAX_REPEATS], busy[N_STEPS][MAX_REPEATS];
	if (argc < 5 || (argc > 5 && mxt_parse_i64_in(argv[5], 1, MAX_REPEATS, &repeats) < 0)) {
		(void)fprintf(stderr, "launch_check PLAN PYTHON CONFIG OUT [REPEATS]\n");
		return 2;
	}
	struct bench b = {argv[1], argv[2], argv[3], argv[4], envp, {NULL}, {NULL}, 0, 0, 0};
	for (int step = 0; step < N_STEPS; step++) {
		b.times[step] = times[step];
		b.busy[step] = busy[step];
	}
	for (b.repeat = 0; b.repeat < repeats; b.repeat++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		if (run_once(&b, &err) == 0)
			continue;
		(void)fprintf(stderr, "%s\n", mxt_error_text(&err));
		return 1;
	}
	print(&b, (size_t)repeats);
	return 0;
}
