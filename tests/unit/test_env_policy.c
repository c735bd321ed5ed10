/* SPDX-License-Identifier: Apache-2.0 */
#include "env_policy_run.h"
#include "env_record.h"
#include "hash.h"

/* ---- who gets what ---- */

static void plan_comes_first(void **state)
{
	(void)state;
	CLEANUP_RUN struct run run = RUN_INIT;
	MXT_CLEANUP_PLAN struct mxt_plan *plan =
	    make_plan("{\"TORCH_BLAS_PREFER_HIPBLASLT\":\"1\",\"DISABLE_ADDMM_CUDA_LT\":\"1\"}",
		      "[\"OMP_NUM_THREADS\",\"BLIS_NUM_THREADS\"]");
	MXT_CLEANUP_JSON json_t *launch = json_pack("{s:s, s:s}", "MASTER_ADDR", "node0", "OMP_NUM_THREADS", "1");
	run.request.plan = plan;
	run.request.launch = launch;
	run_policy(&run, ENV("HOME=/root", "TORCH_BLAS_PREFER_HIPBLASLT=0", "DISABLE_ADDMM_CUDA_LT=1",
			     "OMP_NUM_THREADS=3", "MASTER_ADDR=elsewhere", "HOME=/second", "odd"));
	want_value(&run, "HOME", "/root");
	want_value(&run, "TORCH_BLAS_PREFER_HIPBLASLT", "1");
	want_value(&run, "OMP_NUM_THREADS", "");
	want_value(&run, "MASTER_ADDR", "node0");
	want_change(&run, "TORCH_BLAS_PREFER_HIPBLASLT", "0", "1", "plan");
	want_change(&run, "DISABLE_ADDMM_CUDA_LT", "1", "1", "plan");
	want_change(&run, "OMP_NUM_THREADS", "3", "", "plan");
	want_change(&run, "MASTER_ADDR", "", "node0", "launch");
	assert_null(json_object_get(run.outcome.changes, "BLIS_NUM_THREADS")); /* was not set */
	size_t count = 0;
	while (run.outcome.environment[count])
		count++;
	assert_int_equal(count, 5); /* the second HOME is seen by nobody */

	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_env_changes_text(run.outcome.changes, &text);
	assert_string_equal(mxt_buf_text(&text), "= DISABLE_ADDMM_CUDA_LT=1  (plan)\n"
						 "+ TORCH_BLAS_PREFER_HIPBLASLT=1  (plan, was 0)\n"
						 "- OMP_NUM_THREADS  (plan, was 3)\n"
						 "+ MASTER_ADDR=node0  (launch)\n");
}

/* ---- what tunes while the job runs ---- */

static const struct {
	const char *item;
	bool refused;
} tuning_cases[] = {
    {"PYTORCH_TUNABLEOP_ENABLED=1", true},
    {"PYTORCH_TUNABLEOP_ENABLED=0", false},
    {"PYTORCH_TUNABLEOP_TUNING=1", false}, /* of a TunableOp that is off */
    {"HIPBLASLT_TUNING_MODE=tune", true},
    {"HIPBLASLT_TUNING_MODE=off", false},
    {"MIOPEN_FIND_MODE=1", true},
    {"MIOPEN_FIND_MODE=normal", true},
    {"MIOPEN_FIND_MODE=fast", false},
    {"MIOPEN_FIND_MODE=2", false},
    {"MIOPEN_FIND_ENFORCE=SEARCH_DB_UPDATE", true},
    {"MIOPEN_FIND_ENFORCE=none", false},
    {"AITER_ONLINE_TUNE=1", true},
    {"AITER_TUNE_GEMM=1", true},
    {"AITER_REBUILD=1", true},
    {"AITER_REBUILD=0", false},
    {"FLASH_ATTENTION_TRITON_AMD_AUTOTUNE=TRUE", true},
    {"FLASH_ATTENTION_TRITON_AMD_AUTOTUNE=0", false},
    {"CCE_AUTOTUNE=1", true},
    {"CCE_AUTOTUNE=", true}, /* everything but 0 */
    {"TRITON_CACHE_AUTOTUNING=1", true},
    {"TRITON_CACHE_AUTOTUNING=0", false},
    {"TORCHINDUCTOR_MAX_AUTOTUNE=1", true},
    {"TORCHINDUCTOR_MAX_AUTOTUNE=true", false}, /* torch compares with "1" */
    {"TORCHINDUCTOR_SHAPE_PADDING=1", true},
    {"TORCHINDUCTOR_MULTI_KERNEL=2", true},
    {"TORCHINDUCTOR_MAX_AUTOTUNE_POINTWISE=1", true},
    {"TORCHINDUCTOR_MAX_AUTOTUNE_GEMM=1", true},
    {"TORCHINDUCTOR_DISTRIBUTED_MAX_AUTOTUNE_GEMM=1", true},
    {"TORCHINDUCTOR_PIPELINE_GEMM_AUTOTUNING=1", true},
    {"TORCHINDUCTOR_COORDINATE_DESCENT_TUNING=1", true},
    {"TORCHINDUCTOR_SEARCH_AUTOTUNE_CACHE=1", true},
    {"TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE=1", true},
    {"TORCHINDUCTOR_BENCHMARK_FUSION=1", true},
    {"TORCHINDUCTOR_BENCHMARK_EPILOGUE_FUSION=1", true},
    {"TORCHINDUCTOR_BENCHMARK_KERNEL=1", true},
    {"TORCHINDUCTOR_MIX_ORDER_REDUCTION_AUTOTUNE_SPLIT_SIZE=1", true},
    {"CUTEDSL_ENABLE_AUTOTUNING=1", true},
};

