/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error rates of choosing, over 1,000 plans for each machine and truth. The seeds are fixed: a rate changes only with
 * the code. Rates over 20,000 plans are in docs/choosing.md.
 */
#include "choice_simulation.h"
#include "cmocka_all.h"
#include "compiler.h"

#define PLANS 1000

static struct choice_tally simulate(const char *world, const char *truth)
{
	struct choice_tally tally;
	assert_non_null(choice_world(world));
	assert_non_null(choice_truth(truth));
	choice_simulate(choice_world(world), choice_truth(truth), 1, PLANS, &tally);
	return tally;
}

/*
 * At most 1.5 % of plans hold a false winner, whatever the noise and whoever the drift favours. A process that keeps an
 * advantage from its start is faster as far as one run can tell, so there only a gain of nothing counts.
 */
static void test_false_winners(void **state)
{
	(void)state;
	static const char *const truths[] = {"none", "half", "just below"};
	for (size_t w = 0; w < choice_n_worlds; w++)
		for (size_t t = 0; t < (choice_worlds[w].process > 0 ? 1 : MXT_ARRAY_LEN(truths)); t++) {
			struct choice_tally tally = simulate(choice_worlds[w].name, truths[t]);
			if (tally.false_plans > PLANS * 15 / 1000)
				fail_msg("%u of %u plans: machine \"%s\", gain \"%s\"", tally.false_plans, tally.plans,
					 choice_worlds[w].name, truths[t]);
		}
}

/* Charging first calls, as six noisy ones tell them, makes no more false winners; and large gains are found. */
static void test_charged_first_calls(void **state)
{
	(void)state;
	static const char *const truths[] = {"none, first calls half", "just below, first calls half",
					     "none, first calls 90 %"};
	for (size_t w = 0; w < choice_n_worlds; w++)
		for (size_t t = 0; t < MXT_ARRAY_LEN(truths) && choice_world_keeps_level(&choice_worlds[w]); t++) {
			struct choice_tally tally = simulate(choice_worlds[w].name, truths[t]);
			if (tally.false_plans > PLANS * 15 / 1000)
				fail_msg("%u of %u plans: machine \"%s\", gain \"%s\"", tally.false_plans, tally.plans,
					 choice_worlds[w].name, truths[t]);
		}
	struct choice_tally tally = simulate("0.5 %", "10 x, first calls half");
	assert_int_equal(tally.winnable, 2 * PLANS);
	assert_true(tally.missed * 10 < tally.winnable);
}

/* The simulation sees false winners where there are some: a race told of a margin of 1 % crowns gains of 1.5 %. */
static void test_false_winners_are_seen(void **state)
{
	(void)state;
	struct choice_truth truth = *choice_truth("half");
	struct choice_tally tally;
	truth.margin_ppm = 10000;
	choice_simulate(choice_world("0.5 %"), &truth, 1, PLANS, &tally);
	assert_true(tally.false_plans > PLANS / 2);
}

static void test_missed_winners(void **state)
{
	(void)state;
	static const struct {
		const char *world, *truth;
		double most; /* percent */
	} rows[] = {
	    {"0.5 %", "1.5 x", 1},
	    {"0.5 %", "2 x", 1},
	    {"2 %", "2 x", 8},
	    {"2 %", "3 x", 1},
	    {"0.5 %, outliers", "2 x", 6},
	    {"2 %, outliers", "3 x", 6},
	    {"0.5 %, rounds slow down by 15 %", "2 x", 6},
	    {"0.5 %, first position 15 % faster", "2 x", 8},
	    {"0.5 %, clock steps", "2 x", 2},
	    {"0.5 %", "2 x, yours races", 1},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		struct choice_tally tally = simulate(rows[i].world, rows[i].truth);
		assert_int_equal(tally.winnable, 2 * PLANS);
		if (100.0 * tally.missed > rows[i].most * tally.winnable)
			fail_msg("%u of %u races: machine \"%s\", gain \"%s\"", tally.missed, tally.winnable,
				 rows[i].world, rows[i].truth);
	}
}

/* Repeated runs decide alike where no true gain lies between half and twice the margin, equal candidates included. */
static void test_equal_decisions(void **state)
{
	(void)state;
	static const char *const truths[] = {"none", "half", "2 x", "3 x", "all 2 x", "3 x, others 2 x"};
	for (size_t t = 0; t < MXT_ARRAY_LEN(truths); t++) {
		struct choice_tally tally = simulate("0.5 %", truths[t]);
		if (tally.same < PLANS * 99 / 100)
			fail_msg("%u of %u plans: gain \"%s\"", tally.same, tally.plans, truths[t]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_false_winners),          cmocka_unit_test(test_charged_first_calls),
	    cmocka_unit_test(test_false_winners_are_seen), cmocka_unit_test(test_missed_winners),
	    cmocka_unit_test(test_equal_decisions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
