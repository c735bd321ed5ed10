/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run's processes leave in ranks/, and what comes of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmocka_all.h"
#include "error.h"
#include "hook_environment.h"
#include "run_plan_example.h"
#include "run_proof.h"
#include "scratch.h"

/* One process of rank 0 that called SDPA; `kinds` as they stand in the file. */
#define WITNESS_OF(rank, kinds, more)                                                                                  \
	"{\"schema\":\"mindxtrain.witness/1\",\"rank\":" rank ",\"pid\":7,\"steps\":3,\"calls\":9,\"kinds\":[" kinds   \
	"]" more "}"
#define WITNESS(kinds) WITNESS_OF("0", kinds, "")
#define KIND(backend, calls, more)                                                                                     \
	"{\"backend\":\"" backend "\",\"batch\":2,\"heads\":4,\"kv_heads\":2,\"head_dim\":16,\"queries\":16,"          \
	"\"keys\":16,\"calls\":" calls more "}"
#define TRAINS ",\"grad\":true"

static void read_proof(const char *folder, struct mxt_plan *plan, struct mxt_run_proof *ret_proof)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_run_proof_read(folder, plan, true, ret_proof, &err);
	if (rc < 0)
		print_message("%s\n", mxt_error_text(&err));
	assert_int_equal(rc, 0);
}

static const char *member(const json_t *rows, size_t i, const char *key)
{
	return mxt_json_text(json_array_get(rows, i), key);
}

/* One witness of rank 0 against a plan whose attention is `backend` (as JSON): what is said of it. */
static const struct {
	const char *backend, *witness, *saw;
	bool contradicted;
} rows[] = {
    {"\"cudnn\"", WITNESS(KIND("cudnn", "4", TRAINS)), "cudnn", false},
    {"\"cudnn\"", WITNESS(KIND("flash", "4", TRAINS)), "flash", true},
    {"\"cudnn\"", WITNESS(KIND("flash", "4", "") "," KIND("cudnn", "1", TRAINS)), "cudnn", false},
    {"\"cudnn\"", WITNESS(KIND("flash", "4", "")), "flash", true}, /* nothing trains: then what there is */
    {"\"cudnn\"", WITNESS(KIND("math", "4", TRAINS) "," KIND("cudnn", "8", TRAINS)), "cudnn", false},
    {"\"cudnn\"", WITNESS(KIND("math", "8", TRAINS) "," KIND("cudnn", "4", TRAINS)), "math", true},
    {"\"cudnn\"", WITNESS(KIND("zzz", "8", TRAINS)), "unknown", false},
    {"\"cudnn\"", WITNESS(""), "not called", true},
    {"\"cudnn\"", WITNESS_OF("0", "", ",\"compiled\":3"), "unknown", false},
    {"\"cudnn\"", WITNESS_OF("0", "", ",\"unread\":1"), "unknown", false},
    {"\"fa2\"", WITNESS(""), "not called", false},
    {"\"fa2\"", WITNESS(KIND("flash", "4", TRAINS)), "flash", true},
    {"\"fa2\"", WITNESS_OF("0", KIND("flash", "4", TRAINS), ",\"imported\":[1,\"fa2\"]"), "flash", false},
    {"\"eager\"", WITNESS(KIND("flash", "4", TRAINS)), "flash", true},
    {NULL, WITNESS(KIND("flash", "4", TRAINS)), "flash", false}, /* attention is not planned */
};

static void attention(void **state)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		MXT_CLEANUP_PLAN struct mxt_plan *plan =
		    run_plan(rows[i].backend ? "attention.backend" : "attention", rows[i].backend, NULL);
		MXT_CLEANUP_RUN_PROOF struct mxt_run_proof proof = MXT_RUN_PROOF_INIT;
		free(mxt_scratch_write(*state, "witness-7.json", rows[i].witness));
		read_proof(*state, plan, &proof);
		if (strcmp(member(proof.witnesses, 0, "saw"), rows[i].saw) != 0 ||
		    proof.contradicted != rows[i].contradicted)
			print_message("row %zu: %s\n", i, member(proof.witnesses, 0, "saw"));
		assert_int_equal(json_array_size(proof.witnesses), 1);
		assert_string_equal(member(proof.witnesses, 0, "what"), "sdpa");
		assert_string_equal(member(proof.witnesses, 0, "saw"), rows[i].saw);
		assert_int_equal(proof.contradicted, rows[i].contradicted);
	}
}

