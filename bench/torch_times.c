/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times single problems through an installed torch, one request per line of standard input, and prints one JSON object
 * for each: what bench/fidelity.py holds against the same calls from Python.
 *
 *   torch_times DEVICE TORCH [deterministic]
 *
 *   attention BATCH SEQ HEADS KV_HEADS HEAD_DIM forward|backward [mask] [repeated] [packed]
 *   gemm M N K [float32] [add]    (weights as torch.nn.Linear keeps them: nt; added to the output in place)
 *   bmm BATCH M N K [float32]     (nn)
 *
 * DEVICE is "cuda" or "cpu-torch", TORCH the torch package's folder. The environment chooses kernels, as for a worker.
 * The first line printed says what is in force, and how long it took to get ready. In bfloat16 unless it says float32;
 * packed: documents of an eighth of SEQ each; times are medians.
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
#include "number.h"

#define WARM_NS   (100 * MXT_NS_PER_MS)
#define TARGET_NS (20 * MXT_NS_PER_MS)
#define DOCUMENTS 8

struct bench {
	const struct mxt_device_ops *ops;
	struct mxt_device *device;
};

/* Reads `count` numbers, each with a space before it; returns what follows, or NULL. */
static const char *read_numbers(const char *at, int64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = 0;
		if (*at != ' ' || mxt_parse_u64(at + 1, &at, &value) < 0 || value == 0 || value > INT32_MAX)
			return NULL;
		numbers[i] = (int64_t)value;
	}
	return at;
}

static const char *after(const char *line, const char *word)
{
	size_t len = strlen(word);
	return strncmp(line, word, len) == 0 ? line + len : NULL;
}

/* Whether a word stands among those at the end of a request. */
static bool has_word(const char *words, const char *word)
{
	const char *found = strstr(words, word);
	return found && found > words && found[-1] == ' ';
}

/* Documents of equal lengths; the last one takes what is left. */
static void pack(struct mxt_attention *a)
{
	int32_t length = a->seq / DOCUMENTS;
	a->n_documents = DOCUMENTS;
	for (uint32_t i = 0; i < DOCUMENTS; i++)
		a->documents[i] = i + 1 < DOCUMENTS ? length : a->seq - (DOCUMENTS - 1) * length;
}

static int parse_attention(const char *at, struct mxt_problem *problem)
{
	int64_t n[5];
	const char *words = read_numbers(at, n, MXT_ARRAY_LEN(n));
	if (!words)
		return -1;
	problem->kind = MXT_PROBLEM_ATTENTION;
	problem->as.attention = (struct mxt_attention){
	    .batch = (int32_t)n[0],
	    .seq = (int32_t)n[1],
	    .heads = (int32_t)n[2],
	    .kv_heads = (int32_t)n[3],
	    .head_dim = (int32_t)n[4],
	    .causal = true,
	    .masked = has_word(words, "mask"),
	    .repeated = has_word(words, "repeated"),
	    .dtype = MXT_DTYPE_BF16,
	    .direction = has_word(words, "backward") ? MXT_BACKWARD : MXT_FORWARD,
	};
	if (has_word(words, "packed"))
		pack(&problem->as.attention);
	return 0;
}

static enum mxt_dtype dtype_of(const char *words)
{
	return has_word(words, "float32") ? MXT_DTYPE_F32 : MXT_DTYPE_BF16;
}

static int parse_gemm(const char *at, struct mxt_problem *problem)
{
	int64_t n[3];
	const char *words = read_numbers(at, n, MXT_ARRAY_LEN(n));
	if (!words)
		return -1;
	problem->kind = MXT_PROBLEM_GEMM;
	problem->as.gemm = (struct mxt_gemm){.m = n[0],
					     .n = n[1],
					     .k = n[2],
					     .lda = n[2],
					     .ldb = n[2],
					     .ldc = n[1],
					     .trans_b = true,
					     .accumulate = has_word(words, "add"),
					     .dtype = dtype_of(words)};
	return 0;
}

static int parse_bmm(const char *at, struct mxt_problem *problem)
{
	int64_t n[4];
	const char *words = read_numbers(at, n, MXT_ARRAY_LEN(n));
	if (!words)
		return -1;
	problem->kind = MXT_PROBLEM_GEMM;
	problem->as.gemm = (struct mxt_gemm){.m = n[1],
					     .n = n[2],
					     .k = n[3],
					     .lda = n[3],
					     .ldb = n[2],
					     .ldc = n[2],
					     .batch = (int32_t)n[0],
					     .dtype = dtype_of(words)};
	return 0;
}

static int parse(const char *line, struct mxt_problem *problem)
{
	static const struct {
		const char *word;
		int (*parse)(const char *at, struct mxt_problem *problem);
	} kinds[] = {{"attention", parse_attention}, {"gemm", parse_gemm}, {"bmm", parse_bmm}};
	*problem = (struct mxt_problem){.calls = 1, .share_ppm = 1000000};
	for (size_t i = 0; i < MXT_ARRAY_LEN(kinds); i++) {
		const char *at = after(line, kinds[i].word);
		if (at)
			return kinds[i].parse(at, problem) < 0 ? -1 : mxt_problem_validate(problem);
	}
	return -1;
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
		       ",\"backend\":\"%s\",\"repeatable\":%s,\"tflops\":%.1f,\"prepare_ms\":%.1f,"
		       "\"check_ms\":%.1f}\n",
		       timing.ns, p->first_ns, p->check.error_ppb, p->check.bound_ppb, p->check.backend,
		       p->check.repeatable ? "true" : "false", mxt_problem_flops(problem) / (double)timing.ns / 1e3,
		       p->prepare_ms, p->check_ms);
	return rc;
}

static void print_error(const char *text)
{
	MXT_CLEANUP_JSON json_t *answer = json_pack("{s:s}", "error", text);
	if (!answer || json_dumpf(answer, stdout, JSON_COMPACT) < 0)
		printf("{\"error\":\"a reason that cannot be printed\"}");
	printf("\n");
}

static void serve(const struct bench *bench)
{
	char line[256];
	struct prepared prepared = {.task = NULL};
	while (fgets(line, sizeof line, stdin)) {
		struct mxt_error err = MXT_ERROR_INIT;
		struct mxt_problem problem;
		if (parse(line, &problem) < 0)
			print_error("not understood");
		else if (time_problem(bench, line, &problem, &prepared, &err) < 0)
			print_error(mxt_error_text(&err));
		(void)fflush(stdout);
		mxt_error_clear(&err);
	}
}

static int open_bench(struct bench *bench, const struct mxt_device_target *target, uint64_t start_ns,
		      struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *facts = NULL;
	int rc = bench->ops->open(target, &bench->device, err);
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
	bool deterministic = argc == 4 && strcmp(argv[3], "deterministic") == 0;
	struct bench bench = {.ops = argc == 3 || deterministic ? mxt_device_find(argv[1]) : NULL};
	if (!bench.ops) {
		(void)fprintf(stderr, "usage: torch_times cuda|cpu-torch TORCH [deterministic] < requests\n");
		return 2;
	}
	const struct mxt_device_target target = {.torch = argv[2], .deterministic = deterministic};
	if (open_bench(&bench, &target, start_ns, &err) < 0) {
		(void)fprintf(stderr, "torch_times: %s\n", mxt_error_text(&err));
		_exit(1);
	}
	serve(&bench);
	(void)fflush(stdout);
	_exit(0); /* the exit handlers of torch's libraries are slow, and may crash */
}
