/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the name of a model to its dimensions, without network: a preset, a local config.json or the folder that holds
 * it, a Hub id that a preset stands for, or a Hub id in the local Hugging Face cache, in this order.
 */
#ifndef MXT_CORE_MODEL_SOURCE_H
#define MXT_CORE_MODEL_SOURCE_H

#include "compiler.h"
#include "workload.h"

struct mxt_error;

/*
 * Fills workload->model and adds what its config brings to notes and not_modelled. `revision`: of
 * a Hub id, NULL: main. `environment`: where the cache is (NULL: nowhere). MXT_E_MODEL_NOT_FOUND says where it was
 * looked for and what to do.
 */
int mxt_model_source_read(const char *name, const char *revision, char *const *environment,
			  struct mxt_workload *workload, struct mxt_error *err) MXT_WUR;

#endif
