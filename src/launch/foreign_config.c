/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "axolotl_attention.h"
#include "axolotl_key_check.h"
#include "printable.h"
#include "remarks.h"
#include "yaml_tree.h"

/* Keys at the top that only one tool's files have, all of them together. */
static const struct tool_row {
	const char *keys[3];
	const char *what;
} tools[] = {
    {{"finetuning_type"}, "a config of LLaMA-Factory"},
    {{"model_name_or_path", "cutoff_len"}, "a config of LLaMA-Factory"},
    {{"model_name_or_path", "per_device_train_batch_size"}, "arguments of transformers' or TRL's trainer"},
    {{"model_name_or_path", "dataset_name"}, "arguments of a script of TRL's"},
    {{"model_name_or_path", "dataset_mixer"}, "a recipe of the alignment handbook"},
    {{"compute_environment"}, "a config of accelerate"},
    {{"distributed_type", "num_processes"}, "a config of accelerate"},
    {{"train_micro_batch_size_per_gpu"}, "a config of DeepSpeed"},
    {{"zero_optimization"}, "a config of DeepSpeed"},
    {{"architectures", "model_type"}, "a model's own config.json"},
    {{"peft_type"}, "an adapter's own adapter_config.json"},
    {{"plan_id", "decision"}, "a plan"},
    {{"exp_manager", "trainer"}, "a config of NeMo"},
    {{"work_group", "modules"}, "a config of Primus"},
    {{"provider", "gpu"}, "a config of Axolotl's cloud runner"},
    {{"apiVersion", "kind"}, "a manifest of Kubernetes"},
    {{"resources", "run"}, "a task of SkyPilot"},
    {{"services"}, "a file of Docker Compose"},
};

static bool fits(const struct tool_row *row, const struct mxt_yaml_node *root)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(row->keys) && row->keys[i]; i++)
		if (!mxt_yaml_get(root, row->keys[i]))
			return false;
	return true;
}

/* torchtune builds objects out of maps that name their class. */
static bool has_component(const struct mxt_yaml_node *root)
{
	for (size_t i = 0; i < root->count; i++)
		if (mxt_yaml_get(root->entries[i].value, "_component_"))
			return true;
	return false;
}

static const char *name_tool(const struct mxt_yaml_node *root)
{
	if (mxt_yaml_get(root, "base_model"))
		return NULL;
	for (size_t i = 0; i < MXT_ARRAY_LEN(tools); i++)
		if (fits(&tools[i], root))
			return tools[i].what;
	return has_component(root) ? "a config of torchtune" : NULL;
}

/* ---- Axolotl's keys below others ---- */

static bool is_read(const struct mxt_axolotl_keys *keys, const struct mxt_yaml_node *key)
{
	if (!key || key->value.kind != MXT_YAML_STRING)
		return false;
	return keys->name_at ? keys->knows(keys->list, key->text) : mxt_axolotl_key_is_listed(key->text);
}

/* The first of Axolotl's keys in a map that Axolotl does not read; NULL where it may be a map of something else. */
static const struct mxt_yaml_node *find_misplaced(const struct mxt_axolotl_keys *keys, const struct mxt_yaml_node *map)
{
	const struct mxt_yaml_node *first = NULL;
	size_t known = 0;
	for (size_t i = 0; map->value.kind == MXT_YAML_MAPPING && i < map->count; i++) {
		const struct mxt_yaml_node *key = map->entries[i].key;
		if (!is_read(keys, key))
			continue;
		known += mxt_axolotl_attention_has_key(key->text) ? 2 : 1;
		first = first ? first : key;
	}
	return known >= 2 ? first : NULL;
}

static void check_misplaced(const char *name, const struct mxt_yaml_entry *entry, const struct mxt_axolotl_keys *keys,
			    struct mxt_remarks *remarks)
{
	char outer[MXT_PRINTABLE_SIZE], inner[MXT_PRINTABLE_SIZE];
	const struct mxt_yaml_node *first = is_read(keys, entry->key) ? NULL : find_misplaced(keys, entry->value);
	if (!first)
		return;
	mxt_remark_refuse(remarks, MXT_E_LAUNCH_YAML, MXT_ALLOW_NOTHING,
			  "%s:%zu: %s stands below %s, where Axolotl does not look: it drops %s with all that is in it "
			  "without a word; write its keys at the top, without the indent",
			  name, first->line, mxt_printable(first->text, inner),
			  mxt_printable(entry->key->text ? entry->key->text : "", outer), outer);
}

bool mxt_foreign_config_check(const char *name, const struct mxt_yaml_node *root, const struct mxt_axolotl_keys *keys,
			      struct mxt_remarks *remarks)
{
	const char *tool = name_tool(root);
	if (tool) {
		mxt_remark_refuse(
		    remarks, MXT_E_LAUNCH_YAML, MXT_ALLOW_NOTHING,
		    "%s is %s, not of Axolotl, which would drop its keys without a word; give the file that "
		    "Axolotl trains with (it has base_model at the top)",
		    name, tool);
		return true;
	}
	for (size_t i = 0; i < root->count; i++)
		check_misplaced(name, &root->entries[i], keys, remarks);
	return false;
}
