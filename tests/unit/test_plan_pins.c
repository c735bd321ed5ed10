/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of pins in a plan, and the files that carry them: who gets which, copies, and changes that are noticed. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "pin_form.h"
#include "plan.h"
#include "plan_example.h"
#include "plan_handoff.h"
#include "scratch.h"

#define PROBLEM(m) "{\"problem\":{\"op\":\"gemm\",\"m\":" #m ",\"n\":2,\"k\":3,\"dtype\":\"bfloat16\"},\"solution\":7}"
#define BUILT                                                                                                          \
	"{\"arch\":\"gfx942:sramecc+:xnack-\",\"hip\":\"702\",\"hipblaslt\":\"100202-dabb6df2b9\",\"rocblas\":"        \
	"\"5.2.0.dabb6df2b9\"}"
#define TUNABLEOP                                                                                                      \
	"{\"PYTORCH_TUNABLEOP_ENABLED\":\"1\",\"PYTORCH_TUNABLEOP_FILENAME\":\"@file:tunableop.csv@\","                \
	"\"PYTORCH_TUNABLEOP_TUNING\":\"0\"}"
#define OVERRIDE "{\"HIPBLASLT_TUNING_OVERRIDE_FILE\":\"@file:hipblaslt.txt@\"}"

/* Changes to a decision, in order; ended by a row without a path. */
struct change {
	const char *path, *value;
};

static const struct change pinned[] = {
    {"platform.arch", "\"gfx942\""},
    {"stack.torch", "\"2.9.1+rocm7.2\""},
    {"gemm.library", "\"hipblaslt\""},
    {"gemm.mode", "\"pinned\""},
    {"gemm.pins", "[" PROBLEM(1) "]"},
    {"gemm.built", BUILT},
    {"env", TUNABLEOP},
    {NULL, NULL},
};

static json_t *decide(const struct change *more)
{
	json_t *decision = plan_example(plan_example_decision);
	for (const struct change *change = pinned; change->path; change++)
		assert_int_equal(plan_example_set(decision, change->path, change->value), 0);
	for (const struct change *change = more; change && change->path; change++)
		assert_int_equal(plan_example_set(decision, change->path, change->value), 0);
	return decision;
}

static int seal(const struct change *more, struct mxt_plan **ret_plan, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *decision = decide(more);
	MXT_CLEANUP_JSON json_t *evidence = plan_example(plan_example_evidence);
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_plan_seal(decision, evidence, &document, err);
	if (rc < 0)
		return rc;
	assert_int_equal(mxt_json_canonical(document, &buf, NULL), 0);
	return mxt_plan_parse("p", buf.data, buf.len, ret_plan, err);
}

static void good_pins_are_taken(void **state)
{
	(void)state;
	static const struct change cases[][4] = {
	    {{NULL, NULL}},
	    {{"gemm.pins", "[" PROBLEM(1) "," PROBLEM(2) "]"}, {NULL, NULL}},
	    {{"stack.torch", "\"2.8.0+rocm6.4\""}, {"env", OVERRIDE}, {NULL, NULL}},
	    {{"gemm.library", "\"rocblas\""}, {NULL, NULL}},
	    {{"stack.hip", "\"7.2.53211-abc\""}, {NULL, NULL}},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_PLAN struct mxt_plan *plan = NULL;
		assert_int_equal(seal(cases[i], &plan, NULL), 0);
		assert_true(mxt_plan_has_handoffs(plan));
	}
}

