/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_kernels.h"

#include <string.h>

#include "axolotl_value.h"
#include "workload_build.h"
#include "yaml_tree.h"

struct kernel_key {
	const char *name;
	uint32_t kernel; /* enum mxt_fused_lora; 0: of the embedding, which has no products */
};

static const struct kernel_key kernel_keys[] = {
    {"lora_mlp_kernel", MXT_FUSED_MLP},
    {"lora_qkv_kernel", MXT_FUSED_QKV},
    {"lora_o_kernel", MXT_FUSED_O},
    {"lora_embedding_kernel", 0},
};

/* FSDP counts by its second version only, whose number may stand in two places. */
static bool is_first_fsdp(const struct mxt_axolotl_map *map)
{
	const struct mxt_yaml_node *config = mxt_axolotl_get(map, "fsdp_config");
	const struct mxt_yaml_node *version = mxt_axolotl_get(map, "fsdp_version");
	if (!version && config)
		version = mxt_yaml_get(config, "fsdp_version");
	bool second = version && version->text && strcmp(version->text, "2") == 0;
	return config && !second;
}

static bool turn_themselves_on(const struct mxt_axolotl_map *map, const struct mxt_training *t)
{
	static const char *const against[] = {"rl", "nvfp4_merge_aware", "trust_remote_code"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(against); i++)
		if (mxt_axolotl_is_set(map, against[i]))
			return false;
	bool eight_bit = t->adapter == MXT_ADAPTER_LORA && t->load_bits == 8;
	return !eight_bit && !is_first_fsdp(map);
}

/* Unset is not off. */
static int read_fused_lora(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	struct mxt_training *t = &workload->training;
	bool given = false;
	for (size_t i = 0; i < MXT_ARRAY_LEN(kernel_keys); i++) {
		bool fused = false;
		int rc = mxt_axolotl_bool(map, kernel_keys[i].name, &fused);
		if (rc < 0)
			return rc;
		t->fused_lora |= fused ? kernel_keys[i].kernel : 0;
		given = given || mxt_axolotl_get(map, kernel_keys[i].name);
	}
	t->lora_dropout = mxt_axolotl_is_set(map, "lora_dropout");
	if (given || !turn_themselves_on(map, t))
		return 0;
	t->fused_lora = MXT_FUSED_ALL;
	return mxt_workload_note(
	    workload, map->err,
	    "lora_mlp_kernel, lora_qkv_kernel and lora_o_kernel are not set; Axolotl turns its fused "
	    "kernels on by itself here, and their products are timed");
}

static int read_cross_entropy(const struct mxt_axolotl_map *map, struct mxt_training *t)
{
	int rc = mxt_axolotl_bool(map, "cut_cross_entropy", &t->fused_cross_entropy);
	return rc < 0 ? rc : mxt_axolotl_bool(map, "liger_fused_linear_cross_entropy", &t->liger_cross_entropy);
}

int mxt_axolotl_kernels(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	int rc = read_cross_entropy(map, &workload->training);
	bool lora = workload->training.adapter != MXT_ADAPTER_NONE && !(workload->excluded & MXT_PART_LORA);
	if (rc < 0 || !lora)
		return rc;
	return read_fused_lora(map, workload);
}
