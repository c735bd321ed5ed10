/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor against real worker processes on the fake device. This program is its own worker: started as
 * `… worker …` it becomes one.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "cmocka_all.h"
#include "error.h"
#include "worker.h"

/* ---- what every test needs ---- */

struct fixture {
	char path[64];      /* the scenario file */
	char variable[128]; /* MINDXTRAIN_FAKE_SCENARIO=path */
	char *environment[8];
	size_t n_fds; /* before the test */
};

static size_t count_fds(void)
{
	size_t count = 0;
	DIR *dir = opendir("/proc/self/fd");
	assert_non_null(dir);
	while (readdir(dir))
		count++;
	assert_int_equal(closedir(dir), 0);
	return count;
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	if (!fixture)
		return -1;
	strcpy(fixture->path, "/tmp/mxt-scenario-XXXXXX");
	int fd = mkstemp(fixture->path);
	if (fd < 0 || close(fd) < 0) {
		free(fixture);
		return -1;
	}
	(void)snprintf(fixture->variable, sizeof fixture->variable, "MINDXTRAIN_FAKE_SCENARIO=%s", fixture->path);
	fixture->environment[0] = fixture->variable;
	fixture->n_fds = count_fds();
	*state = fixture;
	return 0;
}

/* Whether any child, running or not, is left. */
static bool has_children(void)
{
	siginfo_t info;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	size_t n_fds = count_fds();
	bool clean = n_fds == fixture->n_fds && !has_children();
	if (!clean)
		print_error("%zu descriptors before, %zu after; children left: %d\n", fixture->n_fds, n_fds,
			    has_children());
	(void)unlink(fixture->path);
	free(fixture);
	return clean ? 0 : -1;
}

static void write_scenario(const struct fixture *fixture, const char *text)
{
	FILE *file = fopen(fixture->path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static uint64_t in_ms(uint64_t ms)
{
	return mxt_now_ns(&mxt_clock_monotonic) + ms * MXT_NS_PER_MS;
}

static struct mxt_worker_spec spec_of(struct fixture *fixture, const char *label)
{
	return (struct mxt_worker_spec){.label = label,
					.device = "fake",
					.environment = fixture->environment,
					.clock = &mxt_clock_monotonic,
					.cancel_fd = -1};
}

static struct mxt_worker *start(const struct mxt_worker_spec *spec)
{
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_worker *worker = NULL;
	assert_int_equal(mxt_worker_start(spec, &worker, &err), 0);
	assert_non_null(worker);
	return worker;
}

static void destroy(struct mxt_worker *worker)
{
	pid_t pid = mxt_worker_pid(worker);
	struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_worker_destroy(worker, &err), 0);
	assert_int_equal(kill(pid, 0), -1); /* reaped, not a zombie */
}

static enum mxt_outcome ready(struct mxt_worker *worker, uint64_t ms)
{
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome = MXT_TIMEOUT;
	assert_int_equal(mxt_worker_ready(worker, in_ms(ms), &outcome, &err), 0);
	return outcome;
}

/* A product of 1e6 FLOPs: 1e6 * 0.01 + 1000 ns on the fake device, unless the scenario says otherwise. */
static enum mxt_outcome prepare(struct mxt_worker *worker, uint32_t id, uint64_t ms, struct mxt_prepared *prepared)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .calls = 1, .share_ppm = 1000000};
	problem.as.gemm =
	    (struct mxt_gemm){.m = 50, .n = 100, .k = 100, .lda = 100, .ldb = 100, .ldc = 100, .dtype = MXT_DTYPE_F32};
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome = MXT_TIMEOUT;
	assert_int_equal(mxt_worker_prepare(worker, id, &problem, in_ms(ms), &outcome, prepared, &err), 0);
	return outcome;
}

static enum mxt_outcome time_one(struct mxt_worker *worker, uint32_t id, uint64_t ms, struct mxt_timing *timing)
{
	const struct mxt_sequence_step step = {id, 0};
	const struct mxt_time_request request = {&step, 1, 100 * MXT_NS_PER_MS, 5 * MXT_NS_PER_MS};
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome = MXT_TIMEOUT;
	assert_int_equal(mxt_worker_time(worker, &request, in_ms(ms), &outcome, timing, &err), 0);
	return outcome;
}

/* ---- what works ---- */

static void a_worker_answers(void **state)
{
	struct fixture *fixture = *state;
	write_scenario(fixture, "{\"seed\": 1}");
	struct mxt_worker_spec spec = spec_of(fixture, "bare");
	struct mxt_worker *worker = start(&spec);
	assert_null(mxt_worker_facts(worker));
	assert_int_equal(ready(worker, 10000), MXT_OK);
	assert_string_equal(json_string_value(json_object_get(mxt_worker_facts(worker), "gemm")), "bare");
	struct mxt_prepared prepared;
	assert_int_equal(prepare(worker, 255, 10000, &prepared), MXT_OK);
	assert_int_equal(prepared.first_call_ns, 11000);
	assert_int_equal(prepared.check.error_ppb, 100);
	struct mxt_timing timing;
	assert_int_equal(time_one(worker, 255, 10000, &timing), MXT_OK);
	assert_int_equal(timing.ns, 11000);
	assert_true((uint64_t)timing.repeats * timing.ns >= MXT_NS_PER_MS);
	assert_true((uint64_t)timing.samples * timing.repeats * timing.ns >= 5 * MXT_NS_PER_MS);
	assert_true(mxt_worker_alive(worker));
	assert_string_equal(mxt_worker_reason(worker), "");
	destroy(worker);
}