static void rows_are_sorted_by_rank(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan(NULL, NULL, NULL);
	MXT_CLEANUP_RUN_PROOF struct mxt_run_proof proof = MXT_RUN_PROOF_INIT;
	free(mxt_scratch_write(*state, "witness-1.json",
			       WITNESS_OF("3", KIND("cudnn", "1", TRAINS), ",\"notes\":[\"a\",\"b\"]")));
	free(mxt_scratch_write(*state, "witness-2.json",
			       WITNESS_OF("0", KIND("cudnn", "8", TRAINS) "," KIND("efficient", "1", TRAINS), "")));
	read_proof(*state, plan, &proof);
	assert_int_equal(json_array_size(proof.witnesses), 2);
	assert_int_equal(mxt_json_integer(json_array_get(proof.witnesses, 0), "rank"), 0);
	assert_int_equal(mxt_json_integer(json_array_get(proof.witnesses, 1), "rank"), 3);
	assert_string_equal(member(proof.witnesses, 0, "also"), "efficient");
	assert_string_equal(member(proof.witnesses, 1, "note"), "a; b");
	assert_string_equal(mxt_json_text(proof.coverage, "unknown"),
			    "no process made enough optimizer steps to be recorded");
}

static void settings(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan("workload.training.deterministic", "true", NULL);
	MXT_CLEANUP_RUN_PROOF struct mxt_run_proof proof = MXT_RUN_PROOF_INIT;
	free(mxt_scratch_write(*state, "witness-1.json",
			       WITNESS_OF("0", KIND("cudnn", "1", TRAINS),
					  ",\"settings\":{\"deterministic\":\"off\",\"cudnn_benchmark\":\"on\"}")));
	read_proof(*state, plan, &proof);
	assert_int_equal(json_array_size(proof.witnesses), 3);
	assert_string_equal(member(proof.witnesses, 1, "what"), "deterministic");
	assert_string_equal(member(proof.witnesses, 1, "saw"), "off");
	assert_string_equal(member(proof.witnesses, 1, "planned"), "on");
	assert_string_equal(member(proof.witnesses, 2, "what"), "cudnn.benchmark");
	assert_true(proof.contradicted);
}

/* Files of others: torn, of another form, too large, no files. */
static void nonsense(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan(NULL, NULL, NULL);
	MXT_CLEANUP_RUN_PROOF struct mxt_run_proof proof = MXT_RUN_PROOF_INIT;
	char *large = malloc(70001);
	assert_non_null(large);
	memset(large, ' ', 70000);
	large[70000] = '\0';
	free(mxt_scratch_write(*state, "witness-1.json", large));
	free(large);
	free(mxt_scratch_write(*state, "witness-2.json", "{\"schema\":\"mindxtrain.witn"));
	free(mxt_scratch_write(*state, "witness-3.json", "{\"schema\":\"mindxtrain.witness/2\"}"));
	free(mxt_scratch_write(*state, "witness-4.json", "[]"));
	free(mxt_scratch_write(*state, "witness-5.json", WITNESS_OF("-1", KIND("cudnn", "1", TRAINS), "")));
	free(mxt_scratch_write(*state, "witness-6.json",
			       WITNESS_OF("\"x\"", "1,[],{\"calls\":\"x\",\"batch\":-5}", ",\"imported\":7")));
	free(mxt_scratch_write(*state, "part-00000-1.json", "{}"));
	read_proof(*state, plan, &proof);
	assert_int_equal(json_array_size(proof.witnesses), 1);
	assert_string_equal(member(proof.witnesses, 0, "saw"), "not called");
	assert_non_null(strstr(mxt_json_text(proof.coverage, "unknown"), "cannot be read"));
}

static void nothing_there(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan(NULL, NULL, NULL);
	char *absent = mxt_scratch_path(*state, "absent");
	const char *folders[] = {*state, absent};
	for (size_t i = 0; i < MXT_ARRAY_LEN(folders); i++) {
		MXT_CLEANUP_RUN_PROOF struct mxt_run_proof proof = MXT_RUN_PROOF_INIT;
		read_proof(folders[i], plan, &proof);
		assert_int_equal(json_array_size(proof.witnesses), 0);
		assert_false(proof.contradicted);
		assert_non_null(strstr(mxt_json_text(proof.coverage, "unknown"), "no Python"));
	}
	free(absent);
}

/* ---- coverage ---- */

#define MATRIX(rows, columns, row, column)                                                                             \
	"{\"shape\":[" #rows "," #columns "],\"strides\":[" #row "," #column "],\"dtype\":\"bfloat16\"}"
