/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML, and Axolotl configs in it: places lie inside the text, and whatever is taken must give problems or a stated
 * reason.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "attention_today.h"
#include "axolotl_config.h"
#include "error.h"
#include "json.h"
#include "model_preset.h"
#include "workload.h"
#include "yaml_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the levels of containers. */
static unsigned check_node(const struct mxt_yaml_node *node, size_t size)
{
	unsigned height = 0;
	assert(node->begin <= node->end && node->end <= size && node->line >= 1);
	assert(!node->text || strlen(node->text) == node->len);
	for (size_t i = 0; i < node->count; i++) {
		unsigned below = check_node(node->entries[i].value, size);
		height = below > height ? below : height;
		if (node->entries[i].key)
			(void)check_node(node->entries[i].key, size);
	}
	return node->text ? 0 : height + 1;
}

/* What the keys say of attention comes to something under the rules of every version. */
static void check_attention(struct mxt_workload *workload)
{
	static const char *const versions[] = {"", "0.9.2", "0.16.1", "0.18.0"};
	struct mxt_today today;
	for (size_t i = 0; i < MXT_ARRAY_LEN(versions); i++) {
		const struct mxt_attention_stack stack = {
		    .known = true, .axolotl = versions[i], .torch = "2.11.0", .flash_attn = "2.8.3"};
		mxt_today_resolve(workload, &stack, &today);
		assert(today.yours.kind != MXT_ATTENTION_UNSET && mxt_json_is_text(today.yours.name));
		assert(today.yours.starts || today.yours.note[0]);
	}
	int rc = mxt_attention_today_apply(&today.yours, workload, NULL);
	assert(rc == 0);
}

static void check_workload(struct mxt_workload *workload)
{
	struct mxt_problem_set set;
	const struct mxt_scale scale = mxt_scale_for_host(4, UINT64_C(8) << 30);
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_model_preset_read(mxt_model_preset_find("instella-3b"), workload, &err);
	assert(rc == 0);
	check_attention(workload);
	if (mxt_workload_problems(workload, &scale, MXT_DTYPE_F32, &set, &err) == 0)
		mxt_problem_set_finish(&set);
	else
		assert(err.id == MXT_E_WORKLOAD);
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *json = mxt_workload_json(workload);
	rc = json ? mxt_json_canonical(json, &buf, NULL) : -1;
	assert(rc == 0);
	for (size_t i = 0; i < workload->n_notes; i++)
		assert(mxt_json_is_text(workload->notes[i]));
	for (size_t i = 0; i < workload->n_not_modelled; i++)
		assert(mxt_json_is_text(workload->not_modelled[i]));
}

static void check_config(const struct mxt_yaml_tree *tree)
{
	struct mxt_workload workload = {.n_notes = 0};
	MXT_CLEANUP_AXOLOTL struct mxt_axolotl_config config = MXT_AXOLOTL_CONFIG_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_axolotl_config_parse("fuzz", tree, &workload, &config, &err) == 0)
		check_workload(&workload);
	else
		assert(err.id == MXT_E_YAML_VALUE && mxt_json_is_text(mxt_error_text(&err)));
	mxt_workload_finish(&workload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_yaml_tree_parse("fuzz", (const char *)data, size, &tree, &err) < 0) {
		assert(mxt_json_is_text(mxt_error_text(&err)));
		assert(err.id == MXT_E_YAML_SYNTAX || err.id == MXT_E_YAML_REFUSED || err.id == MXT_E_TOO_LARGE);
		return 0;
	}
	unsigned height = check_node(mxt_yaml_tree_root(tree), size);
	assert(height <= MXT_YAML_MAX_DEPTH);
	check_config(tree);
	return 0;
}
