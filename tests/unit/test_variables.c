/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "variables.h"

static void table_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < mxt_variable_count(); i++) {
		const struct mxt_variable *row = mxt_variable_at(i);
		bool denied = !mxt_variable_concerns_kernels(row);  /* no plan may ever have it */
		bool removed = row->class == MXT_VARIABLE_SELECTOR; /* perhaps all that a plan may do with it */
		if (row->reader[0] == '\0' || row->why[0] == '\0' ||
		    (denied != (row->rule.kind == MXT_VALUE_NONE) && !removed))
			fail_msg("%s: a column is empty or does not fit its class", row->name);
		size_t name_len = strspn(row->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		if (!denied && row->name[name_len] != '\0')
			fail_msg("%s: names that a plan may set are safe in every shell", row->name);
		if (row->class != MXT_VARIABLE_DENY && !strchr(row->name, '*') && mxt_variable_find(row->name) != row)
			fail_msg("%s is hidden by a deny row", row->name);
		for (size_t j = 0; j < i; j++)
			if (strcasecmp(row->name, mxt_variable_at(j)->name) == 0)
				fail_msg("%s is listed twice", row->name);
	}
}

static void finds_names(void **state)
{
	(void)state;
	static const char *const denied[] = {"LD_PRELOAD",
					     "LD_",
					     "PATH",
					     "PYTHONPATH",
					     "PYTHONHASHSEED",
					     "NCCL_TUNER_PLUGIN",
					     "NCCL_NET_PLUGIN",
					     "NCCL_CONF_FILE",
					     "CUDA_INJECTION64_PATH",
					     "ROCP_TOOL_LIBRARIES",
					     "HSA_TOOLS_LIB",
					     "ROCBLAS_TENSILE_LIBPATH",
					     "HIPBLASLT_TENSILE_LIBPATH",
					     "CUDA_VISIBLE_DEVICES",
					     "RANK",
					     "WORLD_SIZE",
					     "LOCAL_RANK",
					     "LOCAL_WORLD_SIZE",
					     "NODE_RANK",
					     "GROUP_RANK",
					     "MASTER_ADDR",
					     "MASTER_PORT",
					     "PET_NNODES",
					     "ACCELERATE_USE_FSDP",
					     "DEEPSPEED_ENVIRONMENT_NAME",
					     "CUBLASLT_HEURISTICS_LUT_FILE"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(denied); i++) {
		const struct mxt_variable *row = mxt_variable_find(denied[i]);
		if (!row || row->class != MXT_VARIABLE_DENY)
			fail_msg("%s is not denied", denied[i]);
	}
	static const char *const callers[] = {"AXOLOTL_NCCL_TIMEOUT",
					      "AXOLOTL_DATASET_NUM_PROC",
					      "LOG_LEVEL",
					      "NODE_WORLD_SIZE",
					      "TOKENIZERS_PARALLELISM",
					      "TRL_EXPERIMENTAL_SILENCE",
					      "TORCHELASTIC_SIGNALS_TO_HANDLE",
					      "VLLM_USE_TRITON_FLASH_ATTN",
					      "SLURM_NNODES",
					      "OPTIM_TORCH",
					      "CUBLAS_AUTOTUNING_CACHE_CAPACITY"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(callers); i++) {
		const struct mxt_variable *row = mxt_variable_find(callers[i]);
		if (!row || row->class != MXT_VARIABLE_CALLER)
			fail_msg("%s is not the caller's", callers[i]);
	}
	static const char *const unknown[] = {"", "PATHS", "XPATH", "omp_num_threads", "OMP_NUM_THREADS ", "FOO", "*"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(unknown); i++)
		if (mxt_variable_find(unknown[i]))
			fail_msg("'%s' is found", unknown[i]);
	assert_string_equal(mxt_variable_find_n("OMP_NUM_THREADS=4", 15)->name, "OMP_NUM_THREADS");
	assert_null(mxt_variable_find_n("OMP_NUM_THREADS=4", 14));
	assert_string_equal(mxt_variable_near("omp_num_threads"), "OMP_NUM_THREADS");
	assert_string_equal(mxt_variable_near("OMP_NUM_THREAD"), "OMP_NUM_THREADS");
	assert_null(mxt_variable_near("FOO"));
	assert_null(mxt_variable_near("PATHS")); /* a denied name is no advice */
	assert_null(mxt_variable_near(""));
}

