/* SPDX-License-Identifier: Apache-2.0 */
#include "model_config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "input_file.h"
#include "json.h"
#include "model_family.h"
#include "model_reader.h"
#include "model_window.h"
#include "workload_build.h"

/* ---- single keys ---- */

#define MAX_SPELLINGS 5

/* A number by its names; the first is the usual one. Others count for families that are not in the table only. */
struct count_key {
	const char *spellings[MAX_SPELLINGS];
	int32_t max;
};

static const struct count_key key_layers = {{"num_hidden_layers", "n_layer", "num_layers", "n_layers"}, MXT_MAX_LAYERS};
static const struct count_key key_hidden = {{"hidden_size", "n_embd", "d_model"}, MXT_MAX_HIDDEN};
static const struct count_key key_heads = {{"num_attention_heads", "n_head", "num_heads", "n_heads"}, MXT_MAX_HEADS};
static const struct count_key key_kv_heads = {{"num_key_value_heads", "num_kv_heads", "n_head_kv"}, MXT_MAX_HEADS};
static const struct count_key key_head_dim = {{"head_dim"}, MXT_MAX_HEAD_DIM};
static const struct count_key key_ffn = {{"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "d_ff"},
					 MXT_MAX_FFN};
static const struct count_key key_vocab = {{"vocab_size", "padded_vocab_size"}, MXT_MAX_VOCAB};
static const struct count_key key_window = {{"sliding_window"}, MXT_MAX_WINDOW};
static const struct count_key key_experts[] = {{{"num_experts"}, MXT_MAX_EXPERTS},
					       {{"num_local_experts"}, MXT_MAX_EXPERTS},
					       {{"n_routed_experts"}, MXT_MAX_EXPERTS},
					       {{"moe_num_experts"}, MXT_MAX_EXPERTS}};

static const char *spelling_in_use(const struct mxt_model_reader *r, const struct count_key *key)
{
	size_t count = r->family->rules & MXT_FAMILY_GENERIC ? MAX_SPELLINGS : 1;
	for (size_t i = 0; i < count && key->spellings[i]; i++)
		if (mxt_model_value(r, key->spellings[i]))
			return key->spellings[i];
	return NULL;
}

/* A list with a number for each layer counts as its number when all are the same (Gemma 3n). */
static const json_t *number_of(const json_t *value)
{
	size_t count = json_is_array(value) ? json_array_size(value) : 0;
	const json_t *first = json_array_get(value, 0);
	for (size_t i = 1; i < count; i++)
		if (!json_equal(first, json_array_get(value, i)))
			return value;
	return count > 1 && json_is_integer(first) ? first : value;
}

/* A whole number from `min` to key->max; *ret_value is left alone when the key is absent or null. */
static int read_count(const struct mxt_model_reader *r, const struct count_key *key, int32_t min, int32_t *ret_value)
{
	const char *spelling = spelling_in_use(r, key);
	if (!spelling)
		return 0;
	const json_t *value = number_of(mxt_model_value(r, spelling));
	if (!json_is_integer(value))
		return mxt_error_set(r->err, -EINVAL, MXT_E_MODEL_CONFIG,
				     "%s: %s%s is %s; it must be a whole number from %" PRId32 " to %" PRId32, r->name,
				     r->within, spelling, mxt_model_kind(value), min, key->max);
	json_int_t number = json_integer_value(value);
	if (number < min || number > key->max)
		return mxt_error_set(r->err, -ERANGE, MXT_E_MODEL_CONFIG,
				     "%s: %s%s is %" JSON_INTEGER_FORMAT "; it must be from %" PRId32 " to %" PRId32,
				     r->name, r->within, spelling, number, min, key->max);
	*ret_value = (int32_t)number;
	return 0;
}

/* A count that the family may have a default for; a default that is used is noted. */
static int need_count(const struct mxt_model_reader *r, const struct count_key *key, int32_t fallback,
		      int32_t *ret_value)
{
	const char *usual = key->spellings[0];
	if (spelling_in_use(r, key))
		return read_count(r, key, 1, ret_value);
	if (fallback == 0)
		return mxt_error_set(r->err, -EINVAL, MXT_E_MODEL_CONFIG,
				     "%s: %s%s is missing; a model cannot be modelled without it (is the file cut off, "
				     "or not a model's config.json?)",
				     r->name, r->within, usual);
	*ret_value = fallback;
	return mxt_workload_note(r->workload, r->err,
				 "config.json has no %s%s; %" PRId32 " is taken, transformers' default for %s",
				 r->within, usual, fallback, r->family->model_type);
}

/* Keys that are true or false wherever they are; what is something else is a damaged file. */
static int check_flags(const struct mxt_model_reader *r)
{
	static const char *const flags[] = {"attention_bias",      "use_qkv_bias",       "mlp_bias",
					    "tie_word_embeddings", "use_sliding_window", "multi_query",
					    "is_encoder_decoder"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(flags); i++) {
		const json_t *value = mxt_model_value(r, flags[i]);
		if (value && !json_is_boolean(value))
			return mxt_error_set(r->err, -EINVAL, MXT_E_MODEL_CONFIG,
					     "%s: %s%s is %s; it must be true or false", r->name, r->within, flags[i],
					     mxt_model_kind(value));
	}
	return 0;
}

/* ---- dimensions ---- */

static int read_kv_heads(const struct mxt_model_reader *r, struct mxt_model *m)
{
	bool null = json_is_null(json_object_get(r->object, key_kv_heads.spellings[0]));
	m->kv_heads = null || r->family->kv_heads == 0 ? m->heads : r->family->kv_heads;
	if (r->family->rules & MXT_FAMILY_GENERIC && mxt_model_is_true(r, "multi_query"))
		m->kv_heads = 1;
	int rc = read_count(r, &key_kv_heads, 1, &m->kv_heads);
	if (rc < 0)
		return rc;
	if (m->kv_heads > 0 && m->heads % m->kv_heads == 0)
		return 0;
	return mxt_error_set(r->err, -EINVAL, MXT_E_MODEL_CONFIG,
			     "%s: %snum_attention_heads is %" PRId32 ", which is no multiple of the %" PRId32
			     " key and value heads; correct one of the two",
			     r->name, r->within, m->heads, m->kv_heads);
}

static int read_head_dim(const struct mxt_model_reader *r, struct mxt_model *m)
{
	m->head_dim = r->family->head_dim;
	int rc = read_count(r, &key_head_dim, 1, &m->head_dim);
	if (rc < 0)
		return rc;
	bool latent = mxt_model_value(r, "kv_lora_rank") != NULL; /* has no head_dim in this sense: any will do */
	if (m->head_dim == 0 && m->hidden % m->heads != 0 && !latent)
		return mxt_error_set(r->err, -EINVAL, MXT_E_MODEL_CONFIG,
				     "%s: %shidden_size is %" PRId32 ", which is no multiple of the %" PRId32
				     " attention heads, and there is no head_dim; correct one of them",
				     r->name, r->within, m->hidden, m->heads);
	if (m->head_dim == 0)
		m->head_dim = m->hidden / m->heads > 0 ? m->hidden / m->heads : 1;
	if (m->head_dim <= MXT_MAX_HEAD_DIM && (int64_t)m->heads * m->head_dim <= MXT_MAX_HIDDEN)
		return 0;
	return mxt_error_set(r->err, -ERANGE, MXT_E_MODEL_CONFIG,
			     "%s: %" PRId32 " attention heads of %" PRId32
			     " are more than can be modelled (head_dim up to %d, "
			     "all heads together up to %d)",
			     r->name, m->heads, m->head_dim, MXT_MAX_HEAD_DIM, MXT_MAX_HIDDEN);
}

static int read_experts(const struct mxt_model_reader *r, struct mxt_model *m)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(key_experts) && m->experts == 0; i++)
		rc = read_count(r, &key_experts[i], 0, &m->experts);
	if (m->experts == 1)
		m->experts = 0; /* one expert is a dense MLP */
	return rc;
}

