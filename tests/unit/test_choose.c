/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "choose.h"
#include "cmocka_all.h"
#include "compiler.h"
#include "error.h"
#include "rng.h"

#define ALL UINT32_MAX

static const struct mxt_race_params defaults = MXT_RACE_PARAMS_DEFAULT;

static const struct mxt_entrant plain[] = {
    {"bare", MXT_ROLE_BARE, true},    {"twin", MXT_ROLE_TWIN, true},    {"a", MXT_ROLE_CHALLENGER, true},
    {"b", MXT_ROLE_CHALLENGER, true}, {"c", MXT_ROLE_CHALLENGER, true}, {"d", MXT_ROLE_CHALLENGER, true},
};
enum { BARE, TWIN, A, B, C, D };

static const struct mxt_entrant with_yours[] = {
    {"bare", MXT_ROLE_BARE, true},
    {"twin", MXT_ROLE_TWIN, true},
    {"yours", MXT_ROLE_YOURS, true},
    {"a", MXT_ROLE_CHALLENGER, true},
};
enum { YOURS = 2, YOURS_A = 3 };

static struct mxt_race *create(const struct mxt_entrant *entrants, size_t count, const struct mxt_race_params *params)
{
	struct mxt_race *race = NULL;
	assert_int_equal(mxt_race_create(entrants, count, params, &race, NULL), 0);
	return race;
}

static void expect_refused(const struct mxt_entrant *entrants, size_t count, const struct mxt_race_params *params)
{
	struct mxt_race *race = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_race_create(entrants, count, params, &race, &err), -EINVAL);
	assert_int_equal(err.id, MXT_E_INTERNAL);
	assert_null(race);
}

/* Adds up to `blocks` blocks of these mean times with a noise of 0.2 %, in the order of the entrants. */
static void add_seeded(struct mxt_race *race, const double *mean_ns, size_t count, unsigned blocks, uint64_t seed)
{
	struct mxt_rng rng = {seed};
	for (unsigned b = 0; b < blocks && mxt_race_wants(race); b++) {
		double time_ns[MXT_RACE_MAX_CANDIDATES] = {0};
		for (size_t i = 0; i < count; i++)
			time_ns[i] = mean_ns[i] * exp(0.002 * mxt_rng_normal(&rng));
		mxt_race_add_block(race, time_ns, NULL, 0);
	}
}

static void add(struct mxt_race *race, const double *mean_ns, size_t count, unsigned blocks)
{
	add_seeded(race, mean_ns, count, blocks, count + blocks);
}

static struct mxt_choice choice_of(const struct mxt_race *race)
{
	struct mxt_choice choice;
	mxt_race_choice(race, &choice);
	assert_non_null(choice.rule);
	if (choice.verdict != MXT_VERDICT_WINNER)
		assert_int_equal(choice.winner, choice.incumbent);
	return choice;
}

/* A whole race at constant mean times. */
static struct mxt_choice race_at(const struct mxt_entrant *entrants, const double *mean_ns, size_t count)
{
	struct mxt_race *race = create(entrants, count, &defaults);
	add(race, mean_ns, count, ALL);
	assert_int_equal(mxt_race_wants(race), 0);
	struct mxt_choice choice = choice_of(race);
	mxt_race_destroy(race);
	return choice;
}

static void test_create_refuses(void **state)
{
	(void)state;
	const struct mxt_entrant twin_first[] = {{"twin", MXT_ROLE_TWIN, true}, {"bare", MXT_ROLE_BARE, true}};
	const struct mxt_entrant no_twin[] = {{"bare", MXT_ROLE_BARE, true}, {"a", MXT_ROLE_CHALLENGER, true}};
	const struct mxt_entrant two_yours[] = {{"bare", MXT_ROLE_BARE, true},
						{"twin", MXT_ROLE_TWIN, true},
						{"y", MXT_ROLE_YOURS, true},
						{"z", MXT_ROLE_YOURS, true}};
	expect_refused(twin_first, 2, &defaults);
	expect_refused(no_twin, 2, &defaults);
	expect_refused(two_yours, 4, &defaults);
	expect_refused(plain, 1, &defaults);
	expect_refused(plain, MXT_RACE_MAX_CANDIDATES + 1, &defaults);
	const struct mxt_race_params bad[] = {
	    {1000000, 10000, 4, 3, 1}, {30000, 0, 4, 3, 1},      {30000, 200000, 4, 3, 1},
	    {30000, 10000, 0, 3, 1},   {30000, 10000, 17, 3, 1}, {30000, 10000, 4, 3, 0},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++)
		expect_refused(plain, 6, &bad[i]);
	mxt_race_destroy(NULL);
}

