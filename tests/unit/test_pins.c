/* SPDX-License-Identifier: Apache-2.0 */
/* Which products are pinned, and when none is. */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "session.h"

/* What the orchestrator would know by the time products are ranked. */
struct run {
	struct mxt_session session;
	struct mxt_field field;
	struct mxt_device_ops ops;
	struct mxt_tune_request request;
	struct mxt_workload workload;
	struct mxt_event_sink sink;
	struct mxt_problem problems[3];
	char choice[16];
	size_t told; /* PINS events, and how many products the last one had */
	size_t pinned;
};

static void note_event(void *context, const struct mxt_event *event)
{
	struct run *run = context;
	if (event->kind != MXT_EVENT_PINS)
		return;
	run->told++;
	run->pinned = event->as.pins.products;
}

static json_t *facts(void)
{
	return json_pack("{s:{s:{s:i, s:s}, s:{s:s}, s:s}}", "libraries", "hipblaslt", "version", 100202, "revision",
			 "dabb6df2b9", "rocblas", "version", "5.2.0.dabb6df2b9", "arch", "gfx942:sramecc+:xnack-");
}

static struct mxt_problem product(int64_t m)
{
	return (struct mxt_problem){
	    .kind = MXT_PROBLEM_GEMM,
	    .as.gemm = {.m = m, .n = 8, .k = 4, .lda = 4, .ldb = 8, .ldc = 8, .dtype = MXT_DTYPE_BF16},
	    .calls = 1,
	    .share_ppm = MXT_PPM};
}

static int setup(void **state)
{
	struct run *run = calloc(1, sizeof *run);
	for (int i = 0; i < 3; i++)
		run->problems[i] = product(16 * (3 - (int64_t)i));
	run->sink = (struct mxt_event_sink){note_event, run};
	run->ops = (struct mxt_device_ops){.name = "hip", .pins = true};
	run->request = (struct mxt_tune_request){.ops = &run->ops, .workload = &run->workload, .sink = &run->sink};
	run->field.ops = &run->ops;
	run->field.entries[0].facts = facts();
	(void)strcpy(run->choice, "hipblaslt");
	struct mxt_session *session = &run->session;
	*session = (struct mxt_session){
	    .request = &run->request,
	    .inventory.stack = json_pack("{s:s, s:s}", "torch", "2.9.1+rocm7.2.1", "hip", "7.2.26015-fc0010"),
	    .set = {.problems = run->problems, .n_problems = 3},
	    .yours = json_object(),
	    .required = json_object(),
	    .choices = json_array(),
	    .skipped = json_array(),
	    .heuristic = {.ranked = 3, .total_ns = 1e6, .samples = json_array()}};
	session->probes[MXT_PROBLEM_GEMM].candidates.bare_choice = run->choice;
	*state = run;
	return 0;
}

static int teardown(void **state)
{
	struct run *run = *state;
	struct mxt_session *session = &run->session;
	mxt_pins_finish(&session->pins);
	json_t *owned[] = {run->field.entries[0].facts, session->inventory.stack, session->yours,
			   session->required,           session->choices,         session->skipped,
			   session->heuristic.samples};
	for (size_t i = 0; i < MXT_ARRAY_LEN(owned); i++)
		json_decref(owned[i]);
	free(run);
	return 0;
}

/* Product number i, which takes `ns` of a step, has a solution that surely saves `bound_ppm` of it. */
static void offer(struct run *run, size_t i, double ns, int32_t bound_ppm, const char *library)
{
	struct mxt_ranking ranking = {
	    .gain_ppm = bound_ppm + 10000, .bound_ppm = bound_ppm, .solution = (int32_t)(100 + i)};
	(void)snprintf(ranking.library, sizeof ranking.library, "%s", library);
	assert_int_equal(json_array_append_new(run->session.heuristic.samples, json_object()), 0);
	assert_int_equal(mxt_pins_offer(&run->session, &run->problems[i].as.gemm, ns, &ranking, NULL), 0);
}

static void begin(struct run *run)
{
	assert_int_equal(mxt_pins_begin(&run->session, &run->field, NULL), 0);
}

static void settle(struct run *run, bool chosen, const char *words)
{
	struct mxt_session *session = &run->session;
	assert_int_equal(mxt_pins_settle(session, NULL), 0);
	assert_int_equal(run->told, 1);
	assert_int_equal(session->pins.chosen, chosen);
	assert_int_equal(run->pinned, chosen ? session->pins.count : 0);
	const json_t *row = json_array_get(session->choices, json_array_size(session->choices) - 1);
	assert_string_equal(mxt_json_text(row, "winner"), chosen ? "pinned" : "heuristic");
	assert_non_null(strstr(mxt_json_text(row, "rule"), words));
}