#define HEADS(n) "{\"shape\":[2," #n ",16,16],\"strides\":[1024,16,64,1],\"dtype\":\"bfloat16\"}"
/* A step of two planned products, one attention call, and one product that is not planned, twice as large. */
static const char recording[] =
    "{\"schema\":\"mindxtrain.recording/1\",\"torch\":\"2.11.0\",\"device\":\"cuda\",\"ranks\":1,\"steps\":1,"
    "\"forward_passes\":[1],\"not_seen\":[{\"what\":\"compiled_graph\",\"count\":1}],"
    "\"order\":[[0,0],[1,0],[0,0],[2,0]],\"calls\":["
    "{\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" MATRIX(32, 64, 64, 1) ",\"b\":" MATRIX(
	64, 64, 1, 64) ",\"counts\":[2]},{\"kind\":\"attention\",\"op\":\"aten::_scaled_dot_product_cudnn_attention\","
		       "\"direction\":\"forward\",\"layout\":\"bhsd\",\"causal\":true,\"q\":" HEADS(4) ",\"k\":" HEADS(
			   2) ",\"v\":" HEADS(2) ",\"counts\":[1]},{\"kind\":\"gemm\",\"op\":\"aten::mm\","
						 "\"a\":" MATRIX(32, 64, 64, 1) ",\"b\":" MATRIX(
						     64, 128, 1, 64) ",\"counts\":[1]}]}";

static void expect_share(void *folder, struct mxt_plan *plan, const char *wanted)
{
	MXT_CLEANUP_RUN_PROOF struct mxt_run_proof proof = MXT_RUN_PROOF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	free(mxt_scratch_write(folder, "part-00000-1.json", recording));
	read_proof(folder, plan, &proof);
	assert_int_equal(json_object_del(proof.coverage, "notes"), 0); /* the recording's own words */
	assert_int_equal(mxt_json_canonical(proof.coverage, &text, NULL), 0);
	assert_string_equal(mxt_buf_text(&text), wanted);
}

#define UNPLANNED(ppm)                                                                                                 \
	"\"largest_unplanned\":[{\"calls\":1,\"ppm\":" ppm ",\"problem\":\"gemm nt 32x128x64 bfloat16\"}]"

/* 2 x 500 ns, 1,000 ns, and a product of twice as many operations: 1,000 ns at the speed of the others. */
static void share_by_times(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan(NULL, NULL, NULL);
	expect_share(*state, plan,
		     "{\"attention_ppm\":1000000,\"basis\":\"measured times\",\"gemm_ppm\":500000," UNPLANNED(
			 "333333") ",\"share_ppm\":666667}");
}

/* Without times: operations, 2 x 262,144 and 65,536 (attention) of 1,114,112; the other product has 524,288. */
static void share_by_operations(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan =
	    run_plan(NULL, NULL,
		     "{\"version\":1,\"samples\":[{\"probe\":\"gemm\",\"candidate\":\"x\",\"status\":\"ok\","
		     "\"problem\":" RUN_PLAN_PRODUCT "},{\"probe\":\"attention\",\"candidate\":\"x\",\"status\":\"ok\","
		     "\"problem\":" RUN_PLAN_FORWARD "}]}");
	expect_share(*state, plan,
		     "{\"attention_ppm\":1000000,\"basis\":\"operations\",\"gemm_ppm\":500000," UNPLANNED(
			 "470588") ",\"share_ppm\":529412}");
}

/* One product of the step is pinned, and called twice; the other is not. */
static void pins_are_hit(void **state)
{
	static const char decision[] =
	    "{\"version\":1,\"platform\":{\"vendor\":\"amd\",\"arch\":\"gfx942\",\"units\":304,\"memory_gib\":192},"
	    "\"stack\":{\"torch\":\"2.8.0+rocm7.0\"},"
	    "\"workload\":{\"model\":{\"layers\":2,\"hidden\":64,\"heads\":4,\"ffn\":128,\"vocab\":512},"
	    "\"training\":{\"seq_len\":16,\"micro_batch\":2,\"adapter\":\"lora\",\"lora_rank\":4,"
	    "\"lengths\":\"padded\"}},"
	    "\"gemm\":{\"library\":\"hipblaslt\",\"mode\":\"pinned\","
	    "\"pins\":[{\"problem\":" RUN_PLAN_PRODUCT ",\"solution\":1000}],"
	    "\"built\":{\"hipblaslt\":\"100000-f1c5e53b\",\"arch\":\"gfx942:sramecc+:xnack-\"}},"
	    "\"env\":{\"HIPBLASLT_TUNING_OVERRIDE_FILE\":\"@file:hipblaslt.txt@\"},"
	    "\"collective\":{\"config\":\"1gpu_noop\"},\"policy\":\"aot_only\"}";
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan_of(decision, NULL);
	MXT_CLEANUP_RUN_PROOF struct mxt_run_proof proof = MXT_RUN_PROOF_INIT;
	free(mxt_scratch_write(*state, "part-00000-1.json", recording));
	read_proof(*state, plan, &proof);
	const json_t *pins = json_object_get(proof.coverage, "pins");
	assert_int_equal(mxt_json_integer(pins, "hits"), 2);
	assert_int_equal(mxt_json_integer(pins, "misses"), 1);
}

