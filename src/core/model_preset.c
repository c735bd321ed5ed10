/* SPDX-License-Identifier: Apache-2.0 */
#include "model_preset.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "model_config.h"
#include "nearest.h"
#include "workload.h"

enum trait { TIED = 1, QKV_BIAS = 2, VISION = 4 };

struct mxt_model_preset {
	const char *name, *family;
	int32_t layers, hidden, heads, kv_heads, head_dim, ffn, vocab;
	int32_t attention, window, experts; /* 0: all layers; none; dense */
	uint32_t traits;                    /* enum trait bits */
};

static const struct mxt_model_preset presets[] = {
#define MXT_PRESET(name, family, layers, hidden, heads, kv_heads, head_dim, ffn, vocab, attention, window, experts,    \
		   traits)                                                                                             \
	{name, family, layers, hidden, heads, kv_heads, head_dim, ffn, vocab, attention, window, experts, traits},
#include "model_presets.def"
#undef MXT_PRESET
};

static const char *const names[] = {
#define MXT_PRESET(name, family, layers, hidden, heads, kv_heads, head_dim, ffn, vocab, attention, window, experts,    \
		   traits)                                                                                             \
	name,
#include "model_presets.def"
#undef MXT_PRESET
    NULL,
};

struct alias_row {
	const char *alias, *name;
};

static const struct alias_row aliases[] = {
#define MXT_PRESET_ALIAS(alias, name) {alias, name},
#include "model_presets.def"
#undef MXT_PRESET_ALIAS
};

const char *const *mxt_model_presets(void)
{
	return names;
}

const struct mxt_model_preset *mxt_model_preset_find(const char *name)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(presets); i++)
		if (strcmp(presets[i].name, name) == 0)
			return &presets[i];
	return NULL;
}

const struct mxt_model_preset *mxt_model_preset_of_alias(const char *alias)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(aliases); i++)
		if (strcmp(aliases[i].alias, alias) == 0)
			return mxt_model_preset_find(aliases[i].name);
	return NULL;
}

/* ---- guesses ---- */

#define SQUEEZED_SIZE 128

/* Letters and digits only, in lower case: "Llama-3.1-8B" and "llama3.1_8b" are one. Cut to what fits. */
static void squeeze(const char *name, char squeezed[SQUEEZED_SIZE])
{
	size_t len = 0;
	for (; *name && len < SQUEEZED_SIZE - 1; name++)
		if (isalnum((unsigned char)*name))
			squeezed[len++] = (char)tolower((unsigned char)*name);
	squeezed[len] = '\0';
}

static const char *preset_at(const void *list, size_t i)
{
	return ((const struct mxt_model_preset *)list)[i].name;
}

static const char *alias_at(const void *list, size_t i)
{
	return ((const struct alias_row *)list)[i].alias;
}

/* The longest name that `name` contains; of an id the part behind the owner counts. */
static const char *contained_in(const char *name)
{
	char whole[SQUEEZED_SIZE], part[SQUEEZED_SIZE];
	const char *best = NULL;
	size_t best_len = 0, n_presets = MXT_ARRAY_LEN(presets);
	squeeze(name, whole);
	for (size_t i = 0; i < n_presets + MXT_ARRAY_LEN(aliases); i++) {
		const char *candidate = i < n_presets ? presets[i].name : aliases[i - n_presets].alias;
		const char *meant = i < n_presets ? candidate : aliases[i - n_presets].name;
		const char *slash = strrchr(candidate, '/');
		squeeze(slash ? slash + 1 : candidate, part);
		if (strlen(part) <= best_len || !strstr(whole, part))
			continue;
		best = meant;
		best_len = strlen(part);
	}
	return best;
}

/* A slip of the finger is one of letters: another digit is another model. */
static bool same_digits(const char *a, const char *b)
{
	static const char digits[] = "0123456789";
	for (;; a++, b++) {
		a += strcspn(a, digits);
		b += strcspn(b, digits);
		if (*a != *b || *a == '\0')
			return *a == *b;
	}
}

const char *mxt_model_preset_guess(const char *name)
{
	const char *near = contained_in(name);
	if (near)
		return near;
	near = mxt_nearest(name, preset_at, presets, MXT_ARRAY_LEN(presets));
	if (near && same_digits(near, name))
		return near;
	near = mxt_nearest(name, alias_at, aliases, MXT_ARRAY_LEN(aliases));
	const struct mxt_model_preset *preset =
	    near && same_digits(near, name) ? mxt_model_preset_of_alias(near) : NULL;
	return preset ? preset->name : NULL;
}

/* ---- as a file ---- */

/* The kinds of the layers, where not all have softmax attention: which ones is not read. */
static json_t *layer_types(const struct mxt_model_preset *preset)
{
	json_t *types = json_array();
	for (int32_t i = 0; types && i < preset->layers; i++) {
		const char *kind = i < preset->attention ? "full_attention" : "linear_attention";
		if (json_array_append_new(types, json_string(kind)) == 0)
			continue;
		json_decref(types);
		return NULL;
	}
	return types;
}

static int add_traits(const struct mxt_model_preset *preset, json_t *config)
{
	int rc = json_object_set_new(config, "tie_word_embeddings", json_boolean(preset->traits & TIED));
	if (rc == 0 && preset->attention)
		rc = json_object_set_new(config, "layer_types", layer_types(preset));
	if (rc == 0)
		rc = json_object_set_new(config, "sliding_window",
					 preset->window ? json_integer(preset->window) : json_null());
	if (rc == 0 && preset->experts)
		rc = json_object_set_new(config, "num_experts", json_integer(preset->experts));
	if (rc == 0 && preset->traits & QKV_BIAS)
		rc = json_object_set_new(config, "use_qkv_bias", json_true());
	if (rc == 0 && preset->traits & VISION)
		rc = json_object_set_new(config, "vision_config", json_object());
	return rc;
}

json_t *mxt_model_preset_config(const struct mxt_model_preset *p)
{
	json_t *config =
	    json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "model_type", p->family, "num_hidden_layers",
		      p->layers, "hidden_size", p->hidden, "num_attention_heads", p->heads, "num_key_value_heads",
		      p->kv_heads, "head_dim", p->head_dim, "intermediate_size", p->ffn, "vocab_size", p->vocab);
	if (config && add_traits(p, config) == 0)
		return config;
	json_decref(config);
	return NULL;
}

int mxt_model_preset_read(const struct mxt_model_preset *preset, struct mxt_workload *workload, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *config = mxt_model_preset_config(preset);
	return config ? mxt_model_config_parse(preset->name, config, workload, err) : mxt_error_oom(err);
}
