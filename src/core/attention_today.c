/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_today.h"

#include <stdio.h>
#include <string.h>

#include "attention_kind.h"
#include "attention_provider.h"
#include "compiler.h"
#include "release.h"
#include "workload_build.h"

#define BIT(kind) (UINT32_C(1) << MXT_ATTENTION_##kind)

/* What Axolotl's varlen path in sdpa takes (its monkeypatch/attention/sdpa_varlen.py). */
#define VARLEN_TORCH_MINOR  10
#define VARLEN_MAX_HEAD_DIM 256

struct resolver {
	const struct mxt_workload *workload;
	const struct mxt_attention_config *config;
	const struct mxt_attention_stack *stack;
	struct mxt_attention_today *today;
};

static bool is_there(const char *version)
{
	return version && *version;
}

/* An Axolotl that is not there is taken to be the newest. */
static bool axolotl_since(const struct resolver *r, unsigned minor)
{
	const char *version = r->stack->axolotl;
	return !is_there(version) || mxt_release_at_least(version, 0, minor);
}

/* The job ends at its start. The first reason stays. */
static void stop(struct resolver *r, const char *why)
{
	if (r->today->starts)
		(void)snprintf(r->today->note, sizeof r->today->note, "%s", why);
	r->today->starts = false;
}

static void unmodelled(struct resolver *r, const char *name)
{
	r->today->modelled = false;
	r->today->provider = NULL;
	(void)snprintf(r->today->name, sizeof r->today->name, "%s", name);
}

/* ---- which kind ---- */

static bool several(uint32_t flags)
{
	return (flags & (flags - 1)) != 0;
}

/* Axolotl 0.17 and later: one key; the older flags are translated into it. */
static enum mxt_attention_kind kind_by_key(struct resolver *r)
{
	const struct mxt_attention_config *config = r->config;
	if (config->s2)
		stop(r, "Axolotl refuses s2_attention since 0.17");
	if (config->name[0] && config->flags)
		stop(r, "Axolotl refuses attn_implementation together with an older attention flag");
	if (config->name[0] && config->named == MXT_ATTENTION_UNSET)
		stop(r, "Axolotl refuses this value of attn_implementation");
	if (config->gemma4_hybrid && config->named != MXT_ATTENTION_UNSET && config->named != MXT_ATTENTION_FA2)
		stop(r, "Axolotl takes gemma4_hybrid_attn_impl with flash_attention_2 only");
	if (r->workload->attention == MXT_ATTENTION_UNSET && config->gemma4_hybrid)
		return MXT_ATTENTION_FA2;
	return r->workload->attention;
}

/* Before: the flags, one of them, looked at in this order when the model is loaded; since 0.12 a key that wins. */
static enum mxt_attention_kind kind_by_flags(struct resolver *r)
{
	static const enum mxt_attention_kind order[] = {MXT_ATTENTION_FLEX, MXT_ATTENTION_FA2,  MXT_ATTENTION_XFORMERS,
							MXT_ATTENTION_SDPA, MXT_ATTENTION_SAGE, MXT_ATTENTION_EAGER};
	const struct mxt_attention_config *config = r->config;
	if (several(config->flags & ~BIT(EAGER)))
		stop(r, "this Axolotl refuses more than one attention flag");
	if (config->name[0] && axolotl_since(r, 12))
		return config->named;
	for (size_t i = 0; i < MXT_ARRAY_LEN(order); i++)
		if (config->flags & UINT32_C(1) << order[i])
			return order[i];
	return MXT_ATTENTION_UNSET;
}

static enum mxt_attention_kind kind_asked(struct resolver *r)
{
	if (!r->config->axolotl)
		return MXT_ATTENTION_UNSET;
	return axolotl_since(r, 17) ? kind_by_key(r) : kind_by_flags(r);
}

/* ---- how packed documents are isolated ---- */

static bool varlen_serves(const struct resolver *r)
{
	const struct mxt_model *model = &r->workload->model;
	return r->config->sdpa_varlen >= 0 && is_there(r->stack->torch) &&
	       mxt_release_at_least(r->stack->torch, 2, VARLEN_TORCH_MINOR) && model->head_dim <= VARLEN_MAX_HEAD_DIM &&
	       model->sliding_window == 0;
}