static void test_screen_keeps_the_fastest(void **state)
{
	(void)state;
	struct mxt_race_params params = defaults;
	params.max_finalists = 2;
	struct mxt_race *race = create(plain, 6, &params);
	const double mean_ns[] = {100, 100, 120, 80, 90, 70};
	assert_int_equal(mxt_race_wants(race), 0x3f);
	add(race, mean_ns, 6, 3);
	assert_false(mxt_race_deciding(race));
	assert_int_equal(mxt_race_wants(race), 0x3f);
	add(race, mean_ns, 6, 1);
	assert_true(mxt_race_deciding(race));
	assert_int_equal(mxt_race_wants(race), 1u << BARE | 1u << TWIN | 1u << B | 1u << D);
	mxt_race_destroy(race);
}

/* Equal challengers take the places by name, beside the fastest. */
static void test_screen_prefers_among_ties(void **state)
{
	(void)state;
	struct mxt_race_params params = defaults;
	params.max_finalists = 2;
	struct mxt_race *race = create(plain, 6, &params);
	const double mean_ns[] = {100, 100, 80.2, 80.2, 80.2, 80};
	add(race, mean_ns, 6, 4);
	uint32_t finalists = mxt_race_wants(race) & ~(1u << BARE | 1u << TWIN);
	assert_true(finalists & 1u << A);
	finalists &= ~(1u << A);
	assert_true(finalists == 1u << B || finalists == 1u << C || finalists == 1u << D);
	mxt_race_destroy(race);
}

static void test_nobody_faster(void **state)
{
	(void)state;
	const double mean_ns[] = {100, 100, 120, 101, 130, 110};
	struct mxt_choice choice = race_at(plain, mean_ns, 6);
	assert_int_equal(choice.verdict, MXT_VERDICT_INCUMBENT);
	assert_int_equal(choice.blocks, 0);
	assert_int_equal(choice.best, B);
	assert_true(choice.gain_ppm < 0);
	assert_int_equal(choice.bound_ppm, MXT_BOUND_UNKNOWN_PPM);
}

static void test_winner(void **state)
{
	(void)state;
	const double mean_ns[] = {100, 100, 92, 101, 99, 85};
	struct mxt_choice choice = race_at(plain, mean_ns, 6);
	assert_int_equal(choice.verdict, MXT_VERDICT_WINNER);
	assert_int_equal(choice.winner, D);
	assert_int_equal(choice.best, D);
	assert_int_equal(choice.incumbent, BARE);
	assert_in_range(choice.gain_ppm, 148000, 152000);
	assert_in_range(choice.bound_ppm, 30001, choice.gain_ppm);
	assert_true(choice.floor_ppm < 5000);
}

static void test_gain_below_margin_stays(void **state)
{
	(void)state;
	const double mean_ns[] = {100, 100, 98.5, 120, 120, 120};
	struct mxt_choice choice = race_at(plain, mean_ns, 6);
	assert_int_equal(choice.verdict, MXT_VERDICT_INCUMBENT);
	assert_int_equal(choice.best, A);
	assert_in_range(choice.gain_ppm, 12000, 18000);
	assert_true(choice.blocks >= 4 && choice.blocks <= 16);
}

/* A gain that equals the margin is not above it, and cannot be excluded either. */
static void test_gain_at_margin_is_unresolved(void **state)
{
	(void)state;
	const double mean_ns[] = {100, 100, 97, 120, 120, 120};
	struct mxt_choice choice = race_at(plain, mean_ns, 6);
	assert_int_equal(choice.verdict, MXT_VERDICT_UNRESOLVED);
	assert_int_equal(choice.blocks, 32);
}

