/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation fails once, on either side: the supervisor answers -ENOMEM and leaves nothing behind; the worker
 * fails with a reason, and does not crash.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_faults.h"
#include "error.h"
#include "protocol.h"
#include "worker_fixture.h"

#define AMPLE_MS          60000
#define MAX_WORKER_FAULTS 1000

static int use(struct mxt_worker *worker, enum mxt_outcome *ret_outcome, struct mxt_error *err)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM};
	problem.as.gemm = (struct mxt_gemm){.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1};
	const struct mxt_sequence_step step = {0, 0};
	const struct mxt_time_request request = {&step, 1, 0, 0};
	struct mxt_prepared prepared;
	struct mxt_timing timing;
	int rc = mxt_worker_ready(worker, mxt_in_ms(AMPLE_MS), ret_outcome, err);
	if (rc == 0 && *ret_outcome == MXT_OK)
		rc = mxt_worker_prepare(worker, 0, &problem, mxt_in_ms(AMPLE_MS), ret_outcome, &prepared, err);
	if (rc == 0 && *ret_outcome == MXT_OK)
		rc = mxt_worker_time(worker, &request, mxt_in_ms(AMPLE_MS), ret_outcome, &timing, err);
	return rc;
}

static int supervise(void *context)
{
	struct mxt_worker_spec spec = mxt_fixture_spec(context, "bare");
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_worker *worker = NULL;
	enum mxt_outcome outcome = MXT_OK;
	int rc = mxt_worker_start(&spec, &worker, &err);
	if (rc == 0)
		rc = use(worker, &outcome, &err);
	assert_true(rc < 0 || outcome == MXT_OK || strlen(mxt_worker_reason(worker)) > 0);
	assert_int_equal(mxt_worker_destroy(worker, NULL), 0);
	assert_false(mxt_has_children());
	return rc;
}

static void the_supervisor_survives_each(void **state)
{
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(supervise, *state) > 5);
}

/* A worker that dies while memory runs out still has a reason, if not in words of its own. */
static int bury(void *context)
{
	mxt_fixture_fault(context, "{\"fault\": \"exit\", \"text\": \"some last words\"}");
	return supervise(context);
}

static void a_reason_survives_each(void **state)
{
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(bury, *state) > 5);
}

/* Whether the worker whose nth allocation fails gave up. */
static bool worker_fails(struct mxt_worker_fixture *fixture, int nth)
{
	char variable[32];
	(void)snprintf(variable, sizeof variable, "MXT_FAIL_ALLOCATION=%d", nth);
	char *environment[] = {fixture->variables[0], variable, NULL};
	struct mxt_worker_spec spec = mxt_fixture_spec(fixture, "bare");
	spec.environment = environment;
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	struct mxt_error err = MXT_ERROR_INIT;
	enum mxt_outcome outcome = MXT_OK;
	assert_int_equal(use(worker, &outcome, &err), 0);
	/* jansson has other words for it in places, but nothing may crash. */
	const char *reason = mxt_worker_reason(worker);
	if (outcome != MXT_OK && (outcome != MXT_FAILED || !*reason || strstr(reason, "killed")))
		fail_msg("allocation %d: %s, '%s'", nth, mxt_outcome_name(outcome), reason);
	mxt_fixture_destroy(worker);
	return outcome != MXT_OK;
}

static void the_worker_answers_each(void **state)
{
	mxt_fixture_scenario(*state,
			     "{\"candidates\": [{\"name\": \"a\", \"probe\": \"gemm\", \"env\": {\"A\": \"1\"}, "
			     "\"faults\": [{\"fault\": \"crash\"}]}]}");
	int failures = 0, good = 0;
	for (int nth = 1; nth <= MAX_WORKER_FAULTS && good < 20; nth++) {
		bool failed = worker_fails(*state, nth);
		failures += failed;
		good = failed ? 0 : good + 1;
	}
	assert_true(failures > 10);
	assert_int_equal(good, 20); /* the last ones were not reached: all were tried */
}

/* Decoding needs no memory at all. */
static int decode(void *context)
{
	(void)context;
	static struct mxt_packet packet;
	static struct mxt_message message;
	const char *fault = NULL;
	const struct mxt_message timed = {.type = MXT_MESSAGE_TIMED, .as.timed = {1, 1, 1}};
	assert_int_equal(mxt_message_encode(&timed, &packet), 0);
	assert_int_equal(mxt_message_decode(MXT_FROM_WORKER, &packet, &message, &fault), 0);
	packet.bytes[0] = 0;
	assert_int_equal(mxt_message_decode(MXT_FROM_WORKER, &packet, &message, &fault), -EBADMSG);
	return 0;
}

static void decoding_allocates_nothing(void **state)
{
	(void)state;
	assert_int_equal(mxt_test_each_allocation(decode, NULL), 0);
}

int main(int argc, char **argv)
{
	const char *nth = getenv("MXT_FAIL_ALLOCATION");
	if (nth) {
		json_set_alloc_funcs(mxt_test_malloc, free);
		mxt_test_fail_allocation(strtoul(nth, NULL, 10));
	}
	mxt_worker_fixture_main(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(decoding_allocates_nothing),
	    MXT_WORKER_TEST(the_supervisor_survives_each),
	    MXT_WORKER_TEST(a_reason_survives_each),
	    MXT_WORKER_TEST(the_worker_answers_each),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