/* GPT-2 leaves n_inner null and means four times the hidden size. A mixture of experts may have no dense width. */
static int read_ffn(const struct mxt_model_reader *r, struct mxt_model *m)
{
	int rc = read_experts(r, m);
	if (rc < 0)
		return rc;
	if (!spelling_in_use(r, &key_ffn) && m->experts > 0)
		return 0;
	int64_t wide = INT64_C(4) * m->hidden;
	if (r->family->rules & MXT_FAMILY_GENERIC && json_object_get(r->object, "n_inner") && wide <= MXT_MAX_FFN)
		m->ffn = (int32_t)wide;
	return m->ffn && !spelling_in_use(r, &key_ffn) ? 0 : need_count(r, &key_ffn, 0, &m->ffn);
}

static int read_dimensions(const struct mxt_model_reader *r, struct mxt_model *m)
{
	int rc = need_count(r, &key_layers, 0, &m->layers);
	if (rc == 0)
		rc = need_count(r, &key_hidden, 0, &m->hidden);
	if (rc == 0)
		rc = need_count(r, &key_heads, r->family->heads, &m->heads);
	if (rc == 0)
		rc = need_count(r, &key_vocab, r->family->vocab, &m->vocab);
	if (rc == 0)
		rc = read_kv_heads(r, m);
	if (rc == 0)
		rc = read_head_dim(r, m);
	return rc == 0 ? read_ffn(r, m) : rc;
}

/* ---- properties ---- */

