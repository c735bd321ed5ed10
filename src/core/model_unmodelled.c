/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "model_family.h"
#include "model_reader.h"
#include "printable.h"
#include "workload_build.h"

static bool is_softmax_layer(const json_t *type)
{
	static const char *const kinds[] = {"full_attention", "sliding_attention", "chunked_attention", "attention",
					    "hybrid"}; /* beside a state space, in Falcon-H1 */
	const char *name = json_string_value(type);
	for (size_t i = 0; name && i < MXT_ARRAY_LEN(kinds); i++)
		if (strcmp(name, kinds[i]) == 0)
			return true;
	return false;
}

/* Hybrids list the kind of every layer. */
static int read_layer_types(const struct mxt_model_reader *r, struct mxt_model *m)
{
	const json_t *types = mxt_model_value(r, "layer_types");
	if (!types)
		return 0;
	if (!json_is_array(types))
		return mxt_error_set(r->err, -EINVAL, MXT_E_MODEL_CONFIG,
				     "%s: %slayer_types is %s; it must be an array with the kind of each layer",
				     r->name, r->within, mxt_model_kind(types));
	int32_t softmax = 0;
	for (size_t i = 0; i < json_array_size(types); i++)
		softmax += is_softmax_layer(json_array_get(types, i)) ? 1 : 0;
	if (json_array_size(types) != (size_t)m->layers)
		return mxt_error_set(r->err, -EINVAL, MXT_E_MODEL_CONFIG,
				     "%s: %slayer_types has %zu entries for %" PRId32 " layers; correct one of the two",
				     r->name, r->within, json_array_size(types), m->layers);
	if (softmax == m->layers)
		return 0;
	m->attention_layers = softmax;
	return mxt_workload_exclude(r->workload, softmax ? 0 : MXT_PART_ATTENTION | MXT_PART_QKVO, r->err,
				    "the %" PRId32 " of %" PRId32
				    " layers that have no softmax attention (but for their MLP)",
				    m->layers - softmax, m->layers);
}

struct feature {
	const char *key;
	uint32_t parts;
	const char *text;
};

/* Keys that stand for something that is not modelled when they are an object, true, or a number other than 0. */
static const struct feature features[] = {
    {"kv_lora_rank", MXT_PART_ATTENTION | MXT_PART_QKVO, "multi-head latent attention and its projections"},
    {"attn_logit_softcapping", MXT_PART_ATTENTION, "attention with capped scores, which no fused kernel here computes"},
    {"alibi", MXT_PART_ATTENTION, "attention with ALiBi biases"},
    {"mamba_d_state", 0, "the state spaces of layers that have them"},
    {"mlp_bias", 0, "the biases of the MLP's projections"},
    {"attn_output_gate", MXT_PART_QKVO, "projections of attention with a gate on its output"},
};

static bool is_set(const json_t *value)
{
	return json_is_object(value) || json_is_true(value) || (json_is_number(value) && json_number_value(value) != 0);
}

static int add_features(const struct mxt_model_reader *r)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(features); i++)
		if (is_set(mxt_model_value(r, features[i].key)))
			rc = mxt_workload_exclude(r->workload, features[i].parts, r->err, "%s", features[i].text);
	return rc;
}

/* What the family has whether a key says so or not. */
static int add_family(const struct mxt_model_reader *r)
{
	uint32_t rules = r->family->rules;
	bool silent = !json_object_get(r->object, "attn_logit_softcapping");
	bool all = (rules & MXT_FAMILY_BIAS_ALL) != 0;
	int rc = 0;
	if ((rules & MXT_FAMILY_SOFTCAP) && silent)
		rc = mxt_workload_exclude(r->workload, features[1].parts, r->err, "%s", features[1].text);
	if (rc == 0 && (rules & MXT_FAMILY_SINKS))
		rc = mxt_workload_exclude(r->workload, MXT_PART_ATTENTION, r->err,
					  "attention with learned sinks, which no fused kernel here computes");
	if (rc == 0 && (all || ((rules & MXT_FAMILY_BIAS_KEY) && mxt_model_is_true(r, "attention_bias"))))
		rc = mxt_workload_exclude(r->workload, 0, r->err, "the bias of the output projection of attention");
	if (rc == 0 && all)
		rc = mxt_workload_exclude(r->workload, 0, r->err, "the biases of the MLP's projections");
	return rc;
}

static int add_generic(const struct mxt_model_reader *r)
{
	if (!(r->family->rules & MXT_FAMILY_GENERIC))
		return 0;
	char shown[MXT_PRINTABLE_SIZE];
	return mxt_workload_exclude(
	    r->workload, 0, r->err,
	    "the exact layers of model_type %s: it is not in the table of families and is taken as "
	    "Llama-like, with separate projections",
	    mxt_printable(r->model_type, shown));
}

/* Towers beside the language model, and weights that are stored quantised: keys of the outermost object. */
static int add_surroundings(const struct mxt_model_reader *r, const json_t *root)
{
	static const char *const towers[] = {"vision_config", "audio_config", "speech_config"};
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(towers); i++)
		if (json_is_object(json_object_get(root, towers[i])))
			rc = mxt_workload_exclude(r->workload, 0, r->err, "the tower that %s describes: text only",
						  towers[i]);
	const json_t *quantisation = json_object_get(root, "quantization_config");
	if (rc < 0 || !json_is_object(quantisation))
		return rc;
	if (json_is_true(json_object_get(quantisation, "load_in_4bit"))) {
		r->workload->training.load_bits = 4;
		return 0;
	}
	const char *method = json_string_value(json_object_get(quantisation, "quant_method"));
	char shown[MXT_PRINTABLE_SIZE];
	return mxt_workload_exclude(r->workload, MXT_PART_BASE, r->err,
				    "products with base weights that are stored quantised (%s)",
				    mxt_printable(method ? method : "unknown method", shown));
}

int mxt_model_unmodelled(const struct mxt_model_reader *r, const json_t *root, struct mxt_model *model)
{
	int rc = read_layer_types(r, model);
	if (rc == 0)
		rc = add_generic(r);
	if (rc == 0)
		rc = add_features(r);
	if (rc == 0)
		rc = add_family(r);
	return rc < 0 ? rc : add_surroundings(r, root);
}