/* What the screen saw is not counted again. */
static void test_decides_on_fresh_blocks(void **state)
{
	(void)state;
	struct mxt_race *race = create(plain, 3, &defaults);
	const double lucky[] = {100, 100, 60}, true_ns[] = {100, 100, 100};
	add(race, lucky, 3, 4);
	add(race, true_ns, 3, ALL);
	assert_int_not_equal(choice_of(race).verdict, MXT_VERDICT_WINNER);
	assert_true(choice_of(race).gain_ppm < 5000);
	mxt_race_destroy(race);
}

/* Looks only at 4, 8, 16 and 32 decide blocks: what comes between changes nothing. */
static void test_looks(void **state)
{
	(void)state;
	struct mxt_race_params params = defaults;
	struct mxt_race *race = create(plain, 3, &params);
	const double screen[] = {100, 100, 97}, decide[] = {100, 100, 97};
	add(race, screen, 3, 4);
	uint32_t looks = 0;
	int32_t last = 0;
	for (unsigned block = 1; mxt_race_wants(race); block++) {
		add_seeded(race, decide, 3, 1, block);
		struct mxt_choice choice = choice_of(race);
		assert_true(choice.blocks <= block);
		if (choice.blocks != looks) {
			assert_int_equal(choice.blocks, block);
			looks = choice.blocks;
			assert_true(looks == 4 || looks == 8 || looks == 16 || looks == 32);
		} else if (looks > 0) {
			assert_int_equal(choice.bound_ppm, last);
		}
		last = choice.bound_ppm;
	}
	assert_int_equal(looks, 32);
	mxt_race_destroy(race);
}

static void test_any_time(void **state)
{
	(void)state;
	struct mxt_race *race = create(plain, 6, &defaults);
	const double mean_ns[] = {100, 100, 92, 101, 99, 85};
	struct mxt_choice choice = choice_of(race);
	assert_int_equal(choice.verdict, MXT_VERDICT_UNRESOLVED);
	assert_int_equal(choice.best, BARE);
	assert_true(choice.floor_ppm == MXT_FLOOR_UNKNOWN_PPM);
	add(race, mean_ns, 6, 1);
	choice = choice_of(race);
	assert_int_equal(choice.verdict, MXT_VERDICT_UNRESOLVED);
	assert_true(choice.floor_ppm != MXT_FLOOR_UNKNOWN_PPM);
	assert_int_equal(choice.best, D);
	assert_in_range(choice.gain_ppm, 130000, 170000);
	assert_int_equal(choice.bound_ppm, MXT_BOUND_UNKNOWN_PPM);
	add(race, mean_ns, 6, 6); /* three decide blocks */
	assert_int_equal(choice_of(race).verdict, MXT_VERDICT_UNRESOLVED);
	mxt_race_destroy(race);
}

static void test_floor_above_margin(void **state)
{
	(void)state;
	const double slow_twin[] = {100, 106, 80, 120, 120, 120}, fast_twin[] = {100, 94, 80, 120, 120, 120};
	struct mxt_choice choice = race_at(plain, slow_twin, 6);
	assert_int_equal(choice.verdict, MXT_VERDICT_UNRESOLVED);
	assert_in_range(choice.floor_ppm, 50000, 62000);
	assert_true(choice.blocks < 32); /* no use in going on */
	assert_int_equal(race_at(plain, fast_twin, 6).verdict, MXT_VERDICT_UNRESOLVED);
}

/* When everybody is slower by more than the twins differ, the floor hides nothing. */
static void test_floor_hides_nothing(void **state)
{
	(void)state;
	const double mean_ns[] = {100, 106, 120, 130, 140, 150};
	assert_int_equal(race_at(plain, mean_ns, 6).verdict, MXT_VERDICT_INCUMBENT);
	const double near_ns[] = {100, 106, 101, 130, 140, 150};
	assert_int_equal(race_at(plain, near_ns, 6).verdict, MXT_VERDICT_UNRESOLVED);
}

