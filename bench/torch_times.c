/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times single problems through an installed torch, one request per line of standard input, and prints one JSON object
 * for each: what bench/fidelity.py holds against the same calls from Python.
 *
 *   torch_times DEVICE TORCH [REPEATS]
 *
 *   attention BATCH SEQ HEADS KV_HEADS HEAD_DIM forward|backward
 *   gemm M N K                    (weights as torch.nn.Linear keeps them: nt)
 *
 * DEVICE is "cuda" or "cpu-torch", TORCH the torch package's folder. The environment chooses kernels, as for a worker.
 * The first line printed says what is in force, and how long it took to get ready. All in bfloat16; times are medians.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "error.h"
#include "json.h"
#include "measure.h"

#define WARM_NS   (100 * MXT_NS_PER_MS)
#define TARGET_NS (20 * MXT_NS_PER_MS)

struct bench {
	const struct mxt_device_ops *ops;
	struct mxt_device *device;
};

static int parse(const char *line, struct mxt_problem *problem)
{
	struct mxt_attention *a = &problem->as.attention;
	struct mxt_gemm *g = &problem->as.gemm;
	char direction[16];
	*problem = (struct mxt_problem){.calls = 1, .share_ppm = 1000000};
	if (sscanf(line, "attention %d %d %d %d %d %15s", &a->batch, &a->seq, &a->heads, &a->kv_heads, &a->head_dim,
		   direction) == 6) {
		problem->kind = MXT_PROBLEM_ATTENTION;
		a->causal = true;
		a->dtype = MXT_DTYPE_BF16;
		a->direction = strcmp(direction, "backward") == 0 ? MXT_BACKWARD : MXT_FORWARD;
		return 0;
	}
	*g = (struct mxt_gemm){.dtype = MXT_DTYPE_BF16, .trans_b = true};
	if (sscanf(line, "gemm %" SCNd64 " %" SCNd64 " %" SCNd64, &g->m, &g->n, &g->k) != 3)
		return -1;
	problem->kind = MXT_PROBLEM_GEMM;
	g->lda = g->ldb = g->k;
	g->ldc = g->n;
	return 0;
}

/* A problem that was prepared, called once and checked. */
struct prepared {
	char line[256]; /* the request */
	struct mxt_task *task;
	uint64_t first_ns;
	struct mxt_check check;
	double prepare_ms, check_ms; /* wall clock */
};

static double ms_since(uint64_t start_ns)
{
	return (double)(mxt_now_ns(&mxt_clock_monotonic) - start_ns) / 1e6;
}

static int prepare(const struct bench *bench, const struct mxt_problem *problem, struct prepared *p,
		   struct mxt_error *err)
{
	uint64_t start_ns = mxt_now_ns(&mxt_clock_monotonic);
	if (p->task)
		bench->ops->release(bench->device, p->task);
	*p = (struct prepared){.task = NULL};
	int rc = bench->ops->prepare(bench->device, problem, &p->task, err);
	if (rc < 0)
		return rc;
	const struct mxt_step step = {p->task, 0};
	rc = bench->ops->time(bench->device, &step, 1, 1, &p->first_ns, err);
	p->prepare_ms = ms_since(start_ns);
	if (rc == 0)
		rc = bench->ops->check(bench->device, p->task, &p->check, err);
	p->check_ms = ms_since(start_ns) - p->prepare_ms;
	return rc;
}

/* A request that is repeated is only timed again. */
static int time_problem(const struct bench *bench, const char *line, const struct mxt_problem *problem,
			struct prepared *p, struct mxt_error *err)
{
	struct mxt_timing timing = {0};
	int rc = strcmp(line, p->line) == 0 ? 0 : prepare(bench, problem, p, err);
	if (rc < 0)
		return rc;
	(void)snprintf(p->line, sizeof p->line, "%s", line);
	const struct mxt_step step = {p->task, 0};
	const struct mxt_measure measure = {bench->ops, bench->device, &step, 1, WARM_NS, TARGET_NS};
	rc = mxt_measure(&measure, &timing, err);
	if (rc == 0)
		printf("{\"ns\":%" PRIu64 ",\"first_ns\":%" PRIu64 ",\"error_ppb\":%" PRIu64 ",\"bound_ppb\":%" PRIu64
		       ",\"backend\":\"%s\",\"tflops\":%.1f,\"prepare_ms\":%.1f,\"check_ms\":%.1f}\n",
		       timing.ns, p->first_ns, p->check.error_ppb, p->check.bound_ppb, p->check.backend,
		       mxt_problem_flops(problem) / (double)timing.ns / 1e3, p->prepare_ms, p->check_ms);
	return rc;
}

static void serve(const struct bench *bench)
{
	char line[256];
	struct prepared prepared = {.task = NULL};
	while (fgets(line, sizeof line, stdin)) {
		struct mxt_error err = MXT_ERROR_INIT;
		struct mxt_problem problem;
		if (parse(line, &problem) < 0)
			printf("{\"error\":\"not understood\"}\n");
		else if (time_problem(bench, line, &problem, &prepared, &err) < 0)
			printf("{\"error\":\"%s\"}\n", mxt_error_text(&err));
		(void)fflush(stdout);
		mxt_error_clear(&err);
	}
}

static int open_bench(struct bench *bench, const char *torch, uint64_t start_ns, struct mxt_error *err)
{
	const struct mxt_device_target target = {.torch = torch};
	MXT_CLEANUP_JSON json_t *facts = NULL;
	int rc = bench->ops->open(&target, &bench->device, err);
	if (rc == 0)
		rc = bench->ops->describe(bench->device, &facts, err);
	if (rc < 0)
		return rc;
	uint64_t ready_ns = mxt_now_ns(&mxt_clock_monotonic) - start_ns;
	(void)json_object_set_new(facts, "ready_ns", json_integer((json_int_t)ready_ns));
	(void)json_dumpf(facts, stdout, JSON_COMPACT);
	printf("\n");
	(void)fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t start_ns = mxt_now_ns(&mxt_clock_monotonic);
	struct mxt_error err = MXT_ERROR_INIT;
	struct bench bench = {.ops = argc == 3 ? mxt_device_find(argv[1]) : NULL};
	if (!bench.ops) {
		(void)fprintf(stderr, "usage: torch_times cuda|cpu-torch TORCH < requests\n");
		return 2;
	}
	if (open_bench(&bench, argv[2], start_ns, &err) < 0) {
		(void)fprintf(stderr, "torch_times: %s\n", mxt_error_text(&err));
		_exit(1);
	}
	serve(&bench);
	(void)fflush(stdout);
	_exit(0); /* the exit handlers of torch's libraries are slow, and may crash */
}