static void tuning_is_refused(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(NO_PLAN_ENV, NO_PLAN_UNSET);
	for (size_t i = 0; i < MXT_ARRAY_LEN(tuning_cases); i++) {
		CLEANUP_RUN struct run run = RUN_INIT;
		char item[80];
		strcpy(item, tuning_cases[i].item);
		run.request.plan = plan;
		run_policy(&run, ENV(item));
		bool refused = mxt_remarks_verdict(&run.remarks, NULL) < 0;
		if (refused != tuning_cases[i].refused)
			fail_msg("%s is %s", item, refused ? "refused" : "not refused");
		if (!refused)
			continue;
		item[strcspn(item, "=")] = '\0';
		assert_int_equal(find_remark(&run, item)->id, MXT_E_LAUNCH_JIT);
	}
}

static void tuning_is_let_through(void **state)
{
	(void)state;
	CLEANUP_RUN struct run run = RUN_INIT;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(NO_PLAN_ENV, NO_PLAN_UNSET);
	run.request.plan = plan;
	run.remarks.allowed = MXT_ALLOW_JIT;
	run_policy(&run, ENV("CCE_AUTOTUNE=1"));
	want_remark(&run, MXT_REMARK_ALLOWED, "CCE_AUTOTUNE=1");
	want_value(&run, "CCE_AUTOTUNE", "1");
}

static void plan_stills_tuning(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *removes =
	    make_plan("{\"HIPBLASLT_TUNING_MODE\":\"off\"}", "[\"PYTORCH_TUNABLEOP_ENABLED\"]");
	MXT_CLEANUP_PLAN struct mxt_plan *half = make_plan(NO_PLAN_ENV, "[\"PYTORCH_TUNABLEOP_TUNING\"]");
	CLEANUP_RUN struct run run = RUN_INIT, other = RUN_INIT;
	run.request.plan = removes;
	run_policy(&run, ENV("PYTORCH_TUNABLEOP_ENABLED=1", "HIPBLASLT_TUNING_MODE=tune"));
	assert_int_equal(mxt_remarks_verdict(&run.remarks, NULL), 0);
	want_remark(&run, MXT_REMARK_NOTE, "the plan removes PYTORCH_TUNABLEOP_ENABLED");
	want_remark(&run, MXT_REMARK_NOTE, "the plan sets HIPBLASLT_TUNING_MODE=off");
	/* What is left tunes because of what the plan takes away. */
	other.request.plan = half;
	run_policy(&other, ENV("PYTORCH_TUNABLEOP_ENABLED=1", "PYTORCH_TUNABLEOP_TUNING=0"));
	want_remark(&other, MXT_REMARK_REFUSED, "set PYTORCH_TUNABLEOP_TUNING=0, or unset it");
}

static void compilers_are_stilled(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(NO_PLAN_ENV, NO_PLAN_UNSET);
	CLEANUP_RUN struct run plain = RUN_INIT, compiled = RUN_INIT;
	plain.request.plan = compiled.request.plan = plan;
	run_policy(&plain, ENV("A=b"));
	want_value(&plain, "TORCHINDUCTOR_SHAPE_PADDING", "");
	compiled.request.compiles = true;
	run_policy(&compiled, ENV("TORCHINDUCTOR_BENCHMARK_EPILOGUE_FUSION=1"));
	want_value(&compiled, "TORCHINDUCTOR_SHAPE_PADDING", "0");
	want_change(&compiled, "TORCHINDUCTOR_SHAPE_PADDING", "", "0", "policy");
	want_remark(&compiled, MXT_REMARK_REFUSED, "TORCHINDUCTOR_BENCHMARK_EPILOGUE_FUSION=1");
}

/* ---- secrets ---- */

static void values_stay_secret(void **state)
{
	(void)state;
	CLEANUP_RUN struct run run = RUN_INIT;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(NO_PLAN_ENV, "[\"CCE_AUTOTUNE\"]");
	MXT_CLEANUP_JSON json_t *launch = json_pack("{s:s}", "PYTHONPATH", "/hook");
	char hex[MXT_HASH_HEX_SIZE];
	run.request.plan = plan;
	run.request.launch = launch;
	run_policy(&run, ENV("HF_TOKEN=hf_S3cretS3cretS3cret", "caf\xc3\xa9\x01=S3cret", "PYTHONPATH=/S3cret",
			     "CCE_AUTOTUNE=S3cret!S3cret"));
	MXT_CLEANUP_JSON json_t *record = NULL, *remarks = mxt_remarks_json(&run.remarks);
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	assert_int_equal(mxt_env_record(&run.outcome, &record, NULL), 0);
	assert_int_equal(mxt_json_canonical(record, &text, NULL), 0);
	mxt_env_changes_text(run.outcome.changes, &text);
	assert_int_equal(mxt_json_canonical(remarks, &text, NULL), 0);
	assert_null(strstr(mxt_buf_text(&text), "S3cret"));
	mxt_hash_hex("hf_S3cretS3cretS3cret", 21, hex);
	assert_string_equal(mxt_json_text(json_object_get(record, "kept"), "HF_TOKEN"), hex);
	assert_non_null(json_object_get(json_object_get(record, "kept"), "caf???"));
	assert_null(json_object_get(json_object_get(record, "kept"), "PYTHONPATH"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plan_comes_first),      cmocka_unit_test(tuning_is_refused),
	    cmocka_unit_test(tuning_is_let_through), cmocka_unit_test(plan_stills_tuning),
	    cmocka_unit_test(compilers_are_stilled), cmocka_unit_test(values_stay_secret),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
