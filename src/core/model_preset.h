/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models that need no file (model_presets.def).
 */
#ifndef MXT_CORE_MODEL_PRESET_H
#define MXT_CORE_MODEL_PRESET_H

#include "workload.h"

/* The preset of this name, or NULL. */
const struct mxt_model *mxt_model_preset_find(const char *name);

/* The preset that a Hub id stands for ("Qwen/Qwen3-8B"), or NULL. */
const struct mxt_model *mxt_model_preset_of_hub_id(const char *hub_id);

#endif
