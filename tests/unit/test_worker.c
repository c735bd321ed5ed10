/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor against real worker processes on the fake device. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "worker_fault_cases.h"
#include "worker_fixture.h"

#define AMPLE_MS 60000

/* ---- what works ---- */

static void a_worker_answers(void **state)
{
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	assert_null(mxt_worker_facts(worker));
	assert_string_equal(mxt_worker_label(worker), "bare");
	assert_int_equal(mxt_fixture_ready(worker, AMPLE_MS), MXT_OK);
	assert_string_equal(json_string_value(json_object_get(mxt_worker_facts(worker), "gemm")), "bare");
	struct mxt_prepared prepared;
	assert_int_equal(mxt_fixture_prepare(worker, 255, AMPLE_MS, &prepared), MXT_OK);
	assert_int_equal(prepared.first_call_ns, 11000);
	assert_int_equal(prepared.check.error_ppb, 100);
	struct mxt_timing timing;
	assert_int_equal(mxt_fixture_time(worker, 255, AMPLE_MS, &timing), MXT_OK);
	assert_int_equal(timing.ns, 11000);
	assert_true((uint64_t)timing.repeats * timing.ns >= MXT_NS_PER_MS);
	assert_true((uint64_t)timing.samples * timing.repeats * timing.ns >= 5 * MXT_NS_PER_MS);
	assert_int_equal(mxt_fixture_ready(worker, 0), MXT_OK); /* asking again changes nothing */
	assert_true(mxt_worker_alive(worker));
	assert_string_equal(mxt_worker_reason(worker), "");
	mxt_fixture_destroy(worker);
	assert_int_equal(mxt_worker_destroy(NULL, NULL), 0);
}

static void sequences_and_fillers_add_up(void **state)
{
	mxt_fixture_scenario(*state, "{\"ns_per_byte\": 0.5}");
	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	const struct mxt_sequence_step steps[] = {{0, 0}, {MXT_WORKER_FILLER, 2000}, {0, 0}};
	const struct mxt_time_request request = {steps, 3, 0, 0};
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome;
	struct mxt_timing timing;
	assert_int_equal(mxt_worker_time(worker, &request, mxt_in_ms(AMPLE_MS), &outcome, &timing, &err), 0);
	assert_int_equal(outcome, MXT_OK);
	assert_int_equal(timing.ns, 2 * 11000 + 1000);
	assert_int_equal(timing.samples, 1);
	mxt_fixture_destroy(worker);
}

/* This device's library offers nothing to compare: the worker says so, and goes on. */
static void a_worker_that_cannot_rank_says_so(void **state)
{
	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome;
	struct mxt_ranking ranking;
	struct mxt_timing timing;
	assert_int_equal(mxt_worker_rank(worker, 0, MXT_NS_PER_MS, mxt_in_ms(AMPLE_MS), &outcome, &ranking, &err), 0);
	assert_int_equal(outcome, MXT_UNSUPPORTED);
	assert_string_equal(mxt_worker_reason(worker), "this device's library offers no algorithms to compare");
	assert_int_equal(mxt_fixture_time(worker, 0, AMPLE_MS, &timing), MXT_OK);
	assert_int_equal(mxt_worker_rank(worker, 1, MXT_NS_PER_MS, mxt_in_ms(AMPLE_MS), &outcome, &ranking, &err), 0);
	assert_int_equal(outcome, MXT_FAILED);
	assert_string_equal(mxt_worker_reason(worker), "problem 1 was not prepared");
	assert_false(mxt_worker_alive(worker));
	mxt_fixture_destroy(worker);
}

