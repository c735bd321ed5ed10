/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What will be trained. Dimensions and properties only: names and paths never reach the plan, so that one model given
 * as preset, YAML or config.json yields one workload and one plan_id.
 */
#ifndef MXT_CORE_WORKLOAD_H
#define MXT_CORE_WORKLOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "problem.h"

struct mxt_error;

/* A decoder-only transformer. All counts > 0 unless said otherwise. */
struct mxt_model {
	int32_t layers, hidden, heads, kv_heads, head_dim, ffn, vocab; /* ffn may be 0 when experts > 0 */
	int32_t attention_layers; /* how many layers have softmax attention; 0: all (hybrids have fewer) */
	int32_t sliding_window;   /* tokens; 0: none */
	int32_t sliding_layers;   /* how many of the attention layers have that window; 0: all */
	int32_t experts;          /* 0: dense */
	bool gated_mlp;           /* gate and up projections (SwiGLU, GeGLU) */
	bool fused_qkv;           /* one projection for q, k and v (Phi-3) */
	bool fused_gate_up;       /* one projection for gate and up (Phi-3) */
	bool attention_bias;      /* q, k, v projections have biases */
	bool tied_embeddings;
};

enum mxt_adapter { MXT_ADAPTER_NONE, MXT_ADAPTER_LORA, MXT_ADAPTER_QLORA };

/* Which projections carry LoRA, as bits. */
enum mxt_projection {
	MXT_PROJ_Q = 1,
	MXT_PROJ_K = 2,
	MXT_PROJ_V = 4,
	MXT_PROJ_O = 8,
	MXT_PROJ_GATE = 16,
	MXT_PROJ_UP = 32,
	MXT_PROJ_DOWN = 64,
	MXT_PROJ_ALL = 127,
};

/* Axolotl's fused LoRA kernels (lora_*_kernel), as bits. */
enum mxt_fused_lora {
	MXT_FUSED_MLP = 1,
	MXT_FUSED_QKV = 2,
	MXT_FUSED_O = 4,
	MXT_FUSED_ALL = 7,
};

/* What computes attention, as the trainer's config names it. */
enum mxt_attention_kind {
	MXT_ATTENTION_UNSET, /* the trainer's default */
	MXT_ATTENTION_SDPA,
	MXT_ATTENTION_EAGER,
	MXT_ATTENTION_FA2,
	MXT_ATTENTION_FA3,
	MXT_ATTENTION_FLEX,
	MXT_ATTENTION_XFORMERS,
	MXT_ATTENTION_SAGE,
	MXT_ATTENTION_FP8,
	MXT_ATTENTION_HUB, /* a kernel from the Hub */
	MXT_ATTENTION_KIND_COUNT
};

/*
 * What the keys of a config say of attention. What follows from them depends on what is installed: attention_today.h.
 * Never part of the decision.
 */
#define MXT_ATTENTION_TEXT 48
struct mxt_attention_config {
	bool axolotl;                  /* there is an Axolotl config; else transformers alone decide */
	uint32_t flags;                /* the older flags that are true: bits 1 << enum mxt_attention_kind */
	enum mxt_attention_kind named; /* by attn_implementation */
	char name[MXT_ATTENTION_TEXT]; /* attn_implementation as written, cut; "" */
	int sdpa_varlen;               /* 1: true, -1: false, 0: not given */
	bool gemma4_hybrid, s2;        /* gemma4_hybrid_attn_impl, s2_attention */
	bool large_head;               /* large_head_attention, unless it is sdpa; the older flash_attn_d512 */
	bool mixes_pretraining;        /* pretraining that switches the isolation of packed documents off */
};

/*
 * How long sequences are, and how often a run meets lengths that it has not seen. Never part of the decision: it only
 * explains it.
 */
#define MXT_LENGTH_SAMPLES 512
struct mxt_lengths {
	const char *source;                  /* static: "dataset", "flags", "assumed"; NULL: not known */
	uint32_t n_samples;                  /* of `samples`; 0: not known */
	int32_t samples[MXT_LENGTH_SAMPLES]; /* lengths of documents in tokens, ascending, at equal quantiles */
	int64_t documents;                   /* in the dataset; 0: not known */
	int64_t tokens;                      /* of all of them; 0: not known */
	int64_t values;                      /* how many different lengths they have; 0: not known */
	int32_t longest;                     /* of all of them; 0: not known */
	int64_t passes;                      /* forward passes of one device over the run; 0: not known */
	int64_t distinct;            /* shapes of a micro-batch that a flag says they meet; 0: what is expected */
	const char *passes_source;   /* static: "flags", "config", or as `source`; NULL: not known */
	const char *distinct_source; /* static: "flags"; NULL: as `source` */
};

