/* SPDX-License-Identifier: Apache-2.0 */
#include "worker_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "error.h"

#define AMPLE_MS 20000

void mxt_worker_fixture_main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "worker") == 0)
		mxt_worker_main("fake", &(struct mxt_device_target){.ordinal = 0}, MXT_WORKER_SOCKET_FD);
}

size_t mxt_count_fds(void)
{
	size_t count = 0;
	DIR *dir = opendir("/proc/self/fd");
	assert_non_null(dir);
	while (readdir(dir))
		count++;
	assert_int_equal(closedir(dir), 0);
	return count;
}

bool mxt_has_children(void)
{
	siginfo_t info;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

bool mxt_under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");
	return preload && strstr(preload, "valgrind");
}

int mxt_worker_fixture_setup(void **state)
{
	struct mxt_worker_fixture *fixture = calloc(1, sizeof *fixture);
	if (!fixture)
		return -1;
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	(void)snprintf(fixture->path, sizeof fixture->path, "/tmp/mxt-scenario-XXXXXX");
	int fd = mkstemp(fixture->path);
	if (fd < 0 || close(fd) < 0) {
		free(fixture);
		return -1;
	}
	char variable[128];
	(void)snprintf(variable, sizeof variable, "MINDXTRAIN_FAKE_SCENARIO=%s", fixture->path);
	mxt_fixture_variable(fixture, variable);
	if (readlink("/proc/self/exe", fixture->program, sizeof fixture->program - 1) < 0) {
		free(fixture);
		return -1;
	}
	fixture->n_fds = mxt_count_fds();
	mxt_fixture_scenario(fixture, "{\"seed\": 1}");
	*state = fixture;
	return 0;
}

/* Children of workers that were killed with them are ours to reap, and take a moment. False: one lives on. */
static bool descendants_end(void)
{
	uint64_t deadline = mxt_in_ms(AMPLE_MS);
	while (waitpid(-1, NULL, WNOHANG) >= 0) {
		if (mxt_now_ns(&mxt_clock_monotonic) > deadline)
			return false;
		(void)usleep(500);
	}
	return errno == ECHILD;
}

int mxt_worker_fixture_teardown(void **state)
{
	struct mxt_worker_fixture *fixture = *state;
	size_t n_fds = mxt_count_fds();
	bool ended = descendants_end();
	bool clean = n_fds == fixture->n_fds && ended;
	if (!clean)
		print_error("%zu descriptors before, %zu after%s\n", fixture->n_fds, n_fds,
			    ended ? "" : "; a process is left");
	(void)unlink(fixture->path);
	free(fixture);
	return clean ? 0 : -1;
}