static void bad_pins_are_refused(void **state)
{
	(void)state;
	static const struct {
		struct change changes[5];
		const char *words;
	} cases[] = {
	    {{{"gemm.pins", "[" PROBLEM(2) "," PROBLEM(1) "]"}}, "gemm.pins[1]: pins are sorted"},
	    {{{"gemm.pins", "[" PROBLEM(1) "," PROBLEM(1) "]"}}, "gemm.pins[1]: pins are sorted"},
	    {{{"gemm.built", NULL}}, "gemm.built: it is there if, and only if"},
	    {{{"gemm.pins", NULL}}, "gemm.pins: there are pins if, and only if"},
	    {{{"gemm.mode", "\"heuristic\""}}, "gemm.pins: there are pins if, and only if"},
	    {{{"gemm.mode", "\"heuristic\""}, {"gemm.pins", NULL}, {"gemm.built", NULL}}, "env: a file with pins"},
	    {{{"env", NULL}}, "env: the variables"},
	    {{{"env", OVERRIDE}}, "env: the variables"},
	    {{{"env.HIPBLASLT_TUNING_OVERRIDE_FILE", "\"@file:hipblaslt.txt@\""}}, "env: the variables"},
	    {{{"env.PYTORCH_TUNABLEOP_ENABLED", NULL}}, "env: the variables"},
	    {{{"env.PYTORCH_TUNABLEOP_TUNING", NULL}}, "env: TunableOp is on, and tunes"},
	    {{{"gemm.library", "\"cublaslt\""}}, "gemm.pins: nothing in this stack reads pins"},
	    {{{"env.PYTORCH_TUNABLEOP_HIPBLASLT_ENABLED", "\"0\""}}, "env: the variables"},
	    {{{"gemm.built.arch", "\"gfx90a:sramecc+:xnack-\""}}, "gemm.built.arch: it is of another architecture"},
	    {{{"gemm.built.arch", "\"gfx94\""}}, "gemm.built.arch: it is of another architecture"},
	    {{{"stack.hip", "\"6.4.43484-123eb5128\""}}, "gemm.built.hip: it is of another HIP than stack.hip"},
	    {{{"gemm.built.rocblas", "\"5.2.0,Gemm_Rocblas_1\""}}, "env: the variables"},
	    {{{"gemm.built.hip", "\"7 02\""}}, "env: the variables"},
	    {{{"stack.torch", "\"2.8.0\""}, {"env", OVERRIDE}, {"gemm.built.hipblaslt", "\"100202-\""}},
	     "nothing in this stack reads pins"},
	    {{{"stack.torch", "\"2.8.0\""}, {"env", OVERRIDE}, {"gemm.built.hipblaslt", "\"100202-ab,1\""}},
	     "nothing in this stack reads pins"},
	    {{{"gemm.pins", "[{\"problem\":{\"op\":\"gemm\",\"m\":1,\"n\":2,\"k\":3,\"dtype\":\"bfloat16\"},"
			    "\"solution\":-7}]"}},
	     "gemm.pins[0]: what reads the pins cannot be told"},
	    {{{"stack.torch", "\"2.8.0\""}, {"gemm.library", "\"rocblas\""}}, "nothing in this stack reads pins"},
	    {{{"stack.torch", "\"2.8.0\""}, {"gemm.built.hipblaslt", "\"1000-abc\""}}, "nothing in this stack"},
	    {{{"gemm.pins", "[{\"problem\":{\"op\":\"gemm\",\"m\":1,\"n\":2,\"k\":3,\"dtype\":\"bfloat16\","
			    "\"ldc\":2},\"solution\":7}]"}},
	     "gemm.pins[0]: no such product"},
	    {{{"gemm.pins", "[{\"problem\":{\"op\":\"gemm\",\"m\":1,\"n\":2,\"k\":3,\"dtype\":\"bfloat16\","
			    "\"ldc\":1},\"solution\":7}]"}},
	     "gemm.pins[0]: no such product"},
	    {{{"gemm.pins", "[{\"problem\":{\"accumulate\":true,\"dtype\":\"bfloat16\",\"k\":3,\"m\":1,\"n\":2,"
			    "\"op\":\"gemm\"},\"solution\":7}," PROBLEM(1) "]"}},
	     "gemm.pins[1]: what reads the pins cannot tell"},
	    {{{"stack.torch", "\"2.8.0\""},
	      {"env", OVERRIDE},
	      {"gemm.pins", "[{\"problem\":{\"dtype\":\"bfloat16\",\"k\":3,\"m\":1,\"n\":2,\"op\":\"gemm\"},"
			    "\"solution\":0}]"}},
	     "gemm.pins[0]: what reads the pins cannot be told"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		struct mxt_plan *plan = NULL;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		assert_true(seal(cases[i].changes, &plan, &err) < 0);
		assert_int_equal(err.id, MXT_E_PLAN_FIELD);
		if (!strstr(mxt_error_text(&err), cases[i].words))
			fail_msg("case %zu: %s", i, mxt_error_text(&err));
	}
}

/* A plan without pins may switch TunableOp off, and may not let it tune. */
static void nothing_tunes_while_the_job_runs(void **state)
{
	(void)state;
	static const struct {
		const char *env;
		bool tunes;
	} cases[] = {{"{}", false},
		     {"{\"PYTORCH_TUNABLEOP_ENABLED\":\"1\"}", true},
		     {"{\"PYTORCH_TUNABLEOP_ENABLED\":\"0\"}", false},
		     {"{\"PYTORCH_TUNABLEOP_ENABLED\":\"1\",\"PYTORCH_TUNABLEOP_TUNING\":\"1\"}", true},
		     {"{\"PYTORCH_TUNABLEOP_ENABLED\":\"1\",\"PYTORCH_TUNABLEOP_TUNING\":\"0\"}", false}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_JSON json_t *env = json_loads(cases[i].env, 0, NULL);
		assert_int_equal(mxt_pin_env_tunes(env), cases[i].tunes);
	}
}

/* What a form exports is what it is known by. */
static void forms_know_their_variables(void **state)
{
	(void)state;
	for (int i = MXT_PIN_FORM_NONE; i < MXT_PIN_FORM_COUNT; i++) {
		MXT_CLEANUP_JSON json_t *env =
		    json_pack("{s:s, s:s}", "PYTORCH_TUNABLEOP_ROCBLAS_ENABLED", "0", "OMP_NUM_THREADS", "2");
		assert_int_equal(mxt_pin_form_export((enum mxt_pin_form)i, env), 0);
		assert_non_null(json_object_get(env, "OMP_NUM_THREADS"));
		assert_int_equal(json_object_get(env, "PYTORCH_TUNABLEOP_ROCBLAS_ENABLED") != NULL,
				 i == MXT_PIN_FORM_NONE);
		assert_int_equal(mxt_pin_form_of_env(env), i);
		assert_false(mxt_pin_env_tunes(env));
	}
}

static void expect_read_only(const char *folder, const char *name)
{
	char *path = mxt_scratch_path(folder, name);
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0444);
	free(path);
}

