/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_targets.h"

#include <stdio.h>
#include <string.h>

#include "axolotl_value.h"
#include "module_pattern.h"
#include "printable.h"
#include "workload_build.h"
#include "yaml_tree.h"

struct module_row {
	const char *path; /* within a layer */
	uint32_t projections;
};

static const struct module_row modules[] = {
    {"self_attn.q_proj", MXT_PROJ_Q},
    {"self_attn.k_proj", MXT_PROJ_K},
    {"self_attn.v_proj", MXT_PROJ_V},
    {"self_attn.o_proj", MXT_PROJ_O},
    {"mlp.gate_proj", MXT_PROJ_GATE},
    {"mlp.up_proj", MXT_PROJ_UP},
    {"mlp.down_proj", MXT_PROJ_DOWN},
    /* Phi-3 */
    {"self_attn.qkv_proj", MXT_PROJ_Q | MXT_PROJ_K | MXT_PROJ_V},
    {"mlp.gate_up_proj", MXT_PROJ_GATE | MXT_PROJ_UP},
    /* Phi */
    {"self_attn.dense", MXT_PROJ_O},
    {"mlp.fc1", MXT_PROJ_UP},
    {"mlp.fc2", MXT_PROJ_DOWN},
    /* GPT-NeoX, Falcon */
    {"attention.query_key_value", MXT_PROJ_Q | MXT_PROJ_K | MXT_PROJ_V},
    {"attention.dense", MXT_PROJ_O},
    {"self_attention.query_key_value", MXT_PROJ_Q | MXT_PROJ_K | MXT_PROJ_V},
    {"self_attention.dense", MXT_PROJ_O},
    {"mlp.dense_h_to_4h", MXT_PROJ_UP},
    {"mlp.dense_4h_to_h", MXT_PROJ_DOWN},
    /* StarCoder 2, GPT-2 */
    {"attn.c_attn", MXT_PROJ_Q | MXT_PROJ_K | MXT_PROJ_V},
    {"attn.c_proj", MXT_PROJ_O},
    {"mlp.c_fc", MXT_PROJ_UP},
    {"mlp.c_proj", MXT_PROJ_DOWN},
};

/* Where the layers of a language model are, alone or beside towers for images and sound. */
static const char *const layers[] = {
    "model.layers",
    "model.language_model.layers",
    "language_model.model.layers",
    "model.text_model.layers",
    "transformer.h",
    "gpt_neox.layers",
};

struct targets {
	const struct mxt_axolotl_map *map;
	struct mxt_workload *workload;
	uint32_t found; /* enum mxt_projection bits */
};

static int exclude(const struct targets *t, const char *name)
{
	char shown[MXT_PRINTABLE_SIZE];
	return mxt_workload_exclude(t->workload, 0, t->map->err, "LoRA on '%s' (lora_target_modules)",
				    mxt_printable(name, shown));
}

/* ---- names ---- */

/* "q_proj" and "self_attn.q_proj" end self_attn.q_proj, "j" does not. */
static bool ends_with(const char *path, const char *name)
{
	size_t path_len = strlen(path), len = strlen(name);
	if (len == 0 || len > path_len || strcmp(path + path_len - len, name) != 0)
		return false;
	return len == path_len || path[path_len - len - 1] == '.';
}

/* A name may be written from the top: what is behind the number of the layer counts. */
static const char *within_layer(const char *name)
{
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		size_t digits = strspn(dot + 1, "0123456789");
		if (digits > 0 && dot[1 + digits] == '.')
			return dot + 1 + digits + 1;
	}
	return name;
}

static uint32_t named(const char *name)
{
	uint32_t found = strcmp(name, "all-linear") == 0 ? MXT_PROJ_ALL : 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(modules); i++)
		if (ends_with(modules[i].path, within_layer(name)))
			found |= modules[i].projections;
	return found;
}

static int read_list(struct targets *t, const struct mxt_yaml_node *list)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < list->count; i++) {
		const struct mxt_yaml_node *item = list->entries[i].value;
		if (item->value.kind != MXT_YAML_STRING)
			return mxt_axolotl_refuse(t->map, "an entry of lora_target_modules", item, "a module's name");
		uint32_t found = named(item->text);
		t->found |= found;
		rc = found ? 0 : exclude(t, item->text);
	}
	return rc;
}

/* ---- patterns ---- */

#define LAYERS_TRIED 16

/* In how many of the first layers the pattern takes this module, at the place that has most of them. */
static int layers_taken(const struct mxt_module_pattern *pattern, const char *path)
{
	int most = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(layers); i++) {
		int taken = 0;
		for (int layer = 0; layer < LAYERS_TRIED; layer++) {
			char name[128];
			(void)snprintf(name, sizeof name, "%s.%d.%s", layers[i], layer, path);
			taken += mxt_module_pattern_matches(pattern, name) ? 1 : 0;
		}
		most = taken > most ? taken : most;
	}
	return most;
}

static int read_pattern(struct targets *t, const char *text)
{
	struct mxt_module_pattern pattern;
	bool partly = false;
	if (mxt_module_pattern_parse(text, &pattern) < 0)
		return exclude(t, text);
	for (size_t i = 0; i < MXT_ARRAY_LEN(modules); i++) {
		int taken = layers_taken(&pattern, modules[i].path);
		t->found |= taken ? modules[i].projections : 0;
		partly = partly || (taken > 0 && taken < LAYERS_TRIED);
	}
	if (partly)
		return mxt_workload_exclude(t->workload, 0, t->map->err,
					    "adapters on some layers only: all are taken (lora_target_modules)");
	return t->found ? 0 : exclude(t, text);
}

/* peft takes a text for a pattern, Axolotl for a name when lora_target_linear is set, too. */
static int read_text(struct targets *t, const char *text)
{
	t->found |= named(text);
	return t->found ? 0 : read_pattern(t, text);
}

/* ---- the whole ---- */

static int read_modules(struct targets *t)
{
	const struct mxt_yaml_node *node = mxt_axolotl_get(t->map, "lora_target_modules");
	if (!node)
		return 0;
	if (node->value.kind == MXT_YAML_SEQUENCE)
		return read_list(t, node);
	if (node->value.kind == MXT_YAML_STRING)
		return read_text(t, node->text);
	return mxt_axolotl_refuse(t->map, "lora_target_modules", node, "a module's name or a list of them");
}

int mxt_axolotl_targets(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	struct targets t = {.map = map, .workload = workload};
	bool all = false;
	int rc = mxt_axolotl_bool(map, "lora_target_linear", &all);
	if (rc == 0)
		rc = read_modules(&t);
	if (rc < 0)
		return rc;
	workload->training.lora_targets = all ? MXT_PROJ_ALL : t.found;
	if (workload->training.lora_targets || mxt_axolotl_is_set(map, "lora_target_modules"))
		return 0;
	workload->training.lora_targets = MXT_PROJ_Q | MXT_PROJ_V;
	return mxt_workload_note(
	    workload, map->err,
	    "neither lora_target_linear nor lora_target_modules is set; q and v are taken, peft's default "
	    "for most models");
}