static void an_environment_makes_a_candidate(void **state)
{
	mxt_fixture_scenario(
	    *state, "{\"candidates\": [{\"name\": \"fast\", \"probe\": \"gemm\", \"env\": {\"BLAS\": \"fast\"}, "
		    "\"factor\": 0.5}]}");
	struct mxt_timing timing;
	struct mxt_worker *bare = mxt_fixture_start_prepared(*state, "bare");
	mxt_fixture_variable(*state, "BLAS=fast");
	struct mxt_worker *fast = mxt_fixture_start_prepared(*state, "fast");
	assert_int_equal(mxt_fixture_time(bare, 0, AMPLE_MS, &timing), MXT_OK);
	assert_int_equal(timing.ns, 11000);
	assert_int_equal(mxt_fixture_time(fast, 0, AMPLE_MS, &timing), MXT_OK);
	assert_int_equal(timing.ns, 5500);
	assert_string_equal(json_string_value(json_object_get(mxt_worker_facts(fast), "gemm")), "fast");
	mxt_fixture_destroy(bare);
	mxt_fixture_destroy(fast);
}

static void results_are_the_callers_to_judge(void **state)
{
	mxt_fixture_fault(*state, "{\"fault\": \"wrong-result\", \"at\": \"check\", \"bytes\": 123456789},"
				  "{\"fault\": \"not-a-number\", \"at\": \"check\", \"call\": 2}");
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	struct mxt_prepared prepared;
	assert_int_equal(mxt_fixture_ready(worker, AMPLE_MS), MXT_OK);
	assert_int_equal(mxt_fixture_prepare(worker, 0, AMPLE_MS, &prepared), MXT_OK);
	assert_int_equal(prepared.check.error_ppb, 123456789);
	assert_int_equal(prepared.check.bound_ppb, 100000);
	assert_int_equal(mxt_fixture_prepare(worker, 1, AMPLE_MS, &prepared), MXT_OK);
	assert_true(prepared.check.error_ppb == UINT64_MAX);
	mxt_fixture_destroy(worker);
}

static void an_unsupported_problem_keeps_the_worker(void **state)
{
	mxt_fixture_fault(*state, "{\"fault\": \"unsupported\", \"at\": \"prepare\", \"text\": \"no kernel for 80\"}");
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	struct mxt_prepared prepared;
	assert_int_equal(mxt_fixture_ready(worker, AMPLE_MS), MXT_OK);
	assert_int_equal(mxt_fixture_prepare(worker, 0, AMPLE_MS, &prepared), MXT_UNSUPPORTED);
	assert_string_equal(mxt_worker_reason(worker), "no kernel for 80");
	assert_true(mxt_worker_alive(worker));
	assert_int_equal(mxt_fixture_prepare(worker, 0, AMPLE_MS, &prepared), MXT_OK);
	assert_string_equal(mxt_worker_reason(worker), "");
	mxt_fixture_destroy(worker);
}

static void a_problem_that_was_not_prepared_costs_the_worker(void **state)
{
	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	struct mxt_timing timing;
	assert_int_equal(mxt_fixture_time(worker, 7, AMPLE_MS, &timing), MXT_FAILED);
	assert_string_equal(mxt_worker_reason(worker), "problem 7 was not prepared");
	mxt_fixture_destroy(worker);
}

static void without_a_program_it_is_this_one(void **state)
{
	if (mxt_under_valgrind())
		skip(); /* which is what /proc/self/exe runs then */
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	spec.program = NULL;
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	assert_int_equal(mxt_fixture_ready(worker, AMPLE_MS), MXT_OK);
	mxt_fixture_destroy(worker);
}

/* ---- what the caller may get wrong ---- */

static void requests_out_of_range_are_ours(void **state)
{
	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome;
	struct mxt_timing timing;
	struct mxt_prepared prepared;
	const struct mxt_time_request none = {NULL, 0, 0, 0};
	const struct mxt_time_request many = {NULL, MXT_WORKER_MAX_STEPS + 1, 0, 0};
	const struct mxt_problem nonsense = {.kind = MXT_PROBLEM_GEMM};
	assert_int_equal(mxt_worker_time(worker, &none, mxt_in_ms(1), &outcome, &timing, &err), -EINVAL);
	assert_int_equal(mxt_worker_time(worker, &many, mxt_in_ms(1), &outcome, &timing, &err), -EINVAL);
	assert_int_equal(mxt_worker_prepare(worker, 0, &nonsense, mxt_in_ms(1), &outcome, &prepared, &err), -EINVAL);
	mxt_error_clear(&err);
	assert_int_equal(mxt_fixture_time(worker, 0, AMPLE_MS, &timing), MXT_OK); /* the worker never saw them */
	mxt_fixture_destroy(worker);
}

