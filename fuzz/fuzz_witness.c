/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process of a run leaves about itself: whatever it says, what is told of it is text, and it is told once.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "witnesses.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of an NVIDIA GPU, for a deterministic job, with attention. */
static const char decision[] =
    "{\"version\":1,\"platform\":{\"vendor\":\"nvidia\",\"arch\":\"sm_90\",\"units\":132,\"memory_gib\":140},"
    "\"stack\":{\"torch\":\"2.11.0\",\"cuda\":\"13.0\"},\"workload\":{\"recorded\":"
    "\"0000000000000000000000000000000000000000000000000000000000000000\",\"deterministic\":true},"
    "\"attention\":{\"backend\":\"cudnn\"},\"policy\":\"aot_only\"}";

static struct mxt_plan *make_plan(void)
{
	MXT_CLEANUP_JSON json_t *decided = json_loads(decision, 0, NULL);
	MXT_CLEANUP_JSON json_t *evidence = json_pack("{s:i}", "version", 1);
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct mxt_plan *plan = NULL;
	int rc = mxt_plan_seal(decided, evidence, &document, NULL);
	if (rc == 0)
		rc = mxt_json_canonical(document, &text, NULL);
	if (rc == 0)
		rc = mxt_plan_parse("plan", mxt_buf_text(&text), text.len, &plan, NULL);
	if (rc < 0)
		abort();
	return plan;
}

/* What the end report and status.json take from it. */
static void check_rows(const struct mxt_witnesses *witnesses)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	size_t i;
	json_t *row;
	json_array_foreach(witnesses->rows, i, row)
	{
		assert(mxt_json_text(row, "what")[0] && mxt_json_text(row, "saw")[0]);
		assert(mxt_json_integer(row, "rank") >= 0);
	}
	assert(i >= 1 && i <= 4);
	int rc = mxt_json_canonical(witnesses->rows, &text, NULL);
	assert(rc == 0);
	(void)rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan();
	MXT_CLEANUP_WITNESSES struct mxt_witnesses witnesses = {.rows = json_array(), .documents = json_array()};
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_witness_take(&witnesses, size ? (const char *)data : "", size, plan, &err) < 0) {
		assert(err.id != MXT_E_NONE && json_array_size(witnesses.rows) == 0);
		return 0;
	}
	check_rows(&witnesses);
	return 0;
}
