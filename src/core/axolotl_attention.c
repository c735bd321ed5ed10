/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_attention.h"

#include <stdio.h>
#include <string.h>

#include "attention_kind.h"
#include "axolotl_value.h"
#include "error.h"
#include "printable.h"
#include "workload_build.h"
#include "yaml_tree.h"

bool mxt_axolotl_attention_has_key(const char *key)
{
	for (size_t i = 0; i < mxt_attention_kind_count(); i++) {
		const char *flag = mxt_attention_kind_at(i)->flag;
		if (flag[0] && strcmp(flag, key) == 0)
			return true;
	}
	return strcmp(key, "attn_implementation") == 0 || strcmp(key, "sdpa_varlen") == 0;
}

/* Python's truth, not pydantic's: Axolotl looks at the flags before they are validated. */
static uint32_t read_flags(const struct mxt_axolotl_map *map)
{
	uint32_t flags = 0;
	for (size_t i = 0; i < mxt_attention_kind_count(); i++) {
		const struct mxt_attention_kind_row *row = mxt_attention_kind_at(i);
		if (row->flag[0] && mxt_axolotl_is_set(map, row->flag))
			flags |= UINT32_C(1) << row->kind;
	}
	return flags;
}

/* The first in Axolotl's order of priority. */
static enum mxt_attention_kind first_flag(uint32_t flags)
{
	for (size_t i = 0; i < mxt_attention_kind_count(); i++)
		if (flags & UINT32_C(1) << mxt_attention_kind_at(i)->kind)
			return mxt_attention_kind_at(i)->kind;
	return MXT_ATTENTION_UNSET;
}

static int read_name(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	struct mxt_attention_config *config = &workload->attention_config;
	const char *text = NULL;
	int rc = mxt_axolotl_text(map, "attn_implementation", &text);
	if (rc < 0 || !text || !*text)
		return rc;
	char shown[MXT_PRINTABLE_SIZE];
	config->named = mxt_attention_kind_parse(text);
	(void)snprintf(config->name, sizeof config->name, "%s", mxt_printable(text, shown));
	if (config->named != MXT_ATTENTION_UNSET)
		return 0;
	return mxt_workload_note(workload, map->err,
				 "attn_implementation is '%s', which Axolotl 0.17 and later refuse; they take eager, "
				 "sdpa, flash_attention_2, flash_attention_3, flex_attention, xformers, sage, fp8, or "
				 "the path of a Hub kernel",
				 config->name);
}

static int read_switches(const struct mxt_axolotl_map *map, struct mxt_attention_config *config)
{
	bool varlen = false, isolates = true;
	const char *large = NULL;
	int rc = mxt_axolotl_bool(map, "sdpa_varlen", &varlen);
	if (rc == 0)
		rc = mxt_axolotl_bool(map, "pretrain_multipack_attn", &isolates);
	if (rc == 0)
		rc = mxt_axolotl_text(map, "large_head_attention", &large);
	if (rc < 0)
		return rc;
	config->sdpa_varlen = !mxt_axolotl_get(map, "sdpa_varlen") ? 0 : varlen ? 1 : -1;
	config->gemma4_hybrid = mxt_axolotl_is_set(map, "gemma4_hybrid_attn_impl");
	config->s2 = mxt_axolotl_is_set(map, "s2_attention");
	config->large_head = large ? strcmp(large, "sdpa") != 0 : mxt_axolotl_is_set(map, "flash_attn_d512");
	config->mixes_pretraining = !isolates && mxt_axolotl_is_set(map, "pretraining_dataset");
	return 0;
}

static int note_contradictions(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	const struct mxt_attention_config *config = &workload->attention_config;
	bool several = (config->flags & (config->flags - 1)) != 0;
	int rc = 0;
	if (several)
		rc = mxt_workload_note(
		    workload, map->err,
		    "more than one attention flag is true; older Axolotl refuses that, newer takes the "
		    "first of xformers, sage, flex, flash, sdp, eager");
	if (rc == 0 && config->name[0] && config->flags)
		rc = mxt_workload_note(
		    workload, map->err,
		    "attn_implementation and an attention flag are both set, which Axolotl 0.17 and later refuse");
	if (rc == 0 && config->s2)
		rc = mxt_workload_note(workload, map->err,
				       "s2_attention was removed from Axolotl, which refuses it since 0.17");
	return rc;
}

int mxt_axolotl_attention(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	struct mxt_attention_config *config = &workload->attention_config;
	*config = (struct mxt_attention_config){.axolotl = true, .flags = read_flags(map)};
	int rc = read_name(map, workload);
	if (rc == 0)
		rc = read_switches(map, config);
	if (rc < 0)
		return rc;
	workload->attention = config->named != MXT_ATTENTION_UNSET ? config->named : first_flag(config->flags);
	return note_contradictions(map, workload);
}