static void a_request_before_ready_is_refused(void **state)
{
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	const struct mxt_sequence_step step = {0, 0};
	const struct mxt_time_request request = {&step, 1, 0, 0};
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome;
	struct mxt_timing timing;
	assert_int_equal(mxt_worker_time(worker, &request, mxt_in_ms(1), &outcome, &timing, &err), -EINVAL);
	mxt_error_clear(&err);
	mxt_fixture_destroy(worker); /* also a worker that was never asked for anything */
}

static void a_program_that_is_not_there_is_named(void **state)
{
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	spec.program = "/nonexistent/mindxtrain";
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	assert_int_equal(mxt_fixture_ready(worker, AMPLE_MS), MXT_FAILED);
	assert_string_equal(mxt_worker_reason(worker),
			    "exited with status 126 before it was ready: worker cannot start: /nonexistent/mindxtrain "
			    "failed with error number 2");
	mxt_fixture_destroy(worker);
}

static void another_program_is_no_worker(void **state)
{
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	spec.program = "/bin/false";
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	assert_int_equal(mxt_fixture_ready(worker, AMPLE_MS), MXT_FAILED);
	assert_string_equal(mxt_worker_reason(worker), "exited with status 1 before it was ready");
	mxt_fixture_destroy(worker);
}

/* ---- what the process gets ---- */

static size_t read_proc(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	(void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	MXT_CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	ssize_t len = read(fd, text, size - 1);
	assert_true(len >= 0);
	text[len] = '\0';
	return (size_t)len;
}

static void the_environment_is_exactly_the_one_given(void **state)
{
	struct mxt_worker_fixture *fixture = *state;
	mxt_fixture_variable(fixture, "A=1");
	mxt_fixture_variable(fixture, "EMPTY=");
	assert_int_equal(setenv("MXT_TEST_LEAK", "1", 1), 0);
	struct mxt_worker *worker = mxt_fixture_start_prepared(fixture, "bare");
	char text[4096], expected[256];
	size_t len = read_proc(mxt_worker_pid(worker), "environ", text, sizeof text);
	int n = snprintf(expected, sizeof expected, "%s%cA=1%cEMPTY=", fixture->variables[0], 0, 0);
	assert_int_equal(len, (size_t)n + 1);
	assert_memory_equal(text, expected, len);
	mxt_fixture_destroy(worker);
}

/* The two that sigaction() refuses, as a program without this libc may have set them before it started us. */
static void set_libc_signals(void (*handler)(int))
{
	const uint64_t action[8] = {(uintptr_t)handler}; /* the kernel's struct sigaction: the handler is first */
	for (int signal = SIGRTMIN - 2; signal < SIGRTMIN; signal++)
		(void)syscall(SYS_rt_sigaction, signal, action, NULL, sizeof(uint64_t));
}

static void the_process_starts_clean(void **state)
{
	/* Things to inherit: open descriptors, ignored and blocked signals. */
	int leak = open("/dev/null", O_RDONLY);
	int high = fcntl(leak, F_DUPFD, 700);
	assert_true(leak >= 0 && high >= 700);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	set_libc_signals(SIG_IGN);
	sigset_t some, before;
	(void)sigemptyset(&some);
	(void)sigaddset(&some, SIGUSR1);
	(void)sigaddset(&some, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &some, &before), 0);

	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	pid_t pid = mxt_worker_pid(worker);
	char text[8192];
	read_proc(pid, "status", text, sizeof text);
	assert_non_null(strstr(text, "SigBlk:\t0000000000000000\n"));
	assert_non_null(strstr(text, "SigIgn:\t0000000000000000\n"));
	assert_non_null(strstr(text, "Name:\tmxt-worker\n"));
	read_proc(pid, "limits", text, sizeof text);
	assert_non_null(strstr(text, "Max core file size        0                    0 "));
	assert_int_equal(getpgid(pid), pid);
	(void)snprintf(text, sizeof text, "/proc/%d/fd/%d", (int)pid, high);
	struct stat st;
	assert_int_equal(lstat(text, &st), -1);
	(void)snprintf(text, sizeof text, "/proc/%d/fd/%d", (int)pid, MXT_WORKER_SOCKET_FD + 1);
	assert_int_equal(lstat(text, &st), -1);
	(void)snprintf(text, sizeof text, "/proc/%d/fd/0", (int)pid);
	char target[64] = "";
	assert_true(readlink(text, target, sizeof target - 1) > 0);
	assert_string_equal(target, "/dev/null");

	sigset_t now; /* and ours are as they were */
	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &now), 0);
	assert_int_equal(sigismember(&now, SIGUSR1), 1);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);
	set_libc_signals(SIG_DFL);
	mxt_fixture_destroy(worker);
	assert_int_equal(close(leak) | close(high), 0);
}