/* Only these flags made Axolotl before 0.17 drop the mask that hides where documents end. */
static bool drops_mask_by_flags(const struct resolver *r)
{
	return (r->config->flags & (BIT(FA2) | BIT(XFORMERS) | BIT(FLEX))) != 0;
}

static bool hub_kernel_packs(const char *name)
{
	static const char *const known[] = {"kernels-community/flash-attn2", "kernels-community/flash-attn3",
					    "kernels-community/sage-attention"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(known); i++)
		if (strcmp(known[i], name) == 0)
			return true;
	return false;
}

/* sdpa and eager: Axolotl drops the mask since 0.18, and only where the config names them. */
static enum mxt_isolation masked_isolation(const struct resolver *r, enum mxt_attention_kind asked)
{
	if (!r->config->axolotl)
		return MXT_ISOLATION_MASK; /* transformers finds the documents by their positions */
	if (asked == MXT_ATTENTION_UNSET || !axolotl_since(r, 18))
		return MXT_ISOLATION_NONE;
	return asked == MXT_ATTENTION_SDPA && varlen_serves(r) ? MXT_ISOLATION_LENGTHS : MXT_ISOLATION_MASK;
}

static enum mxt_isolation isolation_of(const struct resolver *r, enum mxt_attention_kind asked)
{
	if (!r->workload->training.packing)
		return MXT_ISOLATION_NOT_NEEDED;
	if (r->config->mixes_pretraining)
		return MXT_ISOLATION_NONE;
	switch (asked) {
	case MXT_ATTENTION_UNSET:
	case MXT_ATTENTION_SDPA:
	case MXT_ATTENTION_EAGER:
		return masked_isolation(r, asked);
	case MXT_ATTENTION_FP8:
		return MXT_ISOLATION_NONE;
	case MXT_ATTENTION_HUB:
		return axolotl_since(r, 17) && hub_kernel_packs(r->config->name) ? MXT_ISOLATION_LENGTHS
										 : MXT_ISOLATION_NONE;
	default:
		return axolotl_since(r, 17) || drops_mask_by_flags(r) ? MXT_ISOLATION_LENGTHS : MXT_ISOLATION_NONE;
	}
}

/* ---- who computes it ---- */

/* `kind` is never UNSET, which stands for providers that no key asks for. */
static const char *provider_of(enum mxt_attention_kind kind, enum mxt_isolation isolation)
{
	if (kind == MXT_ATTENTION_SDPA)
		return isolation == MXT_ISOLATION_LENGTHS ? "varlen" : NULL;
	for (size_t i = 0; i < mxt_attention_provider_count(); i++)
		if (mxt_attention_provider_at(i)->kind == kind)
			return mxt_attention_provider_at(i)->name;
	return NULL;
}

/* The package that a kind needs, and its version; NULL: torch has it. */
static const char *package_of(const struct resolver *r, enum mxt_attention_kind kind, const char **ret_version)
{
	const struct {
		enum mxt_attention_kind kind;
		const char *package, *version;
	} rows[] = {
	    {MXT_ATTENTION_FA2, "flash_attn", r->stack->flash_attn},
	    {MXT_ATTENTION_FA3, "flash_attn_3", r->stack->flash_attn_3},
	    {MXT_ATTENTION_XFORMERS, "xformers", r->stack->xformers},
	    {MXT_ATTENTION_SAGE, "sageattention", r->stack->sageattention},
	    {MXT_ATTENTION_HUB, "kernels", r->stack->kernels},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		if (rows[i].kind != kind)
			continue;
		*ret_version = rows[i].version;
		return rows[i].package;
	}
	return NULL;
}

/* transformers 5 fetches a kernel from the Hub in place of a flash_attn that is not there, if it can. */
static bool fetches_kernel(const struct resolver *r, enum mxt_attention_kind kind)
{
	return (kind == MXT_ATTENTION_FA2 || kind == MXT_ATTENTION_FA3) && is_there(r->stack->kernels) &&
	       is_there(r->stack->transformers) && mxt_release_at_least(r->stack->transformers, 5, 0);
}

