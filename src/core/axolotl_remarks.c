/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_remarks.h"

#include "axolotl_key_check.h"
#include "axolotl_value.h"
#include "error.h"
#include "workload_build.h"
#include "yaml_tree.h"

enum condition { SET, ABOVE_ONE };

struct unmodelled_row {
	const char *key;
	enum condition condition;
	uint32_t parts;
	const char *text;
};

static const struct unmodelled_row unmodelled[] = {
#define MXT_UNMODELLED(key, condition, parts, text) {key, condition, parts, text},
#include "axolotl_unmodelled.def"
#undef MXT_UNMODELLED
};

static bool applies(const struct mxt_axolotl_map *map, const struct unmodelled_row *row)
{
	const struct mxt_yaml_node *node = mxt_axolotl_get(map, row->key);
	if (row->condition == SET || !node)
		return mxt_axolotl_is_set(map, row->key);
	bool one = node->value.kind == MXT_YAML_INT && node->value.integer <= 1;
	return !one && mxt_axolotl_is_set(map, row->key);
}

static int add_unmodelled(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(unmodelled); i++)
		if (applies(map, &unmodelled[i]))
			rc = mxt_workload_exclude(workload, unmodelled[i].parts, map->err, "%s", unmodelled[i].text);
	return rc;
}

/* Of whole models in float32, and of peft's adapters without autocast: the fused kernels cast these. */
static bool multiplies_float32(const struct mxt_workload *workload)
{
	const struct mxt_training *t = &workload->training;
	bool lora = t->adapter != MXT_ADAPTER_NONE && !(workload->excluded & MXT_PART_LORA);
	return !t->autocast && (t->dtype == MXT_DTYPE_F32 || (lora && t->fused_lora != MXT_FUSED_ALL));
}

/* Axolotl turns it on unless it is told not to (tf32 is auto then). */
static int add_tf32(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	bool on = !mxt_axolotl_get(map, "tf32") || mxt_axolotl_is_set(map, "tf32");
	if (!on || !multiplies_float32(workload))
		return 0;
	return mxt_workload_exclude(workload, 0, map->err,
				    "TF32 in float32 products (tf32): they are timed without it");
}

static int note(void *context, size_t line, const char *sentence)
{
	struct mxt_workload *workload = context;
	return mxt_workload_note(workload, NULL, "line %zu: %s", line, sentence);
}

int mxt_axolotl_remarks(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	int rc = add_unmodelled(map, workload);
	if (rc == 0)
		rc = add_tf32(map, workload);
	const struct mxt_axolotl_keys listed = {.list = NULL};
	const struct mxt_axolotl_key_sink sink = {note, workload};
	/* Once the list of notes is full the search is spared. */
	for (size_t i = 0; rc == 0 && i < map->root->count && workload->n_notes < MXT_NOT_MODELLED_MAX; i++)
		if (mxt_axolotl_key_check(&map->root->entries[i], &listed, &sink) < 0)
			rc = mxt_error_oom(map->err);
	return rc;
}
