/* SPDX-License-Identifier: Apache-2.0 */
#include "model_window.h"

#include <string.h>

#include "compiler.h"
#include "model_reader.h"
#include "workload.h"

struct pattern_row {
	const char *model_type;
	int32_t every; /* so many-th layer is full */
};

static const struct pattern_row patterns[] = {
    {"cohere2", 4}, {"gemma2", 2}, {"gemma3", 6}, {"gemma3_text", 6}, {"olmo3", 4},
};

static int32_t listed_layers(const json_t *types)
{
	int32_t sliding = 0;
	for (size_t i = 0; i < json_array_size(types); i++) {
		const char *name = json_string_value(json_array_get(types, i));
		sliding += name && strcmp(name, "sliding_attention") == 0 ? 1 : 0;
	}
	return sliding;
}

static int32_t pattern_of(const struct mxt_model_reader *r)
{
	json_int_t every = json_integer_value(mxt_model_value(r, "sliding_window_pattern"));
	if (every >= 2 && every <= INT32_MAX)
		return (int32_t)every;
	for (size_t i = 0; r->model_type && i < MXT_ARRAY_LEN(patterns); i++)
		if (strcmp(patterns[i].model_type, r->model_type) == 0)
			return patterns[i].every;
	return 0;
}

static int32_t sliding_layers(const struct mxt_model_reader *r, const struct mxt_model *m)
{
	const json_t *types = mxt_model_value(r, "layer_types");
	const json_t *full = mxt_model_value(r, "max_window_layers");
	int32_t every = pattern_of(r);
	if (json_is_array(types))
		return listed_layers(types);
	if (every)
		return m->layers - m->layers / every;
	if (!json_is_integer(full) || json_integer_value(full) < 0)
		return m->layers;
	return json_integer_value(full) < m->layers ? m->layers - (int32_t)json_integer_value(full) : 0;
}

void mxt_model_window(const struct mxt_model_reader *r, struct mxt_model *model)
{
	int32_t sliding = model->sliding_window ? sliding_layers(r, model) : 0;
	if (sliding == 0)
		model->sliding_window = 0;
	model->sliding_layers = sliding < model->layers ? sliding : 0;
}
