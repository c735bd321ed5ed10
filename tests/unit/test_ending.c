/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "cmocka_all.h"
#include "ending.h"

#define GRACE_NS (45 * MXT_NS_PER_S)

/* Processes that take signals as told, on a clock that the test turns. */
struct crowd {
	struct mxt_ending ending;
	struct mxt_ending_ops ops;
	uint64_t now_ns;
	size_t n_left, n_ignoring_term, n_unkillable, n_kills;
	char
	    sent[64]; /* "I" INT, which nobody ends of, "T" TERM, "C" CONT, "K" KILL; the first of each kind in a row */
};

static void note(struct crowd *crowd, char c)
{
	size_t len = strlen(crowd->sent);
	if (len + 1 < sizeof crowd->sent && (len == 0 || crowd->sent[len - 1] != c))
		crowd->sent[len] = c;
}

static size_t signal_all(void *context, int signal)
{
	struct crowd *crowd = context;
	size_t n = crowd->n_left;
	note(crowd, signal == SIGINT ? 'I' : signal == SIGTERM ? 'T' : signal == SIGCONT ? 'C' : 'K');
	if (signal == SIGTERM)
		crowd->n_left = crowd->n_ignoring_term;
	if (signal == SIGKILL)
		crowd->n_left = crowd->n_unkillable;
	crowd->n_kills += signal == SIGKILL;
	return n;
}

static bool is_empty(void *context)
{
	return ((const struct crowd *)context)->n_left == 0;
}

static void begin(struct crowd *crowd, uint64_t grace_ns, size_t n_left)
{
	*crowd = (struct crowd){.ops = {signal_all, is_empty, crowd}, .now_ns = MXT_NS_PER_S, .n_left = n_left};
	mxt_ending_init(&crowd->ending, grace_ns);
}

/* Turns the clock to the next deadline and does what is due; returns how long that took, in milliseconds. */
static uint64_t pass(struct crowd *crowd)
{
	uint64_t from_ns = crowd->now_ns;
	assert_int_not_equal(crowd->ending.deadline_ns, 0);
	if (crowd->ending.deadline_ns > crowd->now_ns)
		crowd->now_ns = crowd->ending.deadline_ns;
	mxt_ending_step(&crowd->ending, crowd->now_ns, &crowd->ops);
	return (crowd->now_ns - from_ns) / MXT_NS_PER_MS;
}

static void step(struct crowd *crowd)
{
	mxt_ending_step(&crowd->ending, crowd->now_ns, &crowd->ops);
}

static void test_nothing_happens_by_itself(void **state)
{
	(void)state;
	struct crowd crowd;
	begin(&crowd, GRACE_NS, 3);
	step(&crowd);
	assert_int_equal(crowd.ending.phase, MXT_ENDING_RUNNING);
	assert_int_equal(crowd.ending.deadline_ns, 0);
	assert_string_equal(crowd.sent, "");
}

static void test_a_command_that_leaves_nobody(void **state)
{
	(void)state;
	struct crowd crowd;
	begin(&crowd, GRACE_NS, 0);
	mxt_ending_alone(&crowd.ending, SIGTERM, crowd.now_ns);
	step(&crowd);
	assert_int_equal(crowd.ending.phase, MXT_ENDING_OVER);
	assert_string_equal(crowd.sent, "");
	assert_int_equal(crowd.ending.n_swept, 0);
}

static void test_who_is_left_may_leave_then_is_asked_then_killed(void **state)
{
	(void)state;
	struct crowd crowd;
	begin(&crowd, GRACE_NS, 3);
	crowd.n_ignoring_term = 2;
	mxt_ending_alone(&crowd.ending, SIGTERM, crowd.now_ns);
	step(&crowd);
	assert_string_equal(crowd.sent, "");
	assert_int_equal(pass(&crowd), 1000);
	assert_string_equal(crowd.sent, "TC");
	assert_int_equal(pass(&crowd), 5000);
	assert_string_equal(crowd.sent, "TCK");
	step(&crowd);
	assert_int_equal(crowd.ending.phase, MXT_ENDING_OVER);
	assert_int_equal(crowd.ending.n_swept, 3);
	assert_false(crowd.ending.given_up);
}

static void test_the_command_has_its_grace(void **state)
{
	(void)state;
	struct crowd crowd;
	begin(&crowd, GRACE_NS, 2);
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	step(&crowd);
	assert_string_equal(crowd.sent, "");
	assert_int_equal(pass(&crowd), 45000);
	assert_string_equal(crowd.sent, "TC");
	step(&crowd);
	assert_int_equal(crowd.ending.phase, MXT_ENDING_OVER);
}

static void test_asked_again_it_has_less(void **state)
{
	(void)state;
	struct crowd crowd;
	begin(&crowd, GRACE_NS, 2);
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	assert_int_equal(pass(&crowd), 5000);
	begin(&crowd, GRACE_NS, 2);
	for (int i = 0; i < 3; i++)
		mxt_ending_ask(&crowd.ending, crowd.now_ns);
	assert_int_equal(pass(&crowd), 0);
	assert_string_equal(crowd.sent, "TC");
	begin(&crowd, 2 * MXT_NS_PER_S, 2);
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	assert_int_equal(pass(&crowd), 2000); /* never more than it had */
}

