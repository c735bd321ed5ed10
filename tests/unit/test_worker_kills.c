/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever moment a supervisor is killed at, none of its workers survives it. The fixture makes this program the
 * subreaper of all that it starts: a worker that lived on would become its child, and stay.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "rng.h"
#include "worker_fixture.h"

#define ROUNDS      300
#define MAX_LIFE_US 30000
#define LIMIT_MS    20000

/* Starts, asks, pauses and destroys workers until it is killed. */
MXT_NORETURN static void supervise(struct mxt_worker_fixture *fixture)
{
	for (;;) {
		struct mxt_worker_spec spec = mxt_fixture_spec(fixture, "bare");
		struct mxt_worker *first = NULL, *second = NULL;
		enum mxt_outcome outcome = MXT_OK;
		struct mxt_timing timing;
		struct mxt_prepared prepared;
		if (mxt_worker_start(&spec, &first, NULL) < 0 || mxt_worker_start(&spec, &second, NULL) < 0)
			_exit(1);
		if (mxt_worker_ready(first, mxt_in_ms(LIMIT_MS), &outcome, NULL) < 0 || outcome != MXT_OK)
			_exit(2);
		mxt_worker_pause(second);
		(void)mxt_fixture_prepare(first, 0, LIMIT_MS, &prepared);
		(void)mxt_fixture_time(first, 0, LIMIT_MS, &timing);
		if (mxt_worker_destroy(first, NULL) < 0 || mxt_worker_destroy(second, NULL) < 0)
			_exit(3);
	}
}

/* Reaps all that is left; false when something lives on. */
static bool all_end(void)
{
	uint64_t deadline = mxt_in_ms(LIMIT_MS);
	while (waitpid(-1, NULL, WNOHANG) >= 0) {
		if (mxt_now_ns(&mxt_clock_monotonic) > deadline)
			return false;
		(void)usleep(500);
	}
	return errno == ECHILD;
}

static void no_worker_survives_its_supervisor(void **state)
{
	struct mxt_rng rng = {20240607};
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			supervise(*state);
		(void)usleep(mxt_rng_below(&rng, MAX_LIFE_US));
		assert_int_equal(kill(pid, SIGKILL), 0);
		int status = 0;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status)); /* it was at work, not out of it */
		assert_true(all_end());
	}
}

int main(int argc, char **argv)
{
	mxt_worker_fixture_main(argc, argv);
	const struct CMUnitTest tests[] = {MXT_WORKER_TEST(no_worker_survives_its_supervisor)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
