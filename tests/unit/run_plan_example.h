/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan that was measured on an H200, for tests of what a run under it saw: bare takes cuDNN, `flash` is a candidate.
 */
#ifndef MXT_TESTS_RUN_PLAN_EXAMPLE_H
#define MXT_TESTS_RUN_PLAN_EXAMPLE_H

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_example.h"

static const char run_plan_decision[] =
    "{\"version\":1,\"platform\":{\"vendor\":\"nvidia\",\"arch\":\"sm_90\",\"units\":132,\"memory_gib\":140},"
    "\"stack\":{\"torch\":\"2.11.0+cu130\",\"cuda\":\"13.0\",\"cudnn\":\"9.19.0\"},"
    "\"workload\":{\"model\":{\"layers\":2,\"hidden\":64,\"heads\":4,\"kv_heads\":2,\"ffn\":128,\"vocab\":512},"
    "\"training\":{\"seq_len\":16,\"micro_batch\":2,\"adapter\":\"lora\",\"lora_rank\":4,\"lengths\":\"padded\"}},"
    "\"attention\":{\"backend\":\"cudnn\"},\"gemm\":{\"library\":\"cublas\",\"mode\":\"heuristic\"},"
    "\"collective\":{\"config\":\"1gpu_noop\"},\"policy\":\"aot_only\"}";

#define RUN_PLAN_SAMPLE(candidate, backend, problem, ns)                                                               \
	"{\"probe\":\"attention\",\"candidate\":\"" candidate "\",\"status\":\"ok\",\"problem\":" problem              \
	",\"backend\":\"" backend "\",\"n\":8,\"median_ns\":" ns "}"
#define RUN_PLAN_GEMM(problem, ns)                                                                                     \
	"{\"probe\":\"gemm\",\"candidate\":\"bare\",\"status\":\"ok\",\"problem\":" problem                            \
	",\"n\":8,\"median_ns\":" ns "}"
#define RUN_PLAN_FORWARD                                                                                               \
	"{\"op\":\"attention\",\"batch\":2,\"seq\":16,\"heads\":4,\"kv_heads\":2,\"head_dim\":16,\"causal\":true,"     \
	"\"dtype\":\"bfloat16\",\"direction\":\"forward\"}"
#define RUN_PLAN_PRODUCT "{\"op\":\"gemm\",\"m\":32,\"n\":64,\"k\":64,\"dtype\":\"bfloat16\",\"trans_b\":true}"

static const char run_plan_evidence[] =
    "{\"version\":1,\"samples\":[" RUN_PLAN_SAMPLE("bare", "cudnn", RUN_PLAN_FORWARD, "1000") "," RUN_PLAN_SAMPLE(
	"flash", "flash", RUN_PLAN_FORWARD,
	"2000") "," RUN_PLAN_GEMM(RUN_PLAN_PRODUCT, "500") "],\"choices\":[{\"probe\":\"attention\",\"incumbent\":"
							   "\"bare\",\"winner\":\"bare\",\"rule\":\"r\","
							   "\"source\":\"measured\"},{\"probe\":\"gemm\",\"incumbent\":"
							   "\"bare\",\"winner\":\"bare\",\"rule\":\"r\","
							   "\"source\":\"measured\"}]}";

/* A plan of these texts; NULL: those above. */
static inline struct mxt_plan *run_plan_of(const char *decision_text, const char *evidence_text)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(decision_text ? decision_text : run_plan_decision);
	MXT_CLEANUP_JSON json_t *evidence = plan_example(evidence_text ? evidence_text : run_plan_evidence);
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_plan *plan = NULL;
	int rc = mxt_plan_seal(decision, evidence, &document, &err);
	if (rc < 0)
		print_message("%s\n", mxt_error_text(&err));
	assert_int_equal(rc, 0);
	assert_int_equal(mxt_json_canonical(document, &text, NULL), 0);
	assert_int_equal(mxt_plan_parse("plan", mxt_buf_text(&text), text.len, &plan, NULL), 0);
	return plan;
}

/* With one change to its decision, see plan_example_set(); path NULL: none. */
static inline struct mxt_plan *run_plan(const char *path, const char *value, const char *evidence)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(run_plan_decision);
	if (path)
		assert_int_equal(plan_example_set(decision, path, value), 0);
	char *text = json_dumps(decision, 0);
	struct mxt_plan *plan = run_plan_of(text, evidence);
	free(text);
	return plan;
}

#endif