static void other_names(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum mxt_variable_class class;
	} cases[] = {
	    {"NCCL_DEBUG", MXT_VARIABLE_CALLER},         {"NCCL_IB_RESILIENCY_PORT_FAILOVER", MXT_VARIABLE_CALLER},
	    {"PYTORCH_ALLOC_CONF", MXT_VARIABLE_CALLER}, {"RCCL_DEBUG", MXT_VARIABLE_DEAD},
	    {"NCCL_SYM_CTAS", MXT_VARIABLE_SELECTOR},    {"HSA_OVERRIDE_GFX_VERSION", MXT_VARIABLE_CONTRACT},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		const struct mxt_variable *row = mxt_variable_find(cases[i].name);
		assert_non_null(row);
		assert_int_equal(row->class, cases[i].class);
		assert_int_equal(mxt_variable_concerns_kernels(row), row->class < MXT_VARIABLE_DENY);
	}
	assert_string_equal(mxt_variable_near("NCCL_DEBU"), "NCCL_DEBUG");
	assert_null(mxt_variable_of_other_case("rccl_debug")); /* nobody means what nothing reads */
	assert_string_equal(mxt_variable_of_other_case("nccl_Debug"), "NCCL_DEBUG");
}

static void values_that_may_be_shown(void **state)
{
	(void)state;
	assert_true(mxt_variable_shows("OMP_NUM_THREADS", "8"));
	assert_true(mxt_variable_shows("MIOPEN_FIND_MODE", "NORMAL"));
	assert_true(mxt_variable_shows("RANK", "3"));
	assert_false(mxt_variable_shows("RANK", "1234567"));
	assert_false(mxt_variable_shows("HF_TOKEN", "x"));
	assert_false(mxt_variable_shows("NCCL_DEBUG", "x"));
	assert_false(mxt_variable_shows("MY_OWN", "x"));
	assert_false(mxt_variable_shows("OMP_NUM_THREADS", "\x1b[2J"));
	assert_false(mxt_variable_shows("NCCL_ALGO", "hf_abcdefghijklmnopqrstuvwxyz0123456789"));
}

struct value_case {
	const char *name;
	const char *good[12], *bad[20]; /* NULL-ended */
};

static const struct value_case value_cases[] = {
    {"OPENBLAS_NUM_THREADS",
     {"1", "16", "4096"},
     {"0", "-1", "4097", "01", "0x10", " 1", "1 ", "+1", "1.0", "", "99999999999999999999", "2;reboot"}},
    {"BLIS_PACK_A", {"0", "1"}, {"-0", "2", "00"}},
    {"OPENBLAS_CORETYPE", {"Haswell", "haswell", "ZEN"}, {"", "Haswell Zen", "Zen5", "../x"}},
    {"MINDXTRAIN_CPU_BLAS", {"openblas", "blis"}, {"OpenBLAS", "blis ", "mkl", "openblas blis"}},
    {"NCCL_PROTO",
     {"LL", "Simple", "LL,LL128", "^LL", "^LL,Simple", "LL,LL128,Simple"},
     {"", "^", "LL,", ",LL", "LL,LL", "LL ", "^^LL", "ll"}},
    {"OMP_PLACES",
     {"cores", "threads(4)", "sockets(1)", "{0}", "{0:4},{4:4}", "{0,1,2}", "{0:2:2}:4:1", "{0:4}:2"},
     {"", "cores()", "cores(4", "cores(04)", "core", "{}", "{0", "{0}}", "{0},", "{-1}", "{0x1}", "{0:}", "$(id)",
      "{65536}"}},
    {"GOMP_CPU_AFFINITY",
     {"0", "0-3", "0-3 8,9", "0-15:2"},
     {"", "0-", "-1", "0,", "0,,1", "0:2", "00", "a", "0-15:2:3", "0  1"}},
    {"NCCL_TUNER_CONFIG_FILE",
     {"@file:collectives.csv@"},
     {"", "@file:@", "@file:x@", "collectives.csv", "@file:collectives.csv", "/etc/passwd",
      "@file:../collectives.csv@"}},
    {"PYTORCH_TUNABLEOP_TUNING", {"0"}, {"1", ""}},
};