static void test_yours_is_the_incumbent(void **state)
{
	(void)state;
	const double behind_bare[] = {100, 100, 120, 99}; /* a beats yours, not bare; bare beats yours */
	struct mxt_choice choice = race_at(with_yours, behind_bare, 4);
	assert_int_equal(choice.verdict, MXT_VERDICT_WINNER);
	assert_int_equal(choice.incumbent, YOURS);
	assert_int_equal(choice.winner, BARE);

	const double best_of_all[] = {100, 100, 120, 90};
	choice = race_at(with_yours, best_of_all, 4);
	assert_int_equal(choice.winner, YOURS_A);
	assert_in_range(choice.gain_ppm, 245000, 255000); /* against yours */

	struct mxt_entrant renamed[4]; /* whatever the names say about ties */
	memcpy(renamed, with_yours, sizeof renamed);
	renamed[YOURS_A].name = "z";
	assert_int_equal(race_at(renamed, best_of_all, 4).winner, YOURS_A);

	const double yours_fastest[] = {100, 100, 80, 90};
	choice = race_at(with_yours, yours_fastest, 4);
	assert_int_equal(choice.verdict, MXT_VERDICT_INCUMBENT);
	assert_int_equal(choice.winner, YOURS);

	const double bare_a_little[] = {100, 100, 101.5, 120}; /* below the margin: yours stays */
	choice = race_at(with_yours, bare_a_little, 4);
	assert_int_equal(choice.verdict, MXT_VERDICT_INCUMBENT);
	assert_int_equal(choice.winner, YOURS);
	assert_int_equal(choice.best, BARE);
}

static void test_ties(void **state)
{
	(void)state;
	const double mean_ns[] = {100, 100, 80, 80, 80, 80.3};
	struct mxt_entrant entrants[6];
	memcpy(entrants, plain, sizeof entrants);
	assert_int_equal(race_at(entrants, mean_ns, 6).winner, A);
	entrants[A].name = "z";
	assert_int_equal(race_at(entrants, mean_ns, 6).winner, B);
	entrants[A].deterministic = entrants[B].deterministic = entrants[C].deterministic = false;
	assert_int_equal(race_at(entrants, mean_ns, 6).winner, D);
	assert_non_null(strstr(race_at(entrants, mean_ns, 6).rule, "ties"));
}

/* Outside the tie band the faster one wins whatever its name. */
static void test_faster_displaces_preferred(void **state)
{
	(void)state;
	const double mean_ns[] = {100, 100, 80, 76, 120, 120};
	assert_int_equal(race_at(plain, mean_ns, 6).winner, B);
}

static void test_failures(void **state)
{
	(void)state;
	static const struct {
		size_t who;
		enum mxt_verdict verdict;
	} rows[] = {
	    {BARE, MXT_VERDICT_NO_INCUMBENT}, {TWIN, MXT_VERDICT_UNRESOLVED}, {YOURS, MXT_VERDICT_NO_INCUMBENT}};
	const double mean_ns[] = {100, 100, 100, 80};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		for (unsigned after = 0; after < 7; after++) {
			struct mxt_race *race = create(with_yours, 4, &defaults);
			add(race, mean_ns, 4, after);
			mxt_race_drop(race, rows[i].who);
			assert_int_equal(mxt_race_wants(race), 0);
			assert_int_equal(choice_of(race).verdict, rows[i].verdict);
			assert_int_equal(choice_of(race).best, after ? YOURS_A : YOURS);
			mxt_race_destroy(race);
		}
}

static void test_failed_challengers(void **state)
{
	(void)state;
	const double mean_ns[] = {100, 100, 70, 80, 120, 120};
	struct mxt_race *race = create(plain, 4, &defaults);
	add(race, mean_ns, 4, 6);
	mxt_race_drop(race, A);
	add(race, mean_ns, 4, ALL);
	assert_int_equal(choice_of(race).winner, B);
	mxt_race_drop(race, B); /* after it had won */
	assert_int_equal(choice_of(race).verdict, MXT_VERDICT_INCUMBENT);
	assert_int_equal(choice_of(race).best, BARE);
	assert_int_equal(mxt_race_wants(race), 0);
	mxt_race_destroy(race);
}

static void test_no_challenger(void **state)
{
	(void)state;
	const double mean_ns[] = {100, 100};
	struct mxt_choice choice = race_at(plain, mean_ns, 2);
	assert_int_equal(choice.verdict, MXT_VERDICT_INCUMBENT);
	assert_int_equal(choice.best, BARE);
}