/* What the recorded step went through is a witness, too. */
static void operators(void **state)
{
	static const struct {
		const char *planned;
		bool contradicted;
	} cases[] = {{"\"cudnn\"", false}, {"\"fa2\"", true}};
	free(mxt_scratch_write(*state, "part-00000-1.json", recording));
	free(mxt_scratch_write(*state, "witness-1.json", WITNESS_OF("8", "", ",\"unread\":1")));
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan("attention.backend", cases[i].planned, NULL);
		MXT_CLEANUP_RUN_PROOF struct mxt_run_proof proof = MXT_RUN_PROOF_INIT;
		read_proof(*state, plan, &proof);
		assert_int_equal(json_array_size(proof.witnesses), 2);
		assert_string_equal(member(proof.witnesses, 1, "what"), "operators");
		assert_string_equal(member(proof.witnesses, 1, "saw"), "cudnn");
		assert_int_equal(mxt_json_integer(json_array_get(proof.witnesses, 1), "rank"), 8);
		assert_int_equal(proof.contradicted, cases[i].contradicted);
	}
}

static void no_problems(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan(NULL, NULL, "{\"version\":1}");
	MXT_CLEANUP_RUN_PROOF struct mxt_run_proof proof = MXT_RUN_PROOF_INIT;
	free(mxt_scratch_write(*state, "part-00000-1.json", recording));
	read_proof(*state, plan, &proof);
	assert_non_null(strstr(mxt_json_text(proof.coverage, "unknown"), "names no problems"));
}

/* ---- before ---- */

static struct mxt_plan *plan_to_set(void)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(run_plan_decision);
	assert_int_equal(plan_example_set(decision, "attention.backend", "\"flash\""), 0);
	assert_int_equal(plan_example_set(decision, "workload.training.deterministic", "true"), 0);
	char *text = json_dumps(decision, 0);
	struct mxt_plan *plan = run_plan_of(text, NULL);
	free(text);
	return plan;
}

static void expect_member(const json_t *object, const char *key, const char *wanted)
{
	assert_string_equal(mxt_json_text(object, key), wanted);
}

static void environment(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = plan_to_set();
	MXT_CLEANUP_JSON json_t *made = NULL;
	char *package = mxt_scratch_path(*state, "mindxtrain_plan");
	char python[512], path[1200], user[] = "PYTHONPATH=/user", *caller[] = {python, user, NULL};
	(void)snprintf(python, sizeof python, "MXT_PYTHON_DIR=%s", (const char *)*state);
	assert_int_equal(mxt_hook_environment(caller, plan, "/run/ranks", true, &made, NULL), -ENOENT);
	assert_int_equal(mkdir(package, 0700), 0);
	free(mxt_scratch_write(package, "__init__.py", ""));
	free(package);
	assert_int_equal(mxt_hook_environment(caller, plan, "/run/ranks", true, &made, NULL), 0);
	(void)snprintf(path, sizeof path, "%s/hook:%s:/user", (const char *)*state, (const char *)*state);
	expect_member(made, "PYTHONPATH", path);
	expect_member(made, "MXT_LAUNCH_DIR", "/run/ranks");
	expect_member(made, "MXT_LAUNCH_STEPS", "2");
	expect_member(made, "MXT_LAUNCH_SDPA", "flash");
	expect_member(made, "MXT_LAUNCH_DETERMINISTIC", "1");
}

/* What the plan does not need is not there, and what another run set is emptied; no path is extended that is not set.
 */
static void small_environment(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan(NULL, NULL, NULL);
	MXT_CLEANUP_JSON json_t *made = NULL;
	char *package = mxt_scratch_path(*state, "mindxtrain_plan");
	char python[512], path[1200], outer[] = "MXT_LAUNCH_SDPA=math", *caller[] = {python, outer, NULL};
	(void)snprintf(python, sizeof python, "MXT_PYTHON_DIR=%s", (const char *)*state);
	assert_int_equal(mkdir(package, 0700), 0);
	free(mxt_scratch_write(package, "__init__.py", ""));
	free(package);
	assert_int_equal(mxt_hook_environment(caller, plan, "/run/ranks", false, &made, NULL), 0);
	(void)snprintf(path, sizeof path, "%s/hook:%s", (const char *)*state, (const char *)*state);
	assert_int_equal(json_object_size(made), 3);
	assert_non_null(json_object_get(made, "MXT_LAUNCH_SDPA"));
	expect_member(made, "MXT_LAUNCH_SDPA", "");
	expect_member(made, "PYTHONPATH", path);
	expect_member(made, "MXT_LAUNCH_DIR", "/run/ranks");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(attention, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(rows_are_sorted_by_rank, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(settings, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(nonsense, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(nothing_there, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(share_by_times, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(share_by_operations, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(pins_are_hit, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(operators, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(no_problems, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(environment, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(small_environment, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