static void every_device_has_its_copy(void **state)
{
	static const struct change eight[] = {
	    {"workload.training.gpus", "8"}, {"workload.training.strategy", "\"ddp\""}, {NULL, NULL}};
	MXT_CLEANUP_PLAN struct mxt_plan *plan = NULL;
	assert_int_equal(seal(eight, &plan, NULL), 0);
	for (int run = 0; run < 2; run++) { /* the second one finds read-only files */
		assert_int_equal(mxt_plan_write_handoffs(plan, *state, NULL), 0);
		assert_int_equal(mxt_scratch_count(*state), 8);
	}
	expect_read_only(*state, "tunableop0.csv");
	expect_read_only(*state, "tunableop7.csv");
	assert_int_equal(mxt_plan_verify_handoffs(plan, *state, NULL), 0);
	assert_int_equal(mxt_handoffs_write(mxt_plan_decision(plan), 9, *state, NULL), 0);
	assert_int_equal(mxt_scratch_count(*state), 9);
}

static void expect_changed(const struct mxt_plan *plan, const char *folder, const char *name)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_plan_verify_handoffs(plan, folder, &err) < 0);
	assert_int_equal(err.id, MXT_E_HANDOFF_CHANGED);
	assert_non_null(strstr(mxt_error_text(&err), name));
	assert_int_equal(mxt_plan_write_handoffs(plan, folder, NULL), 0);
	assert_int_equal(mxt_plan_verify_handoffs(plan, folder, NULL), 0);
}

/* Puts `text` in the place of a read-only file. */
static void overwrite(const char *folder, const char *name, const char *text)
{
	char *path = mxt_scratch_path(folder, name);
	assert_int_equal(remove(path), 0);
	free(path);
	if (text)
		free(mxt_scratch_write(folder, name, text));
}

static void changes_are_noticed(void **state)
{
	static const struct change two[] = {
	    {"workload.training.gpus", "2"}, {"workload.training.strategy", "\"ddp\""}, {NULL, NULL}};
	MXT_CLEANUP_PLAN struct mxt_plan *plan = NULL;
	assert_int_equal(seal(two, &plan, NULL), 0);
	expect_changed(plan, *state, "tunableop0.csv"); /* nothing was written yet */
	overwrite(*state, "tunableop1.csv", "Validator,PT_VERSION,2.9.1\n");
	expect_changed(plan, *state, "tunableop1.csv");
	overwrite(*state, "tunableop0.csv", NULL);
	expect_changed(plan, *state, "tunableop0.csv");
	MXT_CLEANUP_BUF struct mxt_buf longer = MXT_BUF_INIT;
	for (int i = 0; i < 1000; i++)
		mxt_buf_puts(&longer, "one more line\n");
	overwrite(*state, "tunableop1.csv", mxt_buf_text(&longer));
	expect_changed(plan, *state, "tunableop1.csv");
}

static void hashes_are_those_of_the_files(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *decision = decide(NULL);
	MXT_CLEANUP_JSON json_t *hashes = NULL;
	assert_int_equal(mxt_handoffs_hashes(decision, &hashes, NULL), 0);
	assert_int_equal(json_object_size(hashes), 1);
	assert_int_equal(json_string_length(json_object_get(hashes, "tunableop.csv")), 64);
}

/* torch replaces %d wherever it is in the path. */
static void folders_must_hold_no_placeholder(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(seal(NULL, &plan, NULL), 0);
	assert_true(mxt_plan_write_handoffs(plan, "/nonexistent/%d", &err) < 0);
	assert_int_equal(err.id, MXT_E_PLAN_HANDOFF);
}

static void environments_have_paths(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *env = json_loads(OVERRIDE, 0, NULL);
	MXT_CLEANUP_JSON json_t *resolved = mxt_handoffs_env(env, "/run");
	assert_string_equal(mxt_json_text(resolved, "HIPBLASLT_TUNING_OVERRIDE_FILE"), "/run/hipblaslt.txt");
	MXT_CLEANUP_JSON json_t *nothing = mxt_handoffs_env(NULL, "/run");
	assert_int_equal(json_object_size(nothing), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(good_pins_are_taken),
	    cmocka_unit_test(bad_pins_are_refused),
	    cmocka_unit_test(nothing_tunes_while_the_job_runs),
	    cmocka_unit_test(forms_know_their_variables),
	    cmocka_unit_test_setup_teardown(every_device_has_its_copy, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(changes_are_noticed, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test(hashes_are_those_of_the_files),
	    cmocka_unit_test(folders_must_hold_no_placeholder),
	    cmocka_unit_test(environments_have_paths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
