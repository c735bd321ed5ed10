/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of ours while reading a run's folder fails once: the answer is -ENOMEM and nothing leaks, or the
 * proof is read.
 */
#include <errno.h>
#include <stdlib.h>

#include "alloc_faults.h"
#include "cmocka_all.h"
#include "error.h"
#include "run_plan_example.h"
#include "run_proof.h"
#include "scratch.h"

struct reading {
	const char *ranks;
	const struct mxt_plan *plan;
};

static int read_proof(void *context)
{
	const struct reading *reading = context;
	MXT_CLEANUP_RUN_PROOF struct mxt_run_proof proof = MXT_RUN_PROOF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	return mxt_run_proof_read(reading->ranks, reading->plan, true, &proof, &err);
}

static const char witness[] =
    "{\"schema\":\"mindxtrain.witness/1\",\"rank\":0,\"notes\":[\"a\"],\"settings\":{\"deterministic\":\"on\"},"
    "\"kinds\":[{\"backend\":\"cudnn\",\"batch\":1,\"heads\":1,\"queries\":8,\"keys\":8,\"head_dim\":8,\"calls\":2},"
    "{\"backend\":\"math\",\"batch\":1,\"heads\":1,\"queries\":8,\"keys\":8,\"head_dim\":8,\"calls\":1}]}";

static const char recording[] =
    "{\"schema\":\"mindxtrain.recording/1\",\"torch\":\"2.11.0\",\"device\":\"cuda\",\"ranks\":1,\"steps\":1,"
    "\"forward_passes\":[1],\"not_seen\":[],\"order\":[[0,0]],\"calls\":[{\"kind\":\"gemm\",\"op\":\"aten::mm\","
    "\"a\":{\"shape\":[32,64],\"strides\":[64,1],\"dtype\":\"bfloat16\"},"
    "\"b\":{\"shape\":[64,64],\"strides\":[1,64],\"dtype\":\"bfloat16\"},\"counts\":[2]}]}";

/* Ours alone: jansson's lexer does not survive exhausted memory. */
static void reading(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan("workload.training.deterministic", "true", NULL);
	struct reading context = {*state, plan};
	free(mxt_scratch_write(*state, "witness-1.json", witness));
	free(mxt_scratch_write(*state, "part-00000-1.json", recording));
	assert_true(mxt_test_each_allocation(read_proof, &context) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(reading, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
