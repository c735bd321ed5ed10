/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out while an environment is worked out is an ordinary error, and nothing leaks. */
#include <errno.h>
#include <sys/stat.h>

#include "alloc_faults.h"
#include "env_policy_run.h"
#include "env_record.h"
#include "scratch.h"

static const char *const caller[] = {"HOME=/home",
				     "OPENBLAS_NUM_THREADS=4",
				     "openblas_num_threads=5",
				     "PET_NNODES=2",
				     "RCCL_DEBUG=INFO",
				     "NCCL_WHATEVER=1",
				     "NCCL_ALGO=Ring",
				     "TORCH_CUDNN_SDPA_ENABLED=1",
				     "CCE_AUTOTUNE=1",
				     "http_proxy=a",
				     "HTTP_PROXY=b",
				     "CUDA_VISIBLE_DEVICES=0,1",
				     NULL};

static int whole_policy(void *context)
{
	const struct mxt_env_request *request = context;
	MXT_CLEANUP_REMARKS struct mxt_remarks remarks = MXT_REMARKS_INIT;
	MXT_CLEANUP_ENV_OUTCOME struct mxt_env_outcome outcome = MXT_ENV_OUTCOME_INIT;
	MXT_CLEANUP_JSON json_t *record = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	remarks.allowed = MXT_ALLOW_JIT | MXT_ALLOW_MISMATCH;
	int rc = mxt_env_policy(request, &remarks, &outcome, &err);
	if (rc == 0)
		rc = mxt_env_record(&outcome, &record, &err);
	if (rc == 0)
		rc = mxt_remarks_verdict(&remarks, &err);
	return rc;
}

static void every_allocation(void **state)
{
	const struct mxt_sysroot root = {.prefix = *state};
	MXT_CLEANUP_PLAN struct mxt_plan *plan =
	    make_plan("{\"OPENBLAS_BLOCK_FACTOR\":\"80\"}", "[\"OPENBLAS_NUM_THREADS\"]");
	MXT_CLEANUP_JSON json_t *launch = json_pack("{s:s}", "PYTHONPATH", "/hook");
	struct mxt_env_request request = {.root = &root,
					  .caller = (char *const *)caller,
					  .plan = plan,
					  .launch = launch,
					  .torch = "2.11.0",
					  .compiles = true,
					  .launcher_reads_pet = true,
					  .writes_capitals = true,
					  .axolotl = true};
	char *home = mxt_scratch_path(*state, "home");
	assert_int_equal(mkdir(home, 0755), 0);
	free(mxt_scratch_write(home, ".deepspeed_env", "NCCL_BUFFSIZE=4096\n"));
	free(home);
	json_set_alloc_funcs(mxt_test_malloc, free);
	size_t failed = mxt_test_each_allocation(whole_policy, &request);
	json_set_alloc_funcs(malloc, free);
	assert_true(failed > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(every_allocation, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
