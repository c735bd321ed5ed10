/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "axolotl_config.h"
#include "error.h"
#include "exposure.h"
#include "model_source.h"
#include "workload_build.h"
#include "workload_lengths.h"

void mxt_workload_finish(struct mxt_workload *workload)
{
	for (size_t i = 0; i < workload->n_not_modelled; i++)
		free(workload->not_modelled[i]);
	for (size_t i = 0; i < workload->n_notes; i++)
		free(workload->notes[i]);
	free(workload->schedule.dataset);
	*workload = (struct mxt_workload){.n_notes = 0};
}

/* What a job is taken to be where neither a file nor a flag says so. */
static const struct mxt_training default_training = {
    .seq_len = 4096,
    .micro_batch = 1,
    .gpus = 1,
    .nodes = 1,
    .dtype = MXT_DTYPE_BF16,
    .autocast = true,
    .adapter = MXT_ADAPTER_LORA,
    .lora_rank = 16,
    .lora_targets = MXT_PROJ_ALL,
    .checkpointing = true,
};

/* ---- flags ---- */

struct flag_row {
	const char *name;
	int64_t value; /* -1: not given */
	int64_t min, max;
	int32_t *target; /* NULL: handled apart */
};

static int check_flag(const struct flag_row *row, struct mxt_error *err)
{
	if (row->value == -1 || (row->value >= row->min && row->value <= row->max))
		return 0;
	return mxt_error_set(err, -ERANGE, MXT_E_WORKLOAD,
			     "--%s is %" PRId64 "; it can be from %" PRId64 " to %" PRId64, row->name, row->value,
			     row->min, row->max);
}

/* 0 trains the whole model; a rank brings LoRA on all projections to a job that has none. */
static void apply_lora_rank(struct mxt_training *t, int64_t rank)
{
	if (rank < 0)
		return;
	t->lora_rank = (int32_t)rank;
	if (rank == 0) {
		t->adapter = MXT_ADAPTER_NONE;
		t->lora_targets = 0;
	} else if (t->adapter == MXT_ADAPTER_NONE) {
		t->adapter = MXT_ADAPTER_LORA;
		t->lora_targets = MXT_PROJ_ALL;
	}
}

static int apply_flags(const struct mxt_workload_source *source, struct mxt_training *t, struct mxt_error *err)
{
	const struct flag_row rows[] = {
	    {"seq-len", source->seq_len, 1, MXT_MAX_SEQ_LEN, &t->seq_len},
	    {"micro-batch", source->micro_batch, 1, MXT_MAX_MICRO_BATCH, &t->micro_batch},
	    {"gpus", source->gpus, 1, MXT_MAX_GPUS, &t->gpus},
	    {"nodes", source->nodes, 1, MXT_MAX_GPUS, &t->nodes},
	    {"lora-rank", source->lora_rank, 0, MXT_MAX_LORA_RANK, NULL},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		int rc = check_flag(&rows[i], err);
		if (rc < 0)
			return rc;
		if (rows[i].target && rows[i].value >= 0)
			*rows[i].target = (int32_t)rows[i].value;
	}
	apply_lora_rank(t, source->lora_rank);
	if (source->checkpointing >= 0)
		t->checkpointing = source->checkpointing > 0;
	if (source->packing >= 0)
		t->packing = source->packing > 0;
	return 0;
}

/* ---- one form for one meaning, whatever the source ---- */

static uint32_t projections_of(const struct mxt_model *m)
{
	return m->gated_mlp ? MXT_PROJ_ALL : MXT_PROJ_ALL & ~(uint32_t)MXT_PROJ_GATE;
}

/* A fused projection is a target as a whole. */
static uint32_t spread(uint32_t targets, uint32_t group, bool fused)
{
	return fused && (targets & group) ? targets | group : targets;
}

/* Axolotl fuses a group when all of its projections, each on its own, carry LoRA. */
static uint32_t fusable(const struct mxt_model *m, uint32_t targets)
{
	static const uint32_t mlp = MXT_PROJ_GATE | MXT_PROJ_UP | MXT_PROJ_DOWN;
	static const uint32_t qkv = MXT_PROJ_Q | MXT_PROJ_K | MXT_PROJ_V;
	uint32_t kernels = 0;
	if (m->gated_mlp && !m->fused_gate_up && m->experts == 0 && (targets & mlp) == mlp)
		kernels |= MXT_FUSED_MLP;
	if (!m->fused_qkv && (targets & qkv) == qkv)
		kernels |= MXT_FUSED_QKV;
	return targets & MXT_PROJ_O ? kernels | MXT_FUSED_O : kernels;
}

