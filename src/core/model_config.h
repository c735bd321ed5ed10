/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Hugging Face config.json: from its keys to dimensions, by the rules of its family (model_families.def). A family
 * that is not in the table is read by the usual names of the keys and taken as Llama-like, which is said in
 * not_modelled.
 */
#ifndef MXT_CORE_MODEL_CONFIG_H
#define MXT_CORE_MODEL_CONFIG_H

#include <jansson.h>

#include "compiler.h"
#include "workload.h"

struct mxt_error;

/*
 * Fills workload->model, adds to notes and not_modelled. Every number is checked; an error names the file, the JSON
 * path and the remedy. On failure workload->model is left alone, sentences may have been added.
 */
int mxt_model_config_parse(const char *name, const json_t *root, struct mxt_workload *workload,
			   struct mxt_error *err) MXT_WUR;

/* Reads the file, then mxt_model_config_parse(). */
int mxt_model_config_read(const char *path, struct mxt_workload *workload, struct mxt_error *err) MXT_WUR;

#endif