/* A worker starts whichever of the low descriptors are taken. */
static void low_descriptors_may_be_closed(void **state)
{
	int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
	assert_true(saved >= 100);
	assert_int_equal(close(STDIN_FILENO), 0);
	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	struct mxt_timing timing;
	assert_int_equal(mxt_fixture_time(worker, 0, AMPLE_MS, &timing), MXT_OK);
	mxt_fixture_destroy(worker);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(saved), 0);
}

/* ---- what goes wrong ---- */

static void every_fault_has_its_outcome(void **state)
{
	mxt_fault_cases_run(*state);
}

/* A fault of one worker leaves the other one alone. */
static void a_fault_costs_its_own_worker_only(void **state)
{
	mxt_fixture_scenario(*state,
			     "{\"candidates\": [{\"name\": \"bad\", \"probe\": \"gemm\", \"env\": {\"BLAS\": \"bad\"}, "
			     "\"faults\": [{\"fault\": \"crash\", \"call\": 2}]}]}");
	struct mxt_worker *good = mxt_fixture_start_prepared(*state, "bare");
	mxt_fixture_variable(*state, "BLAS=bad");
	struct mxt_worker *bad = mxt_fixture_start_prepared(*state, "bad");
	struct mxt_timing timing;
	assert_int_equal(mxt_fixture_time(good, 0, AMPLE_MS, &timing), MXT_OK);
	assert_int_equal(mxt_fixture_time(bad, 0, AMPLE_MS, &timing), MXT_FAILED);
	assert_int_equal(mxt_fixture_time(good, 0, AMPLE_MS, &timing), MXT_OK);
	assert_string_equal(mxt_worker_reason(good), "");
	mxt_fixture_destroy(bad);
	mxt_fixture_destroy(good);
}

static void a_preload_that_prints_changes_nothing(void **state)
{
	static char preload[512];
	const char *library = getenv("MXT_STUB_CHATTY");
	assert_non_null(library);
	(void)snprintf(preload, sizeof preload, "LD_PRELOAD=%s", library);
	mxt_fixture_variable(*state, preload);
	mxt_fixture_variable(*state, "ASAN_OPTIONS=verify_asan_link_order=0");
	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	struct mxt_timing timing;
	assert_int_equal(mxt_fixture_time(worker, 0, AMPLE_MS, &timing), MXT_OK);
	MXT_CLEANUP_BUF struct mxt_buf output = MXT_BUF_INIT;
	mxt_worker_output(worker, &output);
	assert_true(output.len > 8000 && output.len <= 8192); /* proof that it did print */
	assert_non_null(strstr(mxt_buf_text(&output), "chatty"));
	mxt_fixture_destroy(worker);
}

