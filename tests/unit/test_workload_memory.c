/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation on the way from files to problems of our own fails once: the answer is -ENOMEM, and
 * nothing leaks.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_faults.h"
#include "error.h"
#include "scratch.h"
#include "workload.h"
#include "yaml_tree.h"

static const char config[] =
    "{\"model_type\":\"something_new\",\"hidden_size\":64,\"intermediate_size\":256,\"num_attention_heads\":4,"
    "\"num_hidden_layers\":2,\"num_key_value_heads\":null,\"vocab_size\":1000,\"mlp_bias\":true,\"vision_config\":{}}";

static const char yaml[] = "adapter: lora\nlora_target_modules: [q_proj, lm_head]\nrl: dpo\n"
			   "optim_args: &a {eps: 1e-8}\nlora_rr: 3\nx: {<<: *a, b: [1, 2.0, ~]}\n";

static int load_all(void *context)
{
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	struct mxt_workload workload;
	struct mxt_problem_set set;
	const struct mxt_scale scale = mxt_scale_for_host(2, UINT64_C(8) << 30);
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	source.config_yaml = context;
	int rc = mxt_workload_load(&source, &workload, &err);
	if (rc < 0)
		return rc;
	rc = mxt_workload_problems(&workload, &scale, MXT_DTYPE_F32, &set, &err);
	if (rc == 0)
		mxt_problem_set_finish(&set);
	json_t *json = rc == 0 ? mxt_workload_json(&workload) : NULL;
	if (rc == 0 && !json)
		rc = -ENOMEM;
	json_decref(json);
	mxt_workload_finish(&workload);
	return rc;
}

static void from_files_to_problems(void **state)
{
	const char *folder = *state;
	struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "base_model: %s\n%s", folder, yaml);
	free(mxt_scratch_write(folder, "config.json", config));
	char *path = mxt_scratch_write(folder, "run.yaml", mxt_buf_text(&text));
	assert_true(mxt_test_each_allocation(load_all, path) > 50);
	mxt_buf_finish(&text);
	free(path);
}

/* A failure stays the failure that it is when its text cannot be made. */
static int refuse(void *context)
{
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_yaml_tree_parse("t.yaml", context, strlen(context), &tree, &err);
	assert_true(rc < 0 && err.id != MXT_E_NONE && strlen(mxt_error_text(&err)) > 0);
	return mxt_test_allocation_failed() ? -ENOMEM : 0;
}

static void refusals(void **state)
{
	(void)state;
	char duplicate[] = "a: 1\nb: &x {c: 2}\na: *x\n", unknown[] = "a: *b\n", tag[] = "a: !b 1\n";
	char *const texts[] = {duplicate, unknown, tag};
	for (size_t i = 0; i < MXT_ARRAY_LEN(texts); i++)
		assert_true(mxt_test_each_allocation(refuse, texts[i]) > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(from_files_to_problems, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
