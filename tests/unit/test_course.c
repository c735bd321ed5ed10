/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"
#include "compiler.h"
#include "course.h"
#include "session.h"

static struct mxt_problem gemm(int64_t m, uint32_t calls, uint32_t share_ppm)
{
	return (struct mxt_problem){
	    .kind = MXT_PROBLEM_GEMM,
	    .as.gemm = {.m = m, .n = 10, .k = 10, .lda = 10, .ldb = 10, .ldc = 10},
	    .calls = calls,
	    .share_ppm = share_ppm,
	};
}

static struct mxt_problem attention(enum mxt_direction direction)
{
	return (struct mxt_problem){
	    .kind = MXT_PROBLEM_ATTENTION,
	    .as.attention = {.batch = 1,
			     .seq = 8,
			     .heads = 2,
			     .kv_heads = 2,
			     .head_dim = 4,
			     .causal = true,
			     .direction = direction},
	    .calls = 3,
	    .share_ppm = 1000000,
	};
}

/* A step of two products and attention both ways; a layer that meets one product twice, and streams in between. */
struct fixture {
	struct mxt_problem problems[4];
	struct mxt_layer_step layer[5];
	struct mxt_session session;
};

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){
	    .problems = {gemm(5, 4, 1000000), attention(MXT_FORWARD), gemm(50, 2, 250000), attention(MXT_BACKWARD)},
	    .layer = {{.problem = 2}, {MXT_LAYER_FILLER, 4096}, {.problem = 1}, {.problem = 2}, {.problem = 3}},
	};
	f->session.set = (struct mxt_problem_set){.problems = f->problems,
						  .n_problems = MXT_ARRAY_LEN(f->problems),
						  .layer = f->layer,
						  .n_layer = MXT_ARRAY_LEN(f->layer)};
	f->session.inventory.peak_flops = 1e9; /* one operation in 1 ns */
}

static void a_probe_has_one_item_for_each_of_its_problems(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f);
	MXT_CLEANUP(mxt_course_finish) struct mxt_course course = {.problems = NULL};
	assert_int_equal(mxt_course_init_probe(&course, &f.session, MXT_PROBLEM_GEMM, NULL), 0);
	assert_int_equal(course.n_problems, 2);
	assert_int_equal(course.n_items, 2);
	for (size_t i = 0; i < course.n_items; i++) {
		assert_true(mxt_problem_equal(&course.problems[i], &f.problems[2 * i]));
		assert_int_equal(course.items[i].n_steps, 1);
		assert_int_equal(course.items[i].steps[0].id, i);
	}
}

static void an_item_weighs_what_it_is_called_for(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f);
	MXT_CLEANUP(mxt_course_finish) struct mxt_course course = {.problems = NULL};
	assert_int_equal(mxt_course_init_probe(&course, &f.session, MXT_PROBLEM_GEMM, NULL), 0);
	assert_float_equal(course.items[0].weight, 4, 1e-9);
	assert_float_equal(course.items[1].weight, 0.5, 1e-9);
}

static void the_least_time_is_that_of_the_peak(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f);
	MXT_CLEANUP(mxt_course_finish) struct mxt_course course = {.problems = NULL};
	assert_int_equal(mxt_course_init_probe(&course, &f.session, MXT_PROBLEM_GEMM, NULL), 0);
	assert_float_equal(course.items[0].least_ns, 2 * 5 * 10 * 10, 1e-6);
	assert_float_equal(course.items[1].least_ns, 2 * 50 * 10 * 10, 1e-6);
}

static void nothing_is_known_of_time_without_a_peak(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f);
	f.session.inventory.peak_flops = 0;
	MXT_CLEANUP(mxt_course_finish) struct mxt_course probe = {.problems = NULL};
	MXT_CLEANUP(mxt_course_finish) struct mxt_course layer = {.problems = NULL};
	assert_int_equal(mxt_course_init_probe(&probe, &f.session, MXT_PROBLEM_ATTENTION, NULL), 0);
	assert_int_equal(mxt_course_init_layer(&layer, &f.session, NULL), 0);
	assert_float_equal(probe.items[0].least_ns, 0, 0);
	assert_float_equal(layer.items[0].least_ns, 0, 0);
}

static void a_layer_is_one_item_in_training_order(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f);
	static const uint32_t ids[] = {0, MXT_WORKER_FILLER, 1, 0, 2};
	MXT_CLEANUP(mxt_course_finish) struct mxt_course course = {.problems = NULL};
	assert_int_equal(mxt_course_init_layer(&course, &f.session, NULL), 0);
	assert_int_equal(course.n_items, 1);
	const struct mxt_item *item = &course.items[0];
	assert_int_equal(item->n_steps, MXT_ARRAY_LEN(ids));
	for (size_t i = 0; i < MXT_ARRAY_LEN(ids); i++)
		assert_int_equal(item->steps[i].id, ids[i]);
	assert_int_equal(item->steps[1].filler_bytes, 4096);
	assert_float_equal(item->weight, 1, 0);
}

static void a_layer_prepares_each_of_its_problems_once(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f);
	MXT_CLEANUP(mxt_course_finish) struct mxt_course course = {.problems = NULL};
	assert_int_equal(mxt_course_init_layer(&course, &f.session, NULL), 0);
	assert_int_equal(course.n_problems, 3); /* problem 0 is not in the layer */
	assert_true(mxt_problem_equal(&course.problems[0], &f.problems[2]));
	assert_true(mxt_problem_equal(&course.problems[1], &f.problems[1]));
	assert_true(mxt_problem_equal(&course.problems[2], &f.problems[3]));
	double flops = 2 * mxt_problem_flops(&f.problems[2]) + mxt_problem_flops(&f.problems[1]) +
		       mxt_problem_flops(&f.problems[3]);
	assert_float_equal(course.items[0].least_ns, flops, 1e-6);
}

static void a_course_may_be_empty(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f);
	f.session.set.n_problems = 0;
	MXT_CLEANUP(mxt_course_finish) struct mxt_course course = {.problems = NULL};
	assert_int_equal(mxt_course_init_probe(&course, &f.session, MXT_PROBLEM_GEMM, NULL), 0);
	assert_int_equal(course.n_items, 0);
	mxt_course_finish(&course); /* a second time does no harm */
	assert_null(course.problems);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_probe_has_one_item_for_each_of_its_problems),
	    cmocka_unit_test(an_item_weighs_what_it_is_called_for),
	    cmocka_unit_test(the_least_time_is_that_of_the_peak),
	    cmocka_unit_test(nothing_is_known_of_time_without_a_peak),
	    cmocka_unit_test(a_layer_is_one_item_in_training_order),
	    cmocka_unit_test(a_layer_prepares_each_of_its_problems_once),
	    cmocka_unit_test(a_course_may_be_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
