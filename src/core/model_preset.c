/* SPDX-License-Identifier: Apache-2.0 */
#include "model_preset.h"

#include <string.h>

static const char *const names[] = {
#define MXT_PRESET(name, layers, hidden, heads, kv_heads, head_dim, ffn, vocab) name,
#include "model_presets.def"
#undef MXT_PRESET
    NULL,
};

static const struct mxt_model models[] = {
#define MXT_PRESET(name, layers, hidden, heads, kv_heads, head_dim, ffn, vocab)                                        \
	{layers, hidden, heads, kv_heads, head_dim, ffn, vocab, .gated_mlp = true},
#include "model_presets.def"
#undef MXT_PRESET
};

static const struct {
	const char *hub_id;
	const char *name;
} aliases[] = {
#define MXT_PRESET_ALIAS(hub_id, name) {hub_id, name},
#include "model_presets.def"
#undef MXT_PRESET_ALIAS
};

const char *const *mxt_model_presets(void)
{
	return names;
}

const struct mxt_model *mxt_model_preset_find(const char *name)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(models); i++)
		if (strcmp(names[i], name) == 0)
			return &models[i];
	return NULL;
}

const struct mxt_model *mxt_model_preset_of_hub_id(const char *hub_id)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(aliases); i++)
		if (strcmp(aliases[i].hub_id, hub_id) == 0)
			return mxt_model_preset_find(aliases[i].name);
	return NULL;
}