static void miss_package(struct resolver *r, const char *package)
{
	struct mxt_attention_today *today = r->today;
	const char *value = mxt_attention_kind_value(today->kind);
	if (fetches_kernel(r, today->kind)) {
		(void)snprintf(today->note, sizeof today->note,
			       "%s is not installed: transformers would fetch a kernel from the Hub in its place",
			       package);
		unmodelled(r, "a kernel from the Hub in place of the package that is not installed");
		return;
	}
	char why[MXT_TODAY_TEXT];
	(void)snprintf(why, sizeof why,
		       "%s needs the package %s, which this Python does not have: the job would end at its start",
		       *value ? value : "the Hub kernel", package);
	stop(r, why);
}

/* Axolotl since 0.16 puts FlashAttention 4 in the place of 2 where it is installed, without a word in the config. */
static bool is_replaced_by_fa4(const struct resolver *r)
{
	unsigned major = r->stack->capability / 10;
	bool fits = r->stack->cuda && (major == 0 || (major >= 9 && major <= 11));
	return r->config->axolotl && r->today->kind == MXT_ATTENTION_FA2 && is_there(r->stack->flash_attn_4) && fits &&
	       axolotl_since(r, 16);
}

/*
 * On ROCm flash_attn is built around Composable Kernel, or takes Triton kernels where its variable says so
 * (flash_attn/flash_attn_interface.py, 2.7 and later).
 */
static const char *flash_kernels(const struct resolver *r)
{
	if (!r->stack->rocm || r->today->kind != MXT_ATTENTION_FA2)
		return "";
	return r->stack->flash_triton ? " (Triton)" : " (Composable Kernel)";
}

static void name_package(struct resolver *r)
{
	struct mxt_attention_today *today = r->today;
	const char *version = NULL;
	const char *package = package_of(r, today->kind, &version);
	if (!package)
		return;
	if (r->stack->known && !is_there(version)) {
		miss_package(r, package);
		return;
	}
	size_t used = strlen(today->name);
	(void)snprintf(today->name + used, sizeof today->name - used, " by %s%s%s%s", package,
		       is_there(version) ? " " : "", is_there(version) ? version : "", flash_kernels(r));
}

/* What runs in kernels of its own, which nothing here has. */
static void find_unmodelled(struct resolver *r)
{
	char name[MXT_TODAY_TEXT];
	const char *shown = r->today->name;
	if (r->config->s2)
		shown = "shifted-sparse attention (s2_attention)";
	else if (r->config->gemma4_hybrid)
		shown = "flash_attention_2 and sdpa by layer (gemma4_hybrid_attn_impl)";
	else if (r->config->large_head && r->workload->model.head_dim > VARLEN_MAX_HEAD_DIM)
		shown = "Axolotl's kernels for large heads (large_head_attention)";
	else if (is_replaced_by_fa4(r)) {
		(void)snprintf(name, sizeof name, "FlashAttention 4 (flash_attn_4 %s), in the place of 2",
			       r->stack->flash_attn_4);
		shown = name;
	} else if (r->today->kind != MXT_ATTENTION_SAGE && r->today->kind != MXT_ATTENTION_FP8 &&
		   r->today->kind != MXT_ATTENTION_HUB)
		return;
	if (shown != r->today->name)
		unmodelled(r, shown);
	r->today->modelled = false;
}

static void note_mixed(struct resolver *r, enum mxt_attention_kind asked)
{
	struct mxt_attention_today *today = r->today;
	if (today->isolation != MXT_ISOLATION_NONE || today->note[0])
		return;
	if (r->config->mixes_pretraining)
		return; /* the config asks for it */
	(void)snprintf(today->note, sizeof today->note,
		       "packed documents see each other: %s%s; attention is timed as one causal sequence",
		       asked == MXT_ATTENTION_UNSET ? "attn_implementation is not set"
						    : "this Axolotl does not isolate them under ",
		       asked == MXT_ATTENTION_UNSET ? "" : mxt_attention_kind_value(asked));
}