static void what_surely_saves_is_pinned(void **state)
{
	struct run *run = *state;
	struct mxt_pins *pins = &run->session.pins;
	begin(run);
	assert_int_equal(pins->form, MXT_PIN_FORM_TUNABLEOP);
	assert_string_equal(mxt_json_text(pins->built, "hip"), "702");
	assert_string_equal(mxt_json_text(pins->built, "hipblaslt"), "100202-dabb6df2b9");
	offer(run, 0, 4e5, 50000, "hipBLASLt 1.2.2");
	offer(run, 1, 1e5, 49999, "hipBLASLt 1.2.2");
	offer(run, 2, 1e5, 80000, "hipBLASLt 1.2.2");
	assert_int_equal(pins->count, 2);
	settle(run, true, "each surely saves 5 %");
	assert_int_equal(pins->bound_ppm, 28000);
	assert_int_equal(pins->gain_ppm, 33000);
	MXT_CLEANUP_JSON json_t *list = mxt_pins_json(pins);
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	assert_int_equal(mxt_json_canonical(list, &text, NULL), 0);
	assert_string_equal(
	    mxt_buf_text(&text),
	    "[{\"problem\":{\"dtype\":\"bfloat16\",\"k\":4,\"m\":16,\"n\":8,\"op\":\"gemm\"},\"solution\":"
	    "102},{\"problem\":{\"dtype\":\"bfloat16\",\"k\":4,\"m\":48,\"n\":8,\"op\":\"gemm\"},"
	    "\"solution\":100}]");
	assert_int_equal(mxt_pins_mark(pins, run->session.heuristic.samples), 0);
	assert_true(json_is_true(json_object_get(json_array_get(run->session.heuristic.samples, 0), "pinned")));
	assert_null(json_object_get(json_array_get(run->session.heuristic.samples, 1), "pinned"));
}

static void little_in_all_is_not_pinned(void **state)
{
	struct run *run = *state;
	begin(run);
	offer(run, 0, 9e4, 100000, "hipBLASLt 1.2.2");
	settle(run, false, "1 % of the products' time");
}

static void other_libraries_and_unknown_gains_are_not_pinned(void **state)
{
	struct run *run = *state;
	begin(run);
	offer(run, 0, 9e5, 100000, "rocBLAS 5.2.0");
	offer(run, 0, 9e5, 100000, "hipBLASLtX");
	offer(run, 0, 9e5, MXT_BOUND_UNKNOWN_PPM, "hipBLASLt 1.2.2");
	const struct mxt_ranking own = {
	    .library = "hipBLASLt 1.2.2", .bound_ppm = 100000, .solution = MXT_SOLUTION_DEFAULT};
	assert_int_equal(mxt_pins_offer(&run->session, &run->problems[0].as.gemm, 9e5, &own, NULL), 0);
	settle(run, false, "no product has a solution");
}

/* TunableOp cannot tell a product from the same one that is added to its result. */
static void ambiguous_products_are_not_pinned(void **state)
{
	struct run *run = *state;
	begin(run);
	run->problems[1] = run->problems[0];
	run->problems[1].as.gemm.accumulate = true;
	offer(run, 0, 9e5, 100000, "hipBLASLt 1.2.2");
	settle(run, false, "no product has a solution");
}

static void another_library_takes_no_pins(void **state)
{
	struct run *run = *state;
	begin(run);
	offer(run, 0, 9e5, 100000, "hipBLASLt 1.2.2");
	(void)strcpy(run->choice, "rocblas");
	settle(run, false, "another library");
	assert_false(mxt_pins_ship(&run->session, NULL));
}

static void old_stacks_are_told_apart(void **state)
{
	struct run *run = *state;
	json_t *stack = run->session.inventory.stack;
	assert_int_equal(json_object_set_new(stack, "torch", json_string("2.8.0+rocm7.0")), 0);
	begin(run);
	assert_int_equal(run->session.pins.form, MXT_PIN_FORM_HIPBLASLT);
	json_decref(run->field.entries[0].facts);
	run->field.entries[0].facts = json_object();
	begin(run);
	assert_int_equal(run->session.pins.form, MXT_PIN_FORM_NONE);
	assert_int_equal(json_array_size(run->session.skipped), 1);
	offer(run, 0, 9e5, 100000, "hipBLASLt 1.2.2");
	assert_int_equal(mxt_pins_settle(&run->session, NULL), 0);
	assert_int_equal(run->told, 0);
}

static void jobs_that_must_repeat_have_no_pins(void **state)
{
	struct run *run = *state;
	run->workload.training.deterministic = true;
	begin(run);
	assert_int_equal(run->session.pins.form, MXT_PIN_FORM_NONE);
	assert_int_equal(json_array_size(run->session.skipped), 1);
}

static void pins_that_do_not_show_are_dropped(void **state)
{
	struct run *run = *state;
	struct mxt_pins *pins = &run->session.pins;
	begin(run);
	offer(run, 0, 4e5, 50000, "hipBLASLt 1.2.2");
	offer(run, 2, 1e5, 60000, "hipBLASLt 1.2.2");
	settle(run, true, "each surely saves");
	pins->offers[1].unseen = true;
	mxt_pins_drop_unseen(&run->session);
	assert_int_equal(pins->count, 1);
	assert_int_equal(pins->bound_ppm, 20000);
	assert_true(mxt_pins_ship(&run->session, NULL));
	pins->offers[0].unseen = true;
	mxt_pins_drop_unseen(&run->session);
	assert_true(pins->dropped);
	assert_false(mxt_pins_ship(&run->session, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(what_surely_saves_is_pinned, setup, teardown),
	    cmocka_unit_test_setup_teardown(little_in_all_is_not_pinned, setup, teardown),
	    cmocka_unit_test_setup_teardown(other_libraries_and_unknown_gains_are_not_pinned, setup, teardown),
	    cmocka_unit_test_setup_teardown(ambiguous_products_are_not_pinned, setup, teardown),
	    cmocka_unit_test_setup_teardown(another_library_takes_no_pins, setup, teardown),
	    cmocka_unit_test_setup_teardown(old_stacks_are_told_apart, setup, teardown),
	    cmocka_unit_test_setup_teardown(jobs_that_must_repeat_have_no_pins, setup, teardown),
	    cmocka_unit_test_setup_teardown(pins_that_do_not_show_are_dropped, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