static void values_are_closed_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(value_cases); i++) {
		const struct value_case *c = &value_cases[i];
		const struct mxt_variable *row = mxt_variable_find(c->name);
		assert_non_null(row);
		for (const char *const *good = c->good; *good; good++)
			if (!mxt_variable_settable(row, *good))
				fail_msg("%s=%s is refused", c->name, *good);
		for (const char *const *bad = c->bad; *bad; bad++)
			if (mxt_variable_settable(row, *bad))
				fail_msg("%s=%s is allowed", c->name, *bad);
	}
	assert_false(mxt_variable_settable(mxt_variable_find("CUDA_LAUNCH_BLOCKING"), "1"));
	assert_false(mxt_variable_settable(mxt_variable_find("PATH"), "/bin"));
}

static void says_what_is_allowed(void **state)
{
	(void)state;
	for (size_t i = 0; i < mxt_variable_count(); i++) {
		MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
		mxt_value_rule_text(&mxt_variable_at(i)->rule, &buf);
		assert_true(buf.len > 0);
	}
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_value_rule_text(&mxt_variable_find("MINDXTRAIN_CPU_BLAS")->rule, &buf);
	assert_string_equal(mxt_buf_text(&buf), "one of openblas, blis");
}

static char *environment_of_all_kinds[] = {(char *)"HOME=/root",
					   (char *)"OMP_NUM_THREADS=\xff\n4",
					   (char *)"LD_PRELOAD=x.so",
					   (char *)"OPENBLAS_CORETYPE=Haswell",
					   (char *)"CUBLAS_WORKSPACE_CONFIG=:16:8",
					   (char *)"NOEQUALS",
					   (char *)"OMP_NUM_THREADSX=1",
					   (char *)"omp_places=cores",
					   NULL};

static void sorts_an_environment(void **state)
{
	(void)state;
	struct mxt_variables_found found = MXT_VARIABLES_FOUND_INIT;
	assert_int_equal(mxt_variables_bare(environment_of_all_kinds, &found, NULL), 0);
	assert_int_equal(json_object_size(found.selectors), 1);
	assert_non_null(json_object_get(found.selectors, "OMP_NUM_THREADS"));
	assert_int_equal(json_object_size(found.contracts), 2);
	assert_string_equal(json_string_value(json_object_get(found.contracts, "OPENBLAS_CORETYPE")), "Haswell");
	mxt_variables_found_finish(&found);
}

static void refuses_a_contract_that_no_plan_can_hold(void **state)
{
	(void)state;
	char *environment[] = {(char *)"CUBLAS_WORKSPACE_CONFIG=:1:1", NULL};
	struct mxt_variables_found found = MXT_VARIABLES_FOUND_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_variables_bare(environment, &found, &err) < 0);
	assert_int_equal(err.id, MXT_E_PLAN_VALUE);
	assert_non_null(strstr(mxt_error_text(&err), ":4096:8"));
	assert_null(found.contracts);
}

static void takes_any_contract_to_compare(void **state)
{
	(void)state;
	char *environment[] = {(char *)"CUBLAS_WORKSPACE_CONFIG=:1:1", (char *)"OMP_NUM_THREADS=4",
			       (char *)"OPENBLAS_CORETYPE=Haswell", (char *)"LD_PRELOAD=x.so", NULL};
	MXT_CLEANUP_JSON json_t *contract = NULL;
	assert_int_equal(mxt_variables_contract(environment, &contract, NULL), 0);
	assert_int_equal(json_object_size(contract), 2);
	assert_string_equal(json_string_value(json_object_get(contract, "CUBLAS_WORKSPACE_CONFIG")), ":1:1");
	assert_string_equal(json_string_value(json_object_get(contract, "OPENBLAS_CORETYPE")), "Haswell");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(table_is_sound),
	    cmocka_unit_test(finds_names),
	    cmocka_unit_test(other_names),
	    cmocka_unit_test(values_that_may_be_shown),
	    cmocka_unit_test(values_are_closed_forms),
	    cmocka_unit_test(says_what_is_allowed),
	    cmocka_unit_test(sorts_an_environment),
	    cmocka_unit_test(refuses_a_contract_that_no_plan_can_hold),
	    cmocka_unit_test(takes_any_contract_to_compare),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
