/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One config.json while it is read: what the files that read it share.
 */
#ifndef MXT_CORE_MODEL_READER_H
#define MXT_CORE_MODEL_READER_H

#include <jansson.h>
#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_model;
struct mxt_model_family;
struct mxt_workload;

struct mxt_model_reader {
	const char *name;   /* file, for messages */
	const char *within; /* "" or "text_config." */
	const json_t *object;
	const struct mxt_model_family *family;
	const char *model_type; /* as the file has it */
	struct mxt_workload *workload;
	struct mxt_error *err;
};

/* The value of a key; NULL when it is absent or null. */
const json_t *mxt_model_value(const struct mxt_model_reader *r, const char *key);
bool mxt_model_is_true(const struct mxt_model_reader *r, const char *key);

/* "an object", "a string", … for messages. */
const char *mxt_model_kind(const json_t *value);

/*
 * What the config has and the workload does not: sentences in not_modelled, excluded parts, model->attention_layers.
 * `root` is the outermost object.
 */
int mxt_model_unmodelled(const struct mxt_model_reader *r, const json_t *root, struct mxt_model *model) MXT_WUR;

#endif