/* Somebody else kills the worker while it waits for its turn. */
static void a_worker_may_be_killed_from_outside(void **state)
{
	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	assert_int_equal(kill(mxt_worker_pid(worker), SIGKILL), 0);
	struct mxt_timing timing;
	assert_int_equal(mxt_fixture_time(worker, 0, AMPLE_MS, &timing), MXT_FAILED);
	assert_non_null(strstr(mxt_worker_reason(worker), "killed by signal 9"));
	mxt_fixture_destroy(worker);
	worker = mxt_fixture_start_prepared(*state, "bare");
	assert_int_equal(kill(mxt_worker_pid(worker), SIGKILL), 0);
	mxt_fixture_destroy(worker); /* nobody asked it anything again */
}

/* Under an ignored SIGCHLD the kernel reaps: the status is lost, the worker's end is not. */
static void an_ignored_sigchld_loses_the_status_only(void **state)
{
	(void)signal(SIGCHLD, SIG_IGN);
	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	assert_int_equal(kill(mxt_worker_pid(worker), SIGKILL), 0);
	struct mxt_timing timing;
	assert_int_equal(mxt_fixture_time(worker, 0, AMPLE_MS, &timing), MXT_FAILED);
	assert_string_equal(mxt_worker_reason(worker),
			    "ended; its exit status went to someone else before it answered");
	mxt_fixture_destroy(worker);
	(void)signal(SIGCHLD, SIG_DFL);
}

/* ---- pausing ---- */

static char state_of(pid_t pid)
{
	char text[512];
	read_proc(pid, "stat", text, sizeof text);
	const char *end = strrchr(text, ')');
	assert_non_null(end);
	return end[2];
}

static void wait_for_state(pid_t pid, bool stopped)
{
	for (int i = 0; i < 10000 && (state_of(pid) == 'T') != stopped; i++)
		(void)usleep(1000);
	assert_true((state_of(pid) == 'T') == stopped);
}

static void paused_workers_take_turns(void **state)
{
	struct mxt_worker *workers[] = {mxt_fixture_start_prepared(*state, "bare"),
					mxt_fixture_start_prepared(*state, "twin")};
	mxt_worker_pause(workers[0]);
	mxt_worker_pause(workers[1]);
	mxt_worker_pause(workers[1]);
	for (size_t turn = 0; turn < 20; turn++) {
		struct mxt_worker *active = workers[turn % 2], *idle = workers[(turn + 1) % 2];
		struct mxt_timing timing;
		wait_for_state(mxt_worker_pid(idle), true);
		assert_int_equal(mxt_fixture_time(active, 0, AMPLE_MS, &timing), MXT_OK); /* resumes it */
		wait_for_state(mxt_worker_pid(active), false);
		mxt_worker_pause(active);
	}
	mxt_worker_resume(workers[0]);
	mxt_worker_resume(workers[0]);
	wait_for_state(mxt_worker_pid(workers[0]), false);
	mxt_fixture_destroy(workers[0]);
	mxt_fixture_destroy(workers[1]); /* stopped */
}

static void a_worker_may_be_paused_before_it_is_ready(void **state)
{
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	mxt_worker_pause(worker);
	wait_for_state(mxt_worker_pid(worker), true);
	assert_int_equal(mxt_fixture_ready(worker, AMPLE_MS), MXT_OK);
	mxt_worker_pause(worker);
	mxt_fixture_destroy(worker);
}

/* ---- deadlines and cancelling ---- */

/* A clock that jumps by a second whenever it is read. */
static uint64_t jumping_ns(void *context)
{
	uint64_t *now = context;
	return *now += MXT_NS_PER_S;
}