/* What a pack fills; unset: a sequence, unless the attention that is asked for knows documents by itself. */
enum mxt_packs { MXT_PACKS_UNSET, MXT_PACKS_ROWS, MXT_PACKS_BATCH };

/* How the trainer walks through its data. Like the lengths, never part of the decision. */
struct mxt_schedule {
	double epochs;          /* passes over the data; 0: not known */
	int64_t max_steps;      /* of the optimizer, whatever the epochs; 0: no limit */
	int32_t accumulation;   /* micro-batches in a step of the optimizer; 0: one */
	double validation;      /* what is held back: a share below 1, else a number of documents */
	int32_t multiple;       /* micro-batches are padded to a multiple of so many tokens; 0: to their longest */
	bool grouped;           /* documents of similar lengths share a micro-batch */
	int32_t pack_documents; /* at most so many in a pack; 0: no limit */
	enum mxt_packs packs;   /* how many a micro-batch has */
	bool open_packs;        /* packs are not padded to their capacity */
	char *dataset; /* where the trainer keeps prepared datasets, or the one that was read; owned, or NULL */
};

enum mxt_strategy { MXT_STRATEGY_SINGLE, MXT_STRATEGY_DDP, MXT_STRATEGY_FSDP, MXT_STRATEGY_ZERO };

struct mxt_training {
	int32_t seq_len, micro_batch;
	int32_t gpus, nodes;
	enum mxt_dtype dtype;
	bool autocast; /* mixed precision as accelerate runs it */
	enum mxt_adapter adapter;
	int32_t lora_rank;     /* 0 without adapter */
	uint32_t lora_targets; /* enum mxt_projection bits */
	bool packing, padding; /* neither: lengths vary */
	bool mixed_documents;  /* packed documents see each other: attention takes them for one sequence */
	bool pads_alone; /* a micro-batch of one sequence of varying length is padded, too (to a multiple of tokens) */
	bool checkpointing;
	bool non_reentrant;       /* the recomputation of a checkpoint stops before the layer's last product */
	bool frozen_input;        /* nothing asks for the gradient of the first layer's input */
	int32_t load_bits;        /* 4, 8, or 0 */
	uint32_t fused_lora;      /* enum mxt_fused_lora bits */
	bool lora_dropout;        /* set only where it changes products: with MXT_FUSED_O */
	bool fused_cross_entropy; /* lm_head inside the loss's kernel (Cut Cross Entropy) */
	bool liger_cross_entropy; /* lm_head in chunks (Liger) */
	bool deterministic;       /* only kernels that repeat their results bit by bit */
	enum mxt_strategy strategy;
};

/* What a job must do itself where training.deterministic is set: a plan cannot reach it. */
#define MXT_DETERMINISTIC_DUTY                                                                                         \
	"the job must call torch.use_deterministic_algorithms(True) before its first step: the kernels are chosen "    \
	"for that"

/* Parts of a step that no problem stands for, as bits. */
enum mxt_part {
	MXT_PART_ATTENTION = 1, /* the attention call */
	MXT_PART_QKVO = 2,      /* products of q, k, v, o with all that belongs to them */
	MXT_PART_MLP = 4,       /* the same of gate, up, down */
	MXT_PART_BASE = 8,      /* products with the base weights of q, k, v, o, gate, up, down */
	MXT_PART_LORA = 16,     /* products with LoRA weights */
	MXT_PART_LM_HEAD = 32,
	MXT_PART_ALL = 63,
};

#define MXT_NOT_MODELLED_MAX 32

struct mxt_workload {
	struct mxt_model model;
	struct mxt_training training;
	enum mxt_attention_kind attention; /* what the config asks for; the plan's own choice is apart */
	struct mxt_attention_config attention_config;
	struct mxt_lengths lengths;
	struct mxt_schedule schedule;
	uint32_t excluded; /* enum mxt_part bits; each is explained in not_modelled */
	/* What cannot be modelled and is not tuned, as sentences for the user; owned. */
	char *not_modelled[MXT_NOT_MODELLED_MAX];
	size_t n_not_modelled;
	/* What the user should know (dead keys, assumed defaults); owned. Never part of the plan's decision. */
	char *notes[MXT_NOT_MODELLED_MAX];
	size_t n_notes;
};