static void fillers_and_sequences_add_up(void **state)
{
	struct fixture *fixture = *state;
	write_scenario(fixture, "{\"ns_per_byte\": 0.5}");
	struct mxt_worker_spec spec = spec_of(fixture, "bare");
	struct mxt_worker *worker = start(&spec);
	assert_int_equal(ready(worker, 10000), MXT_OK);
	struct mxt_prepared prepared;
	assert_int_equal(prepare(worker, 0, 10000, &prepared), MXT_OK);
	const struct mxt_sequence_step steps[] = {{0, 0}, {MXT_WORKER_FILLER, 2000}, {0, 0}};
	const struct mxt_time_request request = {steps, 3, 0, 0};
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome;
	struct mxt_timing timing;
	assert_int_equal(mxt_worker_time(worker, &request, in_ms(10000), &outcome, &timing, &err), 0);
	assert_int_equal(outcome, MXT_OK);
	assert_int_equal(timing.ns, 2 * 11000 + 1000);
	assert_int_equal(timing.samples, 1);
	destroy(worker);
}

static void results_are_the_callers_to_judge(void **state)
{
	struct fixture *fixture = *state;
	write_scenario(fixture, "{\"bare\": {\"gemm\": {\"faults\": ["
				"{\"fault\": \"wrong-result\", \"at\": \"check\", \"bytes\": 123456789},"
				"{\"fault\": \"not-a-number\", \"at\": \"check\", \"call\": 2}]}}}");
	struct mxt_worker_spec spec = spec_of(fixture, "bare");
	struct mxt_worker *worker = start(&spec);
	assert_int_equal(ready(worker, 10000), MXT_OK);
	struct mxt_prepared prepared;
	assert_int_equal(prepare(worker, 0, 10000, &prepared), MXT_OK);
	assert_int_equal(prepared.check.error_ppb, 123456789);
	assert_int_equal(prepared.check.bound_ppb, 100000);
	assert_int_equal(prepare(worker, 1, 10000, &prepared), MXT_OK);
	assert_true(prepared.check.error_ppb == UINT64_MAX);
	destroy(worker);
}

/* ---- what goes wrong ---- */

enum stage { AT_READY, AT_PREPARE, AT_TIME, NOWHERE };

struct fault_case {
	const char *fault; /* inside a "faults" array */
	uint64_t limit_ms; /* 0: ample */
	enum stage stage;
	enum mxt_outcome outcome;
	const char *reason; /* part of it */
};