static void deadlines_are_on_the_injected_clock(void **state)
{
	mxt_fixture_fault(*state, "{\"fault\": \"hang\"}");
	uint64_t now = 1000 * MXT_NS_PER_S;
	const struct mxt_clock clock = {jumping_ns, &now};
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	spec.clock = &clock;
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome = MXT_OK;
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM};
	problem.as.gemm = (struct mxt_gemm){.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1};
	struct mxt_prepared prepared;
	assert_int_equal(mxt_worker_ready(worker, UINT64_MAX, &outcome, &err), 0);
	assert_int_equal(outcome, MXT_OK);
	assert_int_equal(mxt_worker_prepare(worker, 0, &problem, now + 7 * MXT_NS_PER_S, &outcome, &prepared, &err), 0);
	assert_int_equal(outcome, MXT_TIMEOUT);
	assert_string_equal(mxt_worker_reason(worker), "no answer within 6.0 s"); /* one went by at the start */
	mxt_fixture_destroy(worker);
}

static void cancelling_interrupts_a_wait(void **state)
{
	mxt_fixture_fault(*state, "{\"fault\": \"hang\"}");
	int pipe_fds[2];
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	spec.cancel_fd = pipe_fds[0];
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	assert_int_equal(mxt_fixture_ready(worker, AMPLE_MS), MXT_OK);
	assert_int_equal(write(pipe_fds[1], "x", 1), 1);
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM};
	problem.as.gemm = (struct mxt_gemm){.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1};
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome = MXT_OK;
	struct mxt_prepared prepared;
	assert_int_equal(mxt_worker_prepare(worker, 0, &problem, mxt_in_ms(AMPLE_MS), &outcome, &prepared, &err),
			 -ECANCELED);
	assert_int_equal(err.id, MXT_E_CANCELLED);
	mxt_error_clear(&err);
	mxt_fixture_destroy(worker);
	assert_int_equal(close(pipe_fds[0]) | close(pipe_fds[1]), 0);
}

int main(int argc, char **argv)
{
	mxt_worker_fixture_main(argc, argv);
	const struct CMUnitTest tests[] = {
	    MXT_WORKER_TEST(a_worker_answers),
	    MXT_WORKER_TEST(sequences_and_fillers_add_up),
	    MXT_WORKER_TEST(a_worker_that_cannot_rank_says_so),
	    MXT_WORKER_TEST(an_environment_makes_a_candidate),
	    MXT_WORKER_TEST(results_are_the_callers_to_judge),
	    MXT_WORKER_TEST(an_unsupported_problem_keeps_the_worker),
	    MXT_WORKER_TEST(a_problem_that_was_not_prepared_costs_the_worker),
	    MXT_WORKER_TEST(without_a_program_it_is_this_one),
	    MXT_WORKER_TEST(requests_out_of_range_are_ours),
	    MXT_WORKER_TEST(a_request_before_ready_is_refused),
	    MXT_WORKER_TEST(a_program_that_is_not_there_is_named),
	    MXT_WORKER_TEST(another_program_is_no_worker),
	    MXT_WORKER_TEST(the_environment_is_exactly_the_one_given),
	    MXT_WORKER_TEST(the_process_starts_clean),
	    MXT_WORKER_TEST(low_descriptors_may_be_closed),
	    MXT_WORKER_TEST(every_fault_has_its_outcome),
	    MXT_WORKER_TEST(a_fault_costs_its_own_worker_only),
	    MXT_WORKER_TEST(a_preload_that_prints_changes_nothing),
	    MXT_WORKER_TEST(a_worker_may_be_killed_from_outside),
	    MXT_WORKER_TEST(an_ignored_sigchld_loses_the_status_only),
	    MXT_WORKER_TEST(paused_workers_take_turns),
	    MXT_WORKER_TEST(a_worker_may_be_paused_before_it_is_ready),
	    MXT_WORKER_TEST(deadlines_are_on_the_injected_clock),
	    MXT_WORKER_TEST(cancelling_interrupts_a_wait),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
