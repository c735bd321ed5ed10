/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models that need no file (model_presets.def).
 */
#ifndef MXT_CORE_MODEL_PRESET_H
#define MXT_CORE_MODEL_PRESET_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;
struct mxt_model_preset;
struct mxt_workload;

/* The preset of this name, or NULL. */
const struct mxt_model_preset *mxt_model_preset_find(const char *name);

/* The preset that another name stands for, a Hub id as a rule ("Qwen/Qwen3-8B"), or NULL. */
const struct mxt_model_preset *mxt_model_preset_of_alias(const char *alias);

/* The name of the preset that an unknown name makes one think of ("org/my-qwen3-8b-sft": "qwen3-8b"), or NULL. */
const char *mxt_model_preset_guess(const char *name);

/* Its config.json, as far as it is read; NULL when memory ran out. */
json_t *mxt_model_preset_config(const struct mxt_model_preset *preset);

/* mxt_model_config_parse() of that: one way from a model to a workload. */
int mxt_model_preset_read(const struct mxt_model_preset *preset, struct mxt_workload *workload,
			  struct mxt_error *err) MXT_WUR;

#endif