void mxt_fixture_scenario(const struct mxt_worker_fixture *fixture, const char *json)
{
	FILE *file = fopen(fixture->path, "we");
	assert_non_null(file);
	assert_true(fputs(json, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

void mxt_fixture_fault(const struct mxt_worker_fixture *fixture, const char *fault)
{
	char text[512];
	int len = snprintf(text, sizeof text, "{\"bare\": {\"gemm\": {\"faults\": [%s]}}}", fault);
	assert_in_range(len, 1, sizeof text - 1);
	mxt_fixture_scenario(fixture, text);
}

void mxt_fixture_variable(struct mxt_worker_fixture *fixture, const char *assignment)
{
	size_t i = 0;
	while (fixture->environment[i])
		i++;
	size_t bytes = strlen(assignment) + 1;
	assert_true(i < MXT_FIXTURE_VARIABLES && bytes <= sizeof fixture->variables[i]);
	memcpy(fixture->variables[i], assignment, bytes);
	fixture->environment[i] = fixture->variables[i];
}

struct mxt_worker_spec mxt_fixture_spec(struct mxt_worker_fixture *fixture, const char *label)
{
	return (struct mxt_worker_spec){.label = label,
					.device = "fake",
					.environment = fixture->environment,
					.clock = &mxt_clock_monotonic,
					.cancel_fd = -1,
					.program = fixture->program};
}

uint64_t mxt_in_ms(uint64_t ms)
{
	return mxt_now_ns(&mxt_clock_monotonic) + ms * MXT_NS_PER_MS;
}

static void expect_ok(int rc, const struct mxt_error *err)
{
	if (rc < 0)
		fail_msg("status %d: %s", rc, mxt_error_text(err));
}

struct mxt_worker *mxt_fixture_start(const struct mxt_worker_spec *spec)
{
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_worker *worker = NULL;
	expect_ok(mxt_worker_start(spec, &worker, &err), &err);
	assert_non_null(worker);
	return worker;
}

enum mxt_outcome mxt_fixture_ready(struct mxt_worker *worker, uint64_t ms)
{
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome = MXT_TIMEOUT;
	expect_ok(mxt_worker_ready(worker, mxt_in_ms(ms), &outcome, &err), &err);
	return outcome;
}

enum mxt_outcome mxt_fixture_prepare(struct mxt_worker *worker, uint32_t id, uint64_t ms,
				     struct mxt_prepared *ret_prepared)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .calls = 1, .share_ppm = 1000000};
	problem.as.gemm =
	    (struct mxt_gemm){.m = 50, .n = 100, .k = 100, .lda = 100, .ldb = 100, .ldc = 100, .dtype = MXT_DTYPE_F32};
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome = MXT_TIMEOUT;
	expect_ok(mxt_worker_prepare(worker, id, &problem, mxt_in_ms(ms), &outcome, ret_prepared, &err), &err);
	return outcome;
}

enum mxt_outcome mxt_fixture_time(struct mxt_worker *worker, uint32_t id, uint64_t ms, struct mxt_timing *ret_timing)
{
	const struct mxt_sequence_step step = {id, 0};
	const struct mxt_time_request request = {&step, 1, 100 * MXT_NS_PER_MS, 5 * MXT_NS_PER_MS};
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome = MXT_TIMEOUT;
	expect_ok(mxt_worker_time(worker, &request, mxt_in_ms(ms), &outcome, ret_timing, &err), &err);
	return outcome;
}

void mxt_fixture_destroy(struct mxt_worker *worker)
{
	pid_t pid = mxt_worker_pid(worker);
	struct mxt_error err = MXT_ERROR_INIT;
	expect_ok(mxt_worker_destroy(worker, &err), &err);
	assert_int_equal(kill(pid, 0), -1); /* reaped, not a zombie */
}

struct mxt_worker *mxt_fixture_start_prepared(struct mxt_worker_fixture *fixture, const char *label)
{
	struct mxt_worker_spec spec = mxt_fixture_spec(fixture, label);
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	struct mxt_prepared prepared;
	assert_int_equal(mxt_fixture_ready(worker, AMPLE_MS), MXT_OK);
	assert_int_equal(mxt_fixture_prepare(worker, 0, AMPLE_MS, &prepared), MXT_OK);
	return worker;
}

enum mxt_stage mxt_fixture_course(struct mxt_worker *worker, enum mxt_stage limited, uint64_t limit_ms,
				  enum mxt_outcome *ret_outcome)
{
	struct mxt_prepared prepared;
	struct mxt_timing timing;
	uint64_t ms[MXT_NOWHERE + 1] = {AMPLE_MS, AMPLE_MS, AMPLE_MS, AMPLE_MS};
	ms[limited] = limit_ms;
	*ret_outcome = mxt_fixture_ready(worker, ms[MXT_AT_READY]);
	if (*ret_outcome != MXT_OK)
		return MXT_AT_READY;
	*ret_outcome = mxt_fixture_prepare(worker, 1, ms[MXT_AT_PREPARE], &prepared);
	if (*ret_outcome != MXT_OK)
		return MXT_AT_PREPARE;
	*ret_outcome = mxt_fixture_time(worker, 1, ms[MXT_AT_TIME], &timing);
	return *ret_outcome == MXT_OK ? MXT_NOWHERE : MXT_AT_TIME;
}
