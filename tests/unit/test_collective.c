/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "cmocka_all.h"
#include "collective.h"
#include "error.h"
#include "json.h"

#define MI300X    "{\"arch\":\"gfx942\",\"units\":304}"
#define ROCM_72   "{\"hip\":\"7.2.53211\"}"
#define ANNOUNCED "{\"GPU_MAX_HW_QUEUES\":\"1\",\"NCCL_MIN_NCHANNELS\":\"112\"}"

/* Entries of an environment. */
static char channels112[] = "NCCL_MIN_NCHANNELS=112";
static char channels32[] = "NCCL_MIN_NCHANNELS=32";
static char home[] = "HOME=/root";
static char queues1[] = "GPU_MAX_HW_QUEUES=1";
static char queues2[] = "GPU_MAX_HW_QUEUES=2";
static char priority[] = "TORCH_NCCL_HIGH_PRIORITY=1";
static char many[] = "NCCL_MIN_NCHANNELS=many";

/* One job, and what is said of its collectives. */
struct job {
	int32_t gpus, nodes;
	const char *link, *platform, *stack;
	char *environment[4]; /* NULL-ended */
	bool no_documented;
	const char *config, *incumbent, *winner, *source, *env, *rule;
	size_t unmeasured;
};

static const struct job jobs[] = {
    {1, 1, "xgmi", MI300X, ROCM_72, {channels112}, false, "1gpu_noop", "bare", "bare", "unresolved", "{}", NULL, 0},
    {2,
     1,
     "nvlink",
     "{\"arch\":\"sm_90\",\"units\":132}",
     "{\"cuda\":\"13.0\"}",
     {channels32},
     false,
     "nvlink",
     "bare",
     "bare",
     "documented",
     "{}",
     "collectives are not measured: the library chooses",
     0},
    {8,
     1,
     "pcie",
     MI300X,
     ROCM_72,
     {NULL},
     false,
     "pcie",
     "bare",
     "bare",
     "documented",
     "{}",
     "the library chooses",
     0},
    {8,
     1,
     "xgmi",
     MI300X,
     ROCM_72,
     {home},
     false,
     "8gpu_xgmi",
     "bare",
     "announced",
     "documented",
     ANNOUNCED,
     "not measured: the announced rule GPU_MAX_HW_QUEUES=1",
     3},
    {8,
     1,
     "xgmi",
     MI300X,
     ROCM_72,
     {NULL},
     true,
     "8gpu_xgmi",
     "bare",
     "bare",
     "unresolved",
     "{}",
     "--no-documented leaves out the announced rule",
     3},
    {8,
     1,
     "xgmi",
     MI300X,
     "{\"hip\":\"6.1.2\"}",
     {NULL},
     false,
     "8gpu_xgmi",
     "bare",
     "bare",
     "unresolved",
     "{}",
     "not for this machine (this torch is built with ROCm 6.1.2; it is for ROCm 6.2 to 7.2)",
     3},
    {8,
     1,
     "xgmi",
     "{\"arch\":\"gfx942\",\"units\":80}",
     ROCM_72,
     {NULL},
     false,
     "8gpu_xgmi",
     "bare",
     "bare",
     "unresolved",
     "{}",
     "gfx942 with 80 compute units",
     3},
    {8,
     1,
     "xgmi",
     MI300X,
     ROCM_72,
     {queues1, channels112},
     false,
     "8gpu_xgmi",
     "yours",
     "announced",
     "documented",
     ANNOUNCED,
     "today's job has GPU_MAX_HW_QUEUES=1 NCCL_MIN_NCHANNELS=112, and the plan does not change that; it is the "
     "announced rule",
     3},
    {8,
     1,
     "xgmi",
     MI300X,
     ROCM_72,
     {queues1, channels112},
     true,
     "8gpu_xgmi",
     "yours",
     "yours",
     "forced",
     ANNOUNCED,
     "and the plan does not change that",
     3},
    {8,
     1,
     "xgmi",
     MI300X,
     ROCM_72,
     {priority, queues2},
     false,
     "8gpu_xgmi",
     "yours",
     "yours",
     "forced",
     "{\"GPU_MAX_HW_QUEUES\":\"2\",\"TORCH_NCCL_HIGH_PRIORITY\":\"1\"}",
     "today's job has GPU_MAX_HW_QUEUES=2 TORCH_NCCL_HIGH_PRIORITY=1, and the plan does not change that; there is the "
     "announced rule",
     3},
    /* on several nodes: nothing is planned, whatever a node has */
    {1,
     2,
     NULL,
     MI300X,
     ROCM_72,
     {NULL},
     false,
     NULL,
     "bare",
     "bare",
     "unresolved",
     "{}",
     "collectives of 2 nodes are neither measured nor planned: the library chooses, as without a plan",
     0},
    {2,
     4,
     "nvlink",
     "{\"arch\":\"sm_90\",\"units\":132}",
     "{\"cuda\":\"13.0\"}",
     {channels32},
     false,
     NULL,
     "bare",
     "bare",
     "unresolved",
     "{}",
     "collectives of 4 nodes",
     0},
    {8,
     2,
     "xgmi",
     MI300X,
     ROCM_72,
     {queues1, channels112},
     false,
     NULL,
     "bare",
     "bare",
     "unresolved",
     "{}",
     "the announced rule is for one node, since RCCL takes 64 channels at most on several",
     0},
};