static void test_impossible_times_drop(void **state)
{
	(void)state;
	const double bad[] = {0, -1, NAN, INFINITY};
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++) {
		struct mxt_race *race = create(plain, 4, &defaults);
		const double block[] = {100, 100, 90, bad[i]};
		mxt_race_add_block(race, block, NULL, 0);
		assert_int_equal(mxt_race_wants(race), 1u << BARE | 1u << TWIN | 1u << A);
		const double no_bare[] = {bad[i], 100, 90, 90};
		mxt_race_add_block(race, no_bare, NULL, 0);
		assert_int_equal(choice_of(race).verdict, MXT_VERDICT_NO_INCUMBENT);
		mxt_race_add_block(race, block, NULL, 0); /* over: ignored */
		mxt_race_destroy(race);
	}
}

/* A machine that slows down by 15 % within each round: seen through when the order is known. */
static struct mxt_choice race_on_slope(bool order_known)
{
	struct mxt_rng rng = {11};
	struct mxt_race *race = create(plain, 3, &defaults);
	const double mean_ns[] = {100, 100, 92};
	while (mxt_race_wants(race)) {
		uint32_t order[] = {0, 1, 2, 77};
		double time_ns[3];
		mxt_rng_shuffle(&rng, order, 3);
		for (size_t p = 0; p < 3; p++)
			time_ns[order[p]] = mean_ns[order[p]] * (1 + 0.075 * (double)p);
		mxt_race_add_block(race, time_ns, order, order_known ? 4 : 0);
	}
	struct mxt_choice choice = choice_of(race);
	mxt_race_destroy(race);
	return choice;
}

static void test_positions_are_corrected(void **state)
{
	(void)state;
	assert_int_equal(race_on_slope(true).verdict, MXT_VERDICT_WINNER);
	assert_true(race_on_slope(true).blocks <= 16);
	assert_int_not_equal(race_on_slope(false).verdict, MXT_VERDICT_WINNER);
}

static void test_largest_race(void **state)
{
	(void)state;
	struct mxt_entrant entrants[MXT_RACE_MAX_CANDIDATES];
	double mean_ns[MXT_RACE_MAX_CANDIDATES];
	for (size_t i = 0; i < MXT_RACE_MAX_CANDIDATES; i++) {
		entrants[i] = (struct mxt_entrant){"same", MXT_ROLE_CHALLENGER, true};
		mean_ns[i] = 100 - (double)i;
	}
	entrants[0].role = MXT_ROLE_BARE;
	entrants[1].role = MXT_ROLE_TWIN;
	mean_ns[1] = 100;
	struct mxt_choice choice = race_at(entrants, mean_ns, MXT_RACE_MAX_CANDIDATES);
	assert_int_equal(choice.winner, MXT_RACE_MAX_CANDIDATES - 1);
}

static void test_confirm(void **state)
{
	(void)state;
	double slower[40], equal[40];
	struct mxt_rng rng = {3};
	for (size_t i = 0; i < MXT_ARRAY_LEN(slower); i++) {
		equal[i] = 0.005 * mxt_rng_normal(&rng);
		slower[i] = equal[i] + 0.03;
	}
	struct mxt_confirm confirm;
	mxt_confirm_evaluate(slower, 3, 10000, 2, &confirm);
	assert_false(confirm.surely_slower || confirm.surely_faster);
	assert_int_equal(confirm.bound_ppm, MXT_BOUND_UNKNOWN_PPM);
	mxt_confirm_evaluate(slower, 20, 10000, 2, &confirm);
	assert_true(confirm.surely_slower);
	assert_false(confirm.surely_faster);
	assert_int_equal(confirm.blocks, 16);
	assert_in_range(-confirm.gain_ppm, 25000, 36000);
	mxt_confirm_evaluate(equal, 40, 10000, 2, &confirm);
	assert_int_equal(confirm.blocks, 32);
	assert_false(confirm.surely_slower || confirm.surely_faster);
	for (size_t i = 0; i < MXT_ARRAY_LEN(slower); i++)
		slower[i] = -slower[i];
	mxt_confirm_evaluate(slower, 8, 10000, 1, &confirm);
	assert_true(confirm.surely_faster);
	assert_true(confirm.bound_ppm > 0 && confirm.bound_ppm < confirm.gain_ppm);
}

/* A race in which bare is charged; the others are as slow as they are timed. */
static struct mxt_choice charged_race(const double *mean_ns, struct mxt_charge bare)
{
	struct mxt_race *race = create(plain, 6, &defaults);
	for (size_t i = BARE; i <= TWIN; i++)
		assert_int_equal(mxt_race_charge(race, i, &bare, NULL), 0);
	add(race, mean_ns, 6, ALL);
	struct mxt_choice choice = choice_of(race);
	mxt_race_destroy(race);
	return choice;
}