static const struct fault_case fault_cases[] = {
    {"{\"fault\": \"crash\"}", 0, AT_PREPARE, MXT_FAILED, "killed by signal 11"},
    {"{\"fault\": \"crash\", \"at\": \"open\"}", 0, AT_READY, MXT_FAILED, "before it was ready"},
    {"{\"fault\": \"crash\", \"call\": 3}", 0, AT_TIME, MXT_FAILED, "killed by signal 11"},
    {"{\"fault\": \"kill\"}", 0, AT_PREPARE, MXT_FAILED,
     "killed by signal 9 (out of memory? the kernel kills with 9) before it answered"},
    {"{\"fault\": \"exit\", \"at\": \"open\", \"text\": \"libfoo: no such symbol\"}", 0, AT_READY, MXT_FAILED,
     "exited with status 3 before it was ready: libfoo: no such symbol"},
    {"{\"fault\": \"exit\", \"status\": 0, \"at\": \"time\"}", 0, AT_PREPARE, MXT_FAILED,
     "exited with status 0 before it answered"},
    {"{\"fault\": \"hang\", \"at\": \"open\"}", 300, AT_READY, MXT_TIMEOUT, "not ready within 0."},
    {"{\"fault\": \"hang\", \"at\": \"prepare\"}", 300, AT_PREPARE, MXT_TIMEOUT, "no answer within 0."},
    {"{\"fault\": \"ignore-term\", \"at\": \"time\"}", 300, AT_PREPARE, MXT_TIMEOUT, "no answer within 0."},
    {"{\"fault\": \"stop\", \"at\": \"time\", \"call\": 2}", 300, AT_TIME, MXT_TIMEOUT,
     "(something stopped the process)"},
    {"{\"fault\": \"slow\", \"at\": \"open\", \"ms\": 60000}", 300, AT_READY, MXT_TIMEOUT, "not ready within 0."},
    {"{\"fault\": \"slow\", \"at\": \"open\", \"ms\": 100}", 0, NOWHERE, MXT_OK, ""},
    {"{\"fault\": \"absent\", \"at\": \"open\", \"text\": \"no such card\"}", 0, AT_READY, MXT_UNSUPPORTED,
     "no such card"},
    {"{\"fault\": \"fail\", \"at\": \"open\", \"text\": \"broken driver\"}", 0, AT_READY, MXT_FAILED, "broken driver"},
    {"{\"fault\": \"fail\", \"at\": \"describe\"}", 0, AT_READY, MXT_FAILED, "the scenario asked for this"},
    {"{\"fault\": \"fail\", \"at\": \"check\"}", 0, AT_PREPARE, MXT_FAILED, "the scenario asked for this"},
    {"{\"fault\": \"no-memory\", \"at\": \"prepare\"}", 0, AT_PREPARE, MXT_FAILED, "memory ran out"},
    {"{\"fault\": \"no-time\", \"count\": 1000}", 0, AT_TIME, MXT_FAILED, "a time of 0 ns"},
    {"{\"fault\": \"too-fast\", \"count\": 1000}", 0, NOWHERE, MXT_OK, ""},
    {"{\"fault\": \"garbage\", \"text\": \"hello there, how are you?\"}", 0, AT_PREPARE, MXT_FAILED,
     "sent garbage (bad magic)"},
    {"{\"fault\": \"garbage\", \"text\": \"x\", \"at\": \"open\"}", 0, AT_READY, MXT_FAILED,
     "sent garbage (a message shorter than its header)"},
    {"{\"fault\": \"oversize\"}", 0, AT_PREPARE, MXT_FAILED, "sent garbage (a message larger than 64 KiB)"},
    {"{\"fault\": \"truncated\"}", 0, AT_PREPARE, MXT_FAILED, "sent garbage (a message whose length is not"},
    {"{\"fault\": \"pass-descriptor\"}", 0, AT_PREPARE, MXT_FAILED, "sent garbage (descriptors)"},
    {"{\"fault\": \"close-socket\"}", 0, AT_PREPARE, MXT_FAILED, "closed its socket before it answered"},
    {"{\"fault\": \"leave-child\", \"status\": 5}", 0, AT_PREPARE, MXT_FAILED, "exited with status 5"},
    {"{\"fault\": \"print\", \"bytes\": 5000000, \"at\": \"open\"}", 0, NOWHERE, MXT_OK, ""},
    {"{\"fault\": \"print\", \"bytes\": 5000000, \"count\": 1000}", 0, NOWHERE, MXT_OK, ""},
};

static enum stage run_until_fault(struct mxt_worker *worker, uint64_t limit_ms, enum mxt_outcome *ret_outcome)
{
	struct mxt_prepared prepared;
	struct mxt_timing timing;
	uint64_t ms = limit_ms ? limit_ms : 30000;
	*ret_outcome = ready(worker, ms);
	if (*ret_outcome != MXT_OK)
		return AT_READY;
	*ret_outcome = prepare(worker, 1, ms, &prepared);
	if (*ret_outcome != MXT_OK)
		return AT_PREPARE;
	*ret_outcome = time_one(worker, 1, ms, &timing);
	return *ret_outcome == MXT_OK ? NOWHERE : AT_TIME;
}

static void check_case(struct fixture *fixture, const struct fault_case *expected)
{
	char text[512];
	(void)snprintf(text, sizeof text, "{\"bare\": {\"gemm\": {\"faults\": [%s]}}}", expected->fault);
	write_scenario(fixture, text);
	struct mxt_worker_spec spec = spec_of(fixture, "bare");
	struct mxt_worker *worker = start(&spec);
	enum mxt_outcome outcome = MXT_OK;
	enum stage stage = run_until_fault(worker, expected->limit_ms, &outcome);
	if (stage != expected->stage || outcome != expected->outcome ||
	    !strstr(mxt_worker_reason(worker), expected->reason))
		fail_msg("%s: stage %d, %s, reason '%s'", expected->fault, (int)stage, mxt_outcome_name(outcome),
			 mxt_worker_reason(worker));
	assert_int_equal(mxt_worker_alive(worker), stage == NOWHERE);
	if (stage != NOWHERE && stage != AT_READY) { /* a dead worker repeats its outcome */
		struct mxt_timing timing;
		assert_int_equal(time_one(worker, 1, 0, &timing), outcome);
	}
	destroy(worker);
}

static void every_fault_has_its_outcome(void **state)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(fault_cases); i++)
		check_case(*state, &fault_cases[i]);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "worker") == 0)
		mxt_worker_main("fake", 0, MXT_WORKER_SOCKET_FD);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(a_worker_answers, setup, teardown),
	    cmocka_unit_test_setup_teardown(fillers_and_sequences_add_up, setup, teardown),
	    cmocka_unit_test_setup_teardown(results_are_the_callers_to_judge, setup, teardown),
	    cmocka_unit_test_setup_teardown(every_fault_has_its_outcome, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
