/* SPDX-License-Identifier: Apache-2.0 */
#include "model_family.h"

#include <string.h>

#include "compiler.h"

#define WINDOW_KEY    MXT_FAMILY_WINDOW_KEY
#define WINDOW_FLAG   MXT_FAMILY_WINDOW_FLAG
#define BIAS_KEY      MXT_FAMILY_BIAS_KEY
#define BIAS_QKV_KEY  MXT_FAMILY_BIAS_QKV_KEY
#define BIAS_QKV      MXT_FAMILY_BIAS_QKV
#define BIAS_ALL      MXT_FAMILY_BIAS_ALL
#define FUSED_QKV     MXT_FAMILY_FUSED_QKV
#define FUSED_GATE_UP MXT_FAMILY_FUSED_GATE_UP
#define PLAIN_MLP     MXT_FAMILY_PLAIN_MLP
#define TIED          MXT_FAMILY_TIED
#define SOFTCAP       MXT_FAMILY_SOFTCAP
#define SINKS         MXT_FAMILY_SINKS

static const struct mxt_model_family families[] = {
#define MXT_FAMILY(model_type, heads, kv_heads, head_dim, vocab, window, rules)                                        \
	{model_type, heads, kv_heads, head_dim, vocab, window, rules},
#include "model_families.def"
#undef MXT_FAMILY
};

static const struct mxt_model_family generic = {
    .model_type = "",
    .rules = MXT_FAMILY_GENERIC | BIAS_KEY | WINDOW_FLAG | WINDOW_KEY,
};

const struct mxt_model_family *mxt_model_family_find(const char *model_type)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(families); i++)
		if (strcmp(families[i].model_type, model_type) == 0)
			return &families[i];
	return &generic;
}