static int decide(const struct job *job, struct mxt_collective_answer *ret_answer, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *platform = json_loads(job->platform, 0, NULL);
	MXT_CLEANUP_JSON json_t *stack = json_loads(job->stack, 0, NULL);
	const struct mxt_collective_question question = {.gpus = job->gpus,
							 .nodes = job->nodes,
							 .link = job->link,
							 .platform = platform,
							 .stack = stack,
							 .environment = job->environment,
							 .no_documented = job->no_documented};
	return mxt_collective_decide(&question, ret_answer, err);
}

static void check_row(const struct job *job, const struct mxt_collective_answer *answer)
{
	MXT_CLEANUP_JSON json_t *row = mxt_collective_answer_json(answer);
	assert_non_null(strstr(answer->rule, job->rule));
	assert_string_equal(mxt_json_text(row, "winner"), job->winner);
	assert_string_equal(mxt_json_text(row, "source"), job->source);
	assert_int_equal(json_array_size(json_object_get(row, "not_measured")), job->unmeasured);
	assert_int_equal(json_object_get(row, "not_measured") != NULL, job->unmeasured > 0);
}

/* NULL: the plan says nothing of collectives. */
static void check_config(const struct job *job, const struct mxt_collective_answer *answer)
{
	assert_int_equal(answer->config != NULL, job->config != NULL);
	if (job->config)
		assert_string_equal(answer->config, job->config);
	assert_int_equal(answer->planned, job->config && strcmp(job->config, "8gpu_xgmi") == 0);
}

static void answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(jobs); i++) {
		MXT_CLEANUP(mxt_collective_answer_finish)
		struct mxt_collective_answer answer = MXT_COLLECTIVE_ANSWER_INIT;
		MXT_CLEANUP_JSON json_t *env = json_loads(jobs[i].env, 0, NULL);
		assert_int_equal(decide(&jobs[i], &answer, NULL), 0);
		check_config(&jobs[i], &answer);
		assert_string_equal(answer.incumbent, jobs[i].incumbent);
		assert_string_equal(answer.winner, jobs[i].winner);
		assert_string_equal(answer.source, jobs[i].source);
		assert_true(json_equal(answer.env, env));
		if (jobs[i].rule)
			check_row(&jobs[i], &answer);
		else
			assert_null(answer.rule);
	}
}

static void refuses_what_no_plan_could_keep(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_collective_answer answer = MXT_COLLECTIVE_ANSWER_INIT;
	struct job job = {8, 1, "xgmi", MI300X, ROCM_72, {many}, .no_documented = false};
	assert_int_equal(decide(&job, &answer, &err), -EINVAL);
	assert_int_equal(err.id, MXT_E_PLAN_VALUE);
	assert_null(answer.env);
}

/* What the caller sets gives way to a measurement; what the table says without one does not change. */
static void measurements_come_first(void **state)
{
	(void)state;
	static const char *const selectors[] = {"DISABLE_ADDMM_CUDA_LT", "GPU_MAX_HW_QUEUES", NULL};
	static const struct job yours = {8, 1, "xgmi", MI300X, ROCM_72, {queues1, channels112}, .no_documented = false};
	static const struct job bare = {8, 1, "xgmi", MI300X, ROCM_72, {NULL}, .no_documented = false};
	const struct job *const both[] = {&yours, &bare};
	for (size_t i = 0; i < MXT_ARRAY_LEN(both); i++) {
		MXT_CLEANUP(mxt_collective_answer_finish)
		struct mxt_collective_answer answer = MXT_COLLECTIVE_ANSWER_INIT;
		bool kept = both[i] == &bare;
		assert_int_equal(decide(both[i], &answer, NULL), 0);
		assert_int_equal(mxt_collective_yield(&answer, selectors, NULL), 0);
		assert_int_equal(json_object_get(answer.env, "GPU_MAX_HW_QUEUES") != NULL, kept);
		assert_non_null(json_object_get(answer.env, "NCCL_MIN_NCHANNELS"));
		assert_int_equal(strstr(answer.rule, "but GPU_MAX_HW_QUEUES goes") == NULL, kept);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(answers),
	    cmocka_unit_test(measurements_come_first),
	    cmocka_unit_test(refuses_what_no_plan_could_keep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