static void test_asked_while_the_rest_leaves(void **state)
{
	(void)state;
	struct crowd crowd;
	begin(&crowd, GRACE_NS, 2);
	crowd.n_ignoring_term = 2;
	mxt_ending_alone(&crowd.ending, SIGTERM, crowd.now_ns);
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	assert_int_equal(pass(&crowd), 0);
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	assert_int_equal(pass(&crowd), 0);
	assert_string_equal(crowd.sent, "TCK");
}

/* accelerate dies of the signal at once, and what it leaves behind is the job. */
static void test_the_grace_is_also_that_of_who_is_left(void **state)
{
	(void)state;
	struct crowd crowd;
	begin(&crowd, GRACE_NS, 2);
	crowd.n_ignoring_term = 1;
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	mxt_ending_alone(&crowd.ending, SIGTERM, crowd.now_ns);
	assert_int_equal(pass(&crowd), 1000);
	assert_string_equal(crowd.sent, "TC");
	assert_int_equal(pass(&crowd), 44000);
	assert_string_equal(crowd.sent, "TCK");
	assert_int_equal(crowd.ending.n_swept, 2);
}

static void test_an_interrupt_is_passed_on(void **state)
{
	(void)state;
	struct crowd crowd;
	begin(&crowd, GRACE_NS, 2);
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	mxt_ending_alone(&crowd.ending, SIGINT, crowd.now_ns);
	assert_int_equal(pass(&crowd), 1000);
	assert_string_equal(crowd.sent, "IC");
	assert_int_equal(crowd.ending.n_swept, 2);
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	assert_int_equal(pass(&crowd), 5000); /* not the 44 s that were left */
	assert_string_equal(crowd.sent, "ICTC");
	step(&crowd);
	assert_int_equal(crowd.ending.phase, MXT_ENDING_OVER);
}

static void test_an_interrupt_that_all_have_is_not_sent(void **state)
{
	(void)state;
	struct crowd crowd;
	begin(&crowd, GRACE_NS, 2);
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	mxt_ending_alone(&crowd.ending, 0, crowd.now_ns);
	assert_int_equal(pass(&crowd), 1000);
	assert_string_equal(crowd.sent, "");
	assert_int_equal(pass(&crowd), 44000);
	assert_string_equal(crowd.sent, "TC");
}

static void test_without_grace_nobody_waits(void **state)
{
	(void)state;
	struct crowd crowd;
	begin(&crowd, 0, 2);
	crowd.n_ignoring_term = 1;
	mxt_ending_ask(&crowd.ending, crowd.now_ns);
	assert_int_equal(pass(&crowd), 0);
	assert_int_equal(pass(&crowd), 0);
	assert_string_equal(crowd.sent, "TCK");
}

/* The kernel does not let some go: a driver that hangs, a frozen group. */
static void test_who_cannot_be_killed_is_given_up(void **state)
{
	(void)state;
	struct crowd crowd;
	uint64_t ms = 0;
	begin(&crowd, 0, 5);
	crowd.n_ignoring_term = 5;
	crowd.n_unkillable = 1;
	mxt_ending_alone(&crowd.ending, SIGTERM, crowd.now_ns);
	while (crowd.ending.phase != MXT_ENDING_OVER)
		ms += pass(&crowd);
	assert_in_range(ms, 20000, 20400);
	assert_in_range(crowd.n_kills, 10, 100);
	assert_true(crowd.ending.given_up);
	assert_int_equal(crowd.ending.n_swept, 5);
	step(&crowd);
	assert_int_equal(crowd.ending.deadline_ns, 0);
}

static size_t find_nobody(void *context, int signal)
{
	(void)signal_all(context, signal);
	return 0;
}

static void test_who_cannot_be_found_is_given_up_soon(void **state)
{
	(void)state;
	struct crowd crowd;
	uint64_t ms = 0;
	begin(&crowd, 0, 1);
	crowd.n_ignoring_term = crowd.n_unkillable = 1;
	crowd.ops.signal_all = find_nobody;
	mxt_ending_alone(&crowd.ending, SIGTERM, crowd.now_ns);
	while (crowd.ending.phase != MXT_ENDING_OVER)
		ms += pass(&crowd);
	assert_in_range(ms, 1000, 1400);
	assert_true(crowd.ending.given_up);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing_happens_by_itself),
	    cmocka_unit_test(test_a_command_that_leaves_nobody),
	    cmocka_unit_test(test_who_is_left_may_leave_then_is_asked_then_killed),
	    cmocka_unit_test(test_the_command_has_its_grace),
	    cmocka_unit_test(test_asked_again_it_has_less),
	    cmocka_unit_test(test_asked_while_the_rest_leaves),
	    cmocka_unit_test(test_the_grace_is_also_that_of_who_is_left),
	    cmocka_unit_test(test_an_interrupt_is_passed_on),
	    cmocka_unit_test(test_an_interrupt_that_all_have_is_not_sent),
	    cmocka_unit_test(test_without_grace_nobody_waits),
	    cmocka_unit_test(test_who_cannot_be_killed_is_given_up),
	    cmocka_unit_test(test_who_cannot_be_found_is_given_up_soon),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
