/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.json: whatever is taken must give problems that can be timed, at full size and scaled, or a stated reason.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "json.h"
#include "model_config.h"
#include "workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_problems(const struct mxt_workload *workload, struct mxt_scale scale)
{
	struct mxt_problem_set set;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_workload_problems(workload, &scale, MXT_DTYPE_F32, &set, &err) < 0) {
		assert(err.id == MXT_E_WORKLOAD);
		return;
	}
	for (size_t i = 0; i < set.n_problems; i++)
		assert(mxt_problem_validate(&set.problems[i]) == 0);
	for (size_t i = 0; i < set.n_layer; i++)
		assert(set.layer[i].problem == MXT_LAYER_FILLER || set.layer[i].problem < set.n_problems);
	mxt_problem_set_finish(&set);
}

static void check_workload(const struct mxt_workload *workload)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *json = mxt_workload_json(workload);
	assert(json);
	int rc = mxt_json_canonical(json, &buf, NULL);
	assert(rc == 0);
	check_problems(workload, (struct mxt_scale){0, 0, 0, false});
	check_problems(workload, mxt_scale_for_host(2, UINT64_C(1) << 30));
	for (size_t i = 0; i < workload->n_not_modelled; i++)
		assert(mxt_json_is_text(workload->not_modelled[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_JSON json_t *root = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_workload workload = {.training = {.seq_len = 512,
						     .micro_batch = 2,
						     .gpus = 1,
						     .nodes = 1,
						     .adapter = MXT_ADAPTER_LORA,
						     .lora_rank = 16,
						     .lora_targets = MXT_PROJ_ALL,
						     .checkpointing = true}};
	if (mxt_json_parse("fuzz", (const char *)data, size, MXT_JSON_FOREIGN, &root, NULL) < 0)
		return 0;
	if (mxt_model_config_parse("fuzz", root, &workload, &err) == 0)
		check_workload(&workload);
	else
		assert(err.id == MXT_E_MODEL_CONFIG && mxt_json_is_text(mxt_error_text(&err)));
	mxt_workload_finish(&workload);
	return 0;
}