static int read_window(const struct mxt_model_reader *r, struct mxt_model *m)
{
	unsigned rules = r->family->rules;
	const json_t *flag = json_object_get(r->object, "use_sliding_window");
	if (!(rules & (MXT_FAMILY_WINDOW_KEY | MXT_FAMILY_WINDOW_FLAG)) ||
	    ((rules & MXT_FAMILY_WINDOW_FLAG) && json_is_false(flag)))
		return 0;
	if ((rules & MXT_FAMILY_WINDOW_FLAG) && !(rules & MXT_FAMILY_WINDOW_KEY) && !json_is_true(flag))
		return 0;
	bool given = json_object_get(r->object, "sliding_window") != NULL;
	m->sliding_window = given ? 0 : r->family->window;
	return read_count(r, &key_window, 0, &m->sliding_window);
}

/* Activations that come with a gate in every model that is known to use them. */
static bool looks_gated(const struct mxt_model_reader *r)
{
	static const char *const gated[] = {"silu", "swish", "swiglu", "geglu"};
	const char *act = json_string_value(json_object_get(r->object, "hidden_act"));
	if (mxt_model_value(r, "hidden_activation")) /* the spelling of the Gemma line */
		return true;
	for (size_t i = 0; act && i < MXT_ARRAY_LEN(gated); i++)
		if (strcmp(act, gated[i]) == 0)
			return true;
	return false;
}

static bool has_attention_bias(const struct mxt_model_reader *r)
{
	uint32_t rules = r->family->rules;
	bool key = mxt_model_is_true(r, "attention_bias");
	if ((rules & MXT_FAMILY_BIAS_QKV_KEY) && (key || mxt_model_is_true(r, "use_qkv_bias")))
		return true;
	return (rules & (MXT_FAMILY_BIAS_QKV | MXT_FAMILY_BIAS_ALL)) || ((rules & MXT_FAMILY_BIAS_KEY) && key);
}

static void read_layout(const struct mxt_model_reader *r, struct mxt_model *m)
{
	uint32_t rules = r->family->rules;
	const json_t *tied = mxt_model_value(r, "tie_word_embeddings");
	m->gated_mlp = rules & MXT_FAMILY_GENERIC ? looks_gated(r) : !(rules & MXT_FAMILY_PLAIN_MLP);
	m->fused_qkv = (rules & MXT_FAMILY_FUSED_QKV) != 0;
	m->fused_gate_up = (rules & MXT_FAMILY_FUSED_GATE_UP) != 0;
	m->attention_bias = has_attention_bias(r);
	m->tied_embeddings = tied ? json_is_true(tied) : (rules & MXT_FAMILY_TIED) != 0;
}

/* ---- the whole ---- */

/* Multi-modal configs hold the language model's in text_config. */
static int reader_init(struct mxt_model_reader *r, const json_t *root)
{
	if (!json_is_object(root))
		return mxt_error_set(r->err, -EINVAL, MXT_E_MODEL_CONFIG,
				     "%s holds %s; a model's config.json is an object", r->name, mxt_model_kind(root));
	const json_t *text = json_object_get(root, "text_config");
	r->object = json_is_object(text) ? text : root;
	r->within = r->object == root ? "" : "text_config.";
	r->model_type = json_string_value(json_object_get(r->object, "model_type"));
	if (!r->model_type)
		r->model_type = json_string_value(json_object_get(root, "model_type"));
	if (!r->model_type)
		return mxt_error_set(
		    r->err, -EINVAL, MXT_E_MODEL_CONFIG,
		    "%s: model_type is missing or not a string; name the config.json of a model (is this "
		    "an adapter's or a trainer's file?)",
		    r->name);
	int rc = check_flags(r);
	if (rc < 0)
		return rc;
	if (mxt_model_is_true(r, "is_encoder_decoder"))
		return mxt_error_set(
		    r->err, -EINVAL, MXT_E_MODEL_CONFIG,
		    "%s: is_encoder_decoder is true; only decoder-only language models can be modelled", r->name);
	r->family = mxt_model_family_find(r->model_type);
	return 0;
}

int mxt_model_config_parse(const char *name, const json_t *root, struct mxt_workload *workload, struct mxt_error *err)
{
	struct mxt_model_reader r = {
	    .name = name, .family = mxt_model_family_find(""), .model_type = "", .workload = workload, .err = err};
	struct mxt_model model = {.layers = 0};
	int rc = reader_init(&r, root);
	if (rc == 0)
		rc = read_dimensions(&r, &model);
	if (rc == 0)
		rc = read_window(&r, &model);
	if (rc < 0)
		return rc;
	mxt_model_window(&r, &model);
	read_layout(&r, &model);
	rc = mxt_model_unmodelled(&r, root, &model);
	if (rc == 0)
		workload->model = model;
	return rc;
}

int mxt_model_config_read(const char *path, struct mxt_workload *workload, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *root = NULL;
	int rc = mxt_json_read_file(path, MXT_JSON_FOREIGN, &root, err);
	if (rc < 0)
		return mxt_input_refine(rc, err);
	return mxt_model_config_parse(path, root, workload, err);
}
