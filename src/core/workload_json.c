/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decision.workload. Everything that determines the problems, and nothing else; a value at its default is left out, so
 * that a new member never changes the hash of an old plan.
 */
#include "compiler.h"
#include "workload.h"

struct integer_row {
	const char *key;
	int64_t value;
	int64_t omitted; /* the default */
};

struct flag_row {
	const char *key;
	bool value;
	bool omitted;
};

struct bit_row {
	const char *name;
	uint32_t bit;
};

static int set_integers(json_t *object, const struct integer_row *rows, size_t count)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < count; i++)
		if (rows[i].value != rows[i].omitted)
			rc = json_object_set_new(object, rows[i].key, json_integer(rows[i].value));
	return rc;
}

static int set_flags(json_t *object, const struct flag_row *rows, size_t count)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < count; i++)
		if (rows[i].value != rows[i].omitted)
			rc = json_object_set_new(object, rows[i].key, json_boolean(rows[i].value));
	return rc;
}

static json_t *bit_names(uint32_t bits, const struct bit_row *rows, size_t count)
{
	json_t *names = json_array();
	for (size_t i = 0; names && i < count; i++) {
		if (!(bits & rows[i].bit) || json_array_append_new(names, json_string(rows[i].name)) == 0)
			continue;
		json_decref(names);
		return NULL;
	}
	return names;
}

static json_t *model_json(const struct mxt_model *m)
{
	const struct integer_row integers[] = {
	    {"layers", m->layers, 0},
	    {"hidden", m->hidden, 0},
	    {"heads", m->heads, 0},
	    {"kv_heads", m->kv_heads, m->heads},
	    {"head_dim", m->head_dim, m->hidden / m->heads},
	    {"ffn", m->ffn, 0},
	    {"vocab", m->vocab, 0},
	    {"attention_layers", m->attention_layers, 0},
	    {"sliding_window", m->sliding_window, 0},
	    {"sliding_layers", m->sliding_layers, 0},
	    {"experts", m->experts, 0},
	};
	const struct flag_row flags[] = {
	    {"gated_mlp", m->gated_mlp, true},
	    {"fused_qkv", m->fused_qkv, false},
	    {"fused_gate_up", m->fused_gate_up, false},
	    {"attention_bias", m->attention_bias, false},
	    {"tied_embeddings", m->tied_embeddings, false},
	};
	json_t *json = json_object();
	if (!json || set_integers(json, integers, MXT_ARRAY_LEN(integers)) < 0 ||
	    set_flags(json, flags, MXT_ARRAY_LEN(flags)) < 0) {
		json_decref(json);
		return NULL;
	}
	return json;
}

/* Only targets other than all projections are written, and only kernels other than all. */
static int set_lora(json_t *json, const struct mxt_training *t)
{
	static const char *const adapters[] = {
	    [MXT_ADAPTER_NONE] = "none", [MXT_ADAPTER_LORA] = "lora", [MXT_ADAPTER_QLORA] = "qlora"};
	static const struct bit_row targets[] = {
	    {"q", MXT_PROJ_Q},       {"k", MXT_PROJ_K},   {"v", MXT_PROJ_V},       {"o", MXT_PROJ_O},
	    {"gate", MXT_PROJ_GATE}, {"up", MXT_PROJ_UP}, {"down", MXT_PROJ_DOWN},
	};
	static const struct bit_row kernels[] = {{"mlp", MXT_FUSED_MLP}, {"qkv", MXT_FUSED_QKV}, {"o", MXT_FUSED_O}};
	if (t->adapter == MXT_ADAPTER_NONE)
		return 0;
	int rc = json_object_set_new(json, "adapter", json_string(adapters[t->adapter]));
	if (rc == 0)
		rc = json_object_set_new(json, "lora_rank", json_integer(t->lora_rank));
	if (rc == 0 && t->lora_targets != MXT_PROJ_ALL)
		rc = json_object_set_new(json, "lora_targets",
					 bit_names(t->lora_targets, targets, MXT_ARRAY_LEN(targets)));
	if (rc == 0 && t->fused_lora != 0 && t->fused_lora != MXT_FUSED_ALL)
		rc = json_object_set_new(json, "fused_lora_kernels",
					 bit_names(t->fused_lora, kernels, MXT_ARRAY_LEN(kernels)));
	return rc;
}

static int set_names(json_t *json, const struct mxt_training *t)
{
	static const char *const strategies[] = {[MXT_STRATEGY_SINGLE] = "single",
						 [MXT_STRATEGY_DDP] = "ddp",
						 [MXT_STRATEGY_FSDP] = "fsdp",
						 [MXT_STRATEGY_ZERO] = "zero"};
	int rc = 0;
	if (t->dtype != MXT_DTYPE_BF16)
		rc = json_object_set_new(json, "dtype", json_string(mxt_dtype_name(t->dtype)));
	if (rc == 0 && (t->packing || t->padding))
		rc = json_object_set_new(json, "lengths", json_string(t->packing ? "packed" : "padded"));
	if (rc == 0 && t->packing && t->mixed_documents)
		rc = json_object_set_new(json, "documents", json_string("mixed"));
	if (rc == 0 && t->strategy != MXT_STRATEGY_SINGLE)
		rc = json_object_set_new(json, "strategy", json_string(strategies[t->strategy]));
	return rc;
}

static json_t *training_json(const struct mxt_training *t)
{
	const struct integer_row integers[] = {
	    {"seq_len", t->seq_len, 0}, {"micro_batch", t->micro_batch, 0}, {"gpus", t->gpus, 1},
	    {"nodes", t->nodes, 1},     {"load_bits", t->load_bits, 0},
	};
	const struct flag_row flags[] = {
	    {"autocast", t->autocast, true},
	    {"checkpointing", t->checkpointing, false},
	    {"pads_alone", t->pads_alone, false},
	    {"non_reentrant", t->non_reentrant, false},
	    {"frozen_input", t->frozen_input, false},
	    {"fused_lora", t->fused_lora != 0, false},
	    {"lora_dropout", t->lora_dropout, false},
	    {"fused_cross_entropy", t->fused_cross_entropy, false},
	    {"liger_cross_entropy", t->liger_cross_entropy, false},
	    {"deterministic", t->deterministic, false},
	};
	json_t *json = json_object();
	if (!json || set_integers(json, integers, MXT_ARRAY_LEN(integers)) < 0 ||
	    set_flags(json, flags, MXT_ARRAY_LEN(flags)) < 0 || set_lora(json, t) < 0 || set_names(json, t) < 0) {
		json_decref(json);
		return NULL;
	}
	return json;
}

json_t *mxt_workload_json(const struct mxt_workload *workload)
{
	static const struct bit_row parts[] = {
	    {"attention", MXT_PART_ATTENTION}, {"qkvo", MXT_PART_QKVO}, {"mlp", MXT_PART_MLP},
	    {"base", MXT_PART_BASE},           {"lora", MXT_PART_LORA}, {"lm_head", MXT_PART_LM_HEAD},
	};
	json_t *json = json_object();
	int rc = json ? 0 : -1;
	if (rc == 0)
		rc = json_object_set_new(json, "model", model_json(&workload->model));
	if (rc == 0)
		rc = json_object_set_new(json, "training", training_json(&workload->training));
	if (rc == 0 && workload->excluded)
		rc = json_object_set_new(json, "excluded", bit_names(workload->excluded, parts, MXT_ARRAY_LEN(parts)));
	if (rc == 0)
		return json;
	json_decref(json);
	return NULL;
}