static void test_charges(void **state)
{
	(void)state;
	/* slower than bare as timed; faster by a third once bare's first calls count */
	static const double slower[] = {100, 100, 120, 140, 150, 160};
	struct mxt_choice choice = charged_race(slower, (struct mxt_charge){70, 80, 90});
	assert_int_equal(choice.verdict, MXT_VERDICT_WINNER);
	assert_int_equal(choice.winner, A);
	assert_in_range(choice.gain_ppm, 330000, 337000);  /* 1 - 120 / 180 */
	assert_in_range(choice.bound_ppm, 285000, 294118); /* 1 - 120 / 170, less the noise */
	/* the low end of the charge leaves no sure gain, and the high end excludes none */
	choice = charged_race(slower, (struct mxt_charge){20, 40, 60});
	assert_int_equal(choice.verdict, MXT_VERDICT_UNRESOLVED);
	choice = charged_race(slower, (struct mxt_charge){0, 0, 0});
	assert_int_equal(choice.verdict, MXT_VERDICT_INCUMBENT);
}

static void test_charges_refused(void **state)
{
	(void)state;
	static const struct mxt_charge bad[] = {{-1, 0, 0}, {2, 1, 3}, {0, 2, 1}, {0, 0, INFINITY}, {NAN, 1, 2}};
	static const double equal[] = {100, 100, 100, 100, 100, 100};
	struct mxt_race *race = create(plain, 6, &defaults);
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++)
		assert_int_equal(mxt_race_charge(race, BARE, &bad[i], NULL), -EINVAL);
	const struct mxt_charge good = {1, 2, 3};
	assert_int_equal(mxt_race_charge(race, 6, &good, NULL), -EINVAL);
	add(race, equal, 6, 1);
	assert_int_equal(mxt_race_charge(race, BARE, &good, NULL), -EINVAL);
	mxt_race_destroy(race);
}

static void test_charge_estimate(void **state)
{
	(void)state;
	static const double costs[] = {120, 131, 126, 133, 140, 128}, noise[] = {-3, 2, -1, 1, -2, -4};
	struct mxt_charge charge;
	mxt_charge_estimate(costs, 6, &charge);
	assert_in_range((uintmax_t)charge.low, 110, 125);
	assert_in_range((uintmax_t)charge.middle, 129, 130);
	assert_in_range((uintmax_t)charge.high, 135, 150);
	mxt_charge_estimate(noise, 6, &charge); /* nothing costs less than nothing */
	assert_true(charge.low >= 0 && charge.low <= charge.middle && charge.middle <= charge.high);
	assert_in_range((uintmax_t)charge.high, 1, 10);
	mxt_charge_scale(&charge, 0);
	assert_true(charge.high <= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_create_refuses),
	    cmocka_unit_test(test_screen_keeps_the_fastest),
	    cmocka_unit_test(test_screen_prefers_among_ties),
	    cmocka_unit_test(test_nobody_faster),
	    cmocka_unit_test(test_winner),
	    cmocka_unit_test(test_gain_below_margin_stays),
	    cmocka_unit_test(test_gain_at_margin_is_unresolved),
	    cmocka_unit_test(test_decides_on_fresh_blocks),
	    cmocka_unit_test(test_looks),
	    cmocka_unit_test(test_any_time),
	    cmocka_unit_test(test_floor_above_margin),
	    cmocka_unit_test(test_floor_hides_nothing),
	    cmocka_unit_test(test_yours_is_the_incumbent),
	    cmocka_unit_test(test_ties),
	    cmocka_unit_test(test_faster_displaces_preferred),
	    cmocka_unit_test(test_failures),
	    cmocka_unit_test(test_failed_challengers),
	    cmocka_unit_test(test_no_challenger),
	    cmocka_unit_test(test_impossible_times_drop),
	    cmocka_unit_test(test_positions_are_corrected),
	    cmocka_unit_test(test_largest_race),
	    cmocka_unit_test(test_confirm),
	    cmocka_unit_test(test_charges),
	    cmocka_unit_test(test_charges_refused),
	    cmocka_unit_test(test_charge_estimate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