/* Padding is hidden by a mask where the kernels take one; kernels of the flash family get the lengths instead. */
static bool is_masked(const struct resolver *r)
{
	const struct mxt_training *training = &r->workload->training;
	bool padded = !training->packing && (training->padding || training->pads_alone || training->micro_batch > 1);
	return padded && (r->today->kind == MXT_ATTENTION_SDPA || r->today->kind == MXT_ATTENTION_EAGER);
}

static void resolve(struct resolver *r, enum mxt_attention_kind asked)
{
	struct mxt_attention_today *today = r->today;
	today->kind = asked == MXT_ATTENTION_UNSET ? MXT_ATTENTION_SDPA : asked;
	today->isolation = isolation_of(r, asked);
	today->provider = provider_of(today->kind, today->isolation);
	today->masked = is_masked(r);
	(void)snprintf(today->name, sizeof today->name, "%s",
		       today->kind == MXT_ATTENTION_HUB ? r->config->name : mxt_attention_kind_value(today->kind));
	name_package(r);
	if (today->starts && today->modelled)
		find_unmodelled(r);
	note_mixed(r, asked);
}

void mxt_attention_today_resolve(const struct mxt_workload *workload, const struct mxt_attention_stack *stack,
				 struct mxt_attention_today *ret_today)
{
	*ret_today = (struct mxt_attention_today){.starts = true, .modelled = true};
	struct resolver r = {workload, &workload->attention_config, stack, ret_today};
	resolve(&r, kind_asked(&r));
}

void mxt_attention_bare_resolve(const struct mxt_workload *workload, const struct mxt_attention_stack *stack,
				const struct mxt_attention_today *today, struct mxt_attention_today *ret_bare,
				bool *ret_same)
{
	struct mxt_attention_config config = workload->attention_config;
	struct resolver r = {workload, &config, stack, ret_bare};
	config.flags = 0;
	config.gemma4_hybrid = config.s2 = config.large_head = false; /* these are of what bare does without */
	*ret_bare = (struct mxt_attention_today){.starts = true, .modelled = true};
	bool mixed = today->isolation == MXT_ISOLATION_NONE;
	resolve(&r, mixed || !config.axolotl ? MXT_ATTENTION_UNSET : MXT_ATTENTION_SDPA);
	*ret_same = mixed == (ret_bare->isolation == MXT_ISOLATION_NONE) && today->masked == ret_bare->masked;
}

void mxt_today_resolve(const struct mxt_workload *workload, const struct mxt_attention_stack *stack,
		       struct mxt_today *ret_today)
{
	*ret_today = (struct mxt_today){.axolotl = ""};
	mxt_attention_today_resolve(workload, stack, &ret_today->yours);
	mxt_attention_bare_resolve(workload, stack, &ret_today->yours, &ret_today->bare, &ret_today->bare_is_same);
	if (is_there(stack->axolotl))
		(void)snprintf(ret_today->axolotl, sizeof ret_today->axolotl, "%s", stack->axolotl);
}

int mxt_attention_today_apply(const struct mxt_attention_today *today, struct mxt_workload *workload,
			      struct mxt_error *err)
{
	int rc = 0;
	workload->training.mixed_documents = workload->training.packing && today->isolation == MXT_ISOLATION_NONE;
	workload->attention = today->starts ? today->kind : MXT_ATTENTION_SDPA; /* what will run instead */
	if (today->note[0])
		rc = mxt_workload_note(workload, err, "%s", today->note);
	if (rc == 0 && !today->modelled)
		rc = mxt_workload_exclude(workload, MXT_PART_ATTENTION, err,
					  "attention by %s: nothing here can time it, and it stays as it is",
					  today->name);
	return rc;
}

const char *mxt_isolation_text(enum mxt_isolation isolation)
{
	static const char *const texts[] = {
	    [MXT_ISOLATION_NOT_NEEDED] = "",
	    [MXT_ISOLATION_LENGTHS] = ", documents isolated",
	    [MXT_ISOLATION_MASK] = ", documents isolated by a mask",
	    [MXT_ISOLATION_NONE] = ", documents see each other",
	};
	return texts[isolation];
}