static void normalise(struct mxt_workload *w)
{
	struct mxt_training *t = &w->training;
	const struct mxt_model *m = &w->model;
	uint32_t targets = spread(t->lora_targets, MXT_PROJ_Q | MXT_PROJ_K | MXT_PROJ_V, m->fused_qkv);
	targets = spread(targets, MXT_PROJ_GATE | MXT_PROJ_UP, m->fused_gate_up);
	bool all = (targets & projections_of(m)) == projections_of(m);
	t->lora_targets = t->adapter == MXT_ADAPTER_NONE ? 0 : all ? MXT_PROJ_ALL : targets & projections_of(m);
	t->padding = t->padding && !t->packing; /* packed sequences are padded anyway */
	t->pads_alone = !t->packing && !t->padding && t->micro_batch == 1 && w->schedule.multiple > 1;
	t->non_reentrant = t->non_reentrant && t->checkpointing;
	t->fused_lora &= fusable(m, t->adapter == MXT_ADAPTER_NONE ? 0 : targets);
	t->lora_dropout = t->lora_dropout && (t->fused_lora & MXT_FUSED_O);
	bool one = t->gpus * (int64_t)t->nodes == 1;
	if (one)
		t->strategy = MXT_STRATEGY_SINGLE;
	else if (t->strategy == MXT_STRATEGY_SINGLE)
		t->strategy = MXT_STRATEGY_DDP;
}

/* ---- what follows from the whole ---- */

static bool is_mixture(const struct mxt_workload *w)
{
	return w->model.experts > 0;
}

static bool loads_8_bits(const struct mxt_workload *w)
{
	return w->training.load_bits == 8;
}

/* Flash attention and its like drop padding first; SDPA gets a mask, and eager attention computes it. */
static bool drops_padding(const struct mxt_workload *w)
{
	const struct mxt_training *t = &w->training;
	bool computes_padding = w->attention == MXT_ATTENTION_UNSET || w->attention == MXT_ATTENTION_SDPA ||
				w->attention == MXT_ATTENTION_EAGER;
	return !computes_padding && !t->packing && (t->padding || t->micro_batch > 1);
}

static bool fuses_cross_entropy(const struct mxt_workload *w)
{
	return w->training.fused_cross_entropy;
}

static bool is_distributed(const struct mxt_workload *w)
{
	return w->training.strategy != MXT_STRATEGY_SINGLE;
}

struct consequence {
	bool (*applies)(const struct mxt_workload *workload);
	uint32_t parts;
	const char *text;
};

static const struct consequence consequences[] = {
    {drops_padding, 0,
     "the padding that attention leaves out (attn_implementation): its sequences are timed at their full length"},
    {is_mixture, MXT_PART_MLP, "the expert MLPs and their router: attention and lm_head are timed, experts are not"},
    {loads_8_bits, MXT_PART_BASE, "products with 8-bit base weights, which run in kernels of their own"},
    {fuses_cross_entropy, MXT_PART_LM_HEAD, "lm_head inside a fused cross entropy kernel"},
    {is_distributed, 0, "the exchange of gradients and weights between GPUs"},
};

static int add_consequences(struct mxt_workload *w, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(consequences); i++)
		if (consequences[i].applies(w))
			rc = mxt_workload_exclude(w, consequences[i].parts, err, "%s", consequences[i].text);
	return rc;
}

/* ---- loading ---- */

static int read_sources(const struct mxt_workload_source *source, struct mxt_workload *w, struct mxt_error *err)
{
	MXT_CLEANUP_AXOLOTL struct mxt_axolotl_config config = MXT_AXOLOTL_CONFIG_INIT;
	if (source->config_yaml) {
		int rc = mxt_axolotl_config_read(source->config_yaml, w, &config, err);
		if (rc < 0)
			return rc;
	}
	const char *model = source->model ? source->model : config.base_model;
	if (!model && source->config_yaml)
		return mxt_error_set(err, -EINVAL, MXT_E_YAML_VALUE,
				     "%s: base_model is missing; add it, or name the model with --model",
				     source->config_yaml);
	if (!model)
		return mxt_error_set(err, -EINVAL, MXT_E_WORKLOAD_SOURCE,
				     "no workload is named; give --config FILE.yaml or --model NAME");
	const char *revision = source->model ? NULL : config.revision;
	int rc = mxt_model_source_read(model, revision, source->environment, w, err);
	return rc < 0 && !source->model ? mxt_error_wrap(err, rc, "%s: base_model", source->config_yaml) : rc;
}

static int load(const struct mxt_workload_source *source, struct mxt_workload *w, struct mxt_error *err)
{
	w->training = default_training;
	int rc = read_sources(source, w, err);
	if (rc == 0)
		rc = apply_flags(source, &w->training, err);
	if (rc < 0)
		return rc;
	normalise(w);
	/* Axolotl asks for this gradient with every adapter; peft by itself only for checkpoints. */
	w->training.frozen_input =
	    !source->config_yaml && w->training.adapter != MXT_ADAPTER_NONE && !w->training.checkpointing;
	rc = mxt_workload_state_lengths(w, source->lengths, err);
	if (rc == 0)
		rc = mxt_exposure_resolve(w, source->steps, source->distinct_lengths, err);
	return rc < 0 ? rc : add_consequences(w, err);
}

int mxt_workload_load(const struct mxt_workload_source *source, struct mxt_workload *ret_workload,
		      struct mxt_error *err)
{
	struct mxt_workload workload = {.n_notes = 0};
	int rc = load(source, &workload, err);
	if (rc < 0)
		mxt_workload_finish(&workload);
	else
		*ret_workload = workload;
	return rc;
}