void mxt_workload_finish(struct mxt_workload *workload);

/* False for a zeroed one: nobody said what model it is, a recording stands for it. */
static inline bool mxt_workload_described(const struct mxt_workload *workload)
{
	return workload->model.layers > 0;
}

/*
 * How a small host shrinks the shapes (a fixed table over cores and memory, never measured time). A product whose
 * weight is cut by weight_extent stands for the whole one: its calls grow by the ratio of the two sizes.
 */
struct mxt_scale {
	int32_t gemm_tokens;      /* at most so many tokens in a GEMM; 0: no limit */
	int32_t attention_tokens; /* at most batch * seq in an attention problem; 0: no limit */
	int32_t weight_extent;    /* at most so many rows or columns of a weight matrix; 0: no limit */
	bool plain_attention;     /* no masks, windows or documents, for a provider that knows none of them */
};

/* The problems of one training step, equal calls merged (weights summed), and one layer in training order. */
struct mxt_layer_step {
	uint32_t problem; /* index into problems; MXT_LAYER_FILLER: a bandwidth-bound filler */
	uint64_t filler_bytes;
};
#define MXT_LAYER_FILLER UINT32_MAX

struct mxt_problem_set {
	struct mxt_problem *problems; /* owned */
	size_t n_problems;
	struct mxt_layer_step *layer; /* owned: forward, then backward, checkpointed forward repeated */
	size_t n_layer;
	struct mxt_scale scale; /* what was applied */
	bool scaled;            /* the real shapes are larger */
	/* Floating-point operations of one real, unscaled step by problem kind (of what is modelled). */
	double step_flops[MXT_PROBLEM_KIND_COUNT];
};

/* The fixed table: limits for a host with so many usable cores and bytes of memory. */
struct mxt_scale mxt_scale_for_host(uint32_t cores, uint64_t memory_bytes);

/*
 * The largest number of tokens, halved from the real ones as often as needed, at which the operands of every product
 * and of every attention call fit into `bytes`; no limits when the real ones do. Not below 128: what does not fit then
 * are weights.
 */
int mxt_scale_for_memory(const struct mxt_workload *workload, uint64_t bytes, enum mxt_dtype dtype,
			 struct mxt_scale *ret_scale, struct mxt_error *err) MXT_WUR;

/* dtype of the problems: what the device can run (the CPU's built-in provider: float32). */
int mxt_workload_problems(const struct mxt_workload *workload, const struct mxt_scale *scale, enum mxt_dtype dtype,
			  struct mxt_problem_set *ret_set, struct mxt_error *err) MXT_WUR;
void mxt_problem_set_finish(struct mxt_problem_set *set);

/*
 * {"problems": [{"problem", "calls", "share_ppm"}], "layer": [{"problem": index} or {"filler_bytes"}], "scaled"}; NULL
 * when memory ran out.
 */
json_t *mxt_problem_set_json(const struct mxt_problem_set *set);

/* decision.workload: canonical-form object, defaults omitted; NULL when memory ran out. */
json_t *mxt_workload_json(const struct mxt_workload *workload);

/* Where a workload comes from. Any subset may be set; flags override files, files override presets and defaults. */
struct mxt_workload_source {
	const char *config_yaml; /* Axolotl YAML */
	const char *model; /* preset name, path to a config.json or to a model folder, or a Hub id in the local cache */
	char *const *environment; /* for HF_HOME, HF_HUB_CACHE, XDG_CACHE_HOME, HOME; NULL-ended */
	/* Flags; -1: not given. */
	int64_t seq_len, micro_batch, lora_rank, gpus, nodes;
	int64_t steps, distinct_lengths; /* see exposure.h */
	int checkpointing, packing;      /* tri-state: -1, 0, 1 */
	const char *lengths;             /* --lengths; see workload_lengths.h */
	const char *dataset;             /* --dataset; the caller reads it */
};
#define MXT_WORKLOAD_SOURCE_INIT                                                                                       \
	{                                                                                                              \
		NULL, NULL, NULL, -1, -1, -1, -1, -1, -1, -1, -1, -1, NULL, NULL                                       \
	}

/* Reads, merges, validates. Errors (exit class INPUT) name file, place and remedy. */
int mxt_workload_load(const struct mxt_workload_source *source, struct mxt_workload *ret_workload,
		      struct mxt_error *err) MXT_WUR;

/* Names of the presets, NULL-ended. */
const char *const *mxt_model_presets(void);

#endif
