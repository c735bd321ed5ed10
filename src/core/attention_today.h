/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What computes attention if the job is started today: from the config, and from what is installed. Rules and versions
 * are those of the sources of Axolotl 0.9 to 0.18 (schemas/config.py, schemas/enums.py, loaders/model.py,
 * loaders/patch_manager.py, core/builders/causal.py) and of transformers 4.51 to 5.17 (masking_utils.py,
 * modeling_utils.py); docs/workload.md has them as a table.
 */
#ifndef MXT_CORE_ATTENTION_TODAY_H
#define MXT_CORE_ATTENTION_TODAY_H

#include <stdbool.h>

#include "workload.h"

struct mxt_error;

/* What is installed: versions, borrowed; "" or NULL: not there. */
struct mxt_attention_stack {
	bool known;          /* packages were looked for; else nothing is said of what is missing */
	const char *axolotl; /* not there: the newest rules are taken */
	const char *torch, *transformers, *kernels;
	const char *flash_attn, *flash_attn_3, *flash_attn_4, *xformers, *sageattention;
	bool cuda;         /* it runs on an NVIDIA GPU */
	bool rocm;         /* it runs on an AMD GPU */
	bool flash_triton; /* flash_attn for ROCm is told to take its Triton kernels (FLASH_ATTENTION_TRITON_AMD_ENABLE)
			    */
	unsigned capability; /* 90 for sm_90; 0: not known */
};

/* How packed documents are kept from seeing each other. */
enum mxt_isolation {
	MXT_ISOLATION_NOT_NEEDED, /* nothing is packed */
	MXT_ISOLATION_LENGTHS,    /* the kernels know the documents' lengths and skip what is between them */
	MXT_ISOLATION_MASK,       /* a block-diagonal mask over the whole sequence */
	MXT_ISOLATION_NONE,       /* they see each other */
};

#define MXT_TODAY_TEXT 240

struct mxt_attention_today {
	enum mxt_attention_kind kind; /* never UNSET */
	const char *provider;         /* static: a row of attention_provider.h; NULL: torch's own dispatcher */
	enum mxt_isolation isolation;
	bool starts;               /* false: the job ends before its first step; `note` says why */
	bool masked;               /* padded batches come with a mask: other calls than those without one */
	bool modelled;             /* false: nothing here computes what would run */
	char name[MXT_TODAY_TEXT]; /* "flash_attention_2 by flash_attn 2.8.3" */
	char note[MXT_TODAY_TEXT]; /* what the user should know, a sentence; "" */
};

/* What the job would do as it is. */
void mxt_attention_today_resolve(const struct mxt_workload *workload, const struct mxt_attention_stack *stack,
				 struct mxt_attention_today *ret_today);

/*
 * The same with the trainer's default, sdpa, in place of what the config asks for: what `bare` is. *ret_same: it
 * computes the same function as `today`, by the same calls: packed documents see each other or do not, and
 * padding is hidden by a mask or left out.
 */
void mxt_attention_bare_resolve(const struct mxt_workload *workload, const struct mxt_attention_stack *stack,
				const struct mxt_attention_today *today, struct mxt_attention_today *ret_bare,
				bool *ret_same);

/* Both, for whoever races them. */
struct mxt_today {
	struct mxt_attention_today yours, bare;
	bool bare_is_same;                /* as *ret_same above */
	char axolotl[MXT_ATTENTION_TEXT]; /* its version; "" */
};
void mxt_today_resolve(const struct mxt_workload *workload, const struct mxt_attention_stack *stack,
		       struct mxt_today *ret_today);

/*
 * What follows for the workload: the kind that runs, notes, documents that see each other, and attention that nothing
 * here can time. To be
 * called before its problems are made. 0 or -ENOMEM.
 */
int mxt_attention_today_apply(const struct mxt_attention_today *today, struct mxt_workload *workload,
			      struct mxt_error *err) MXT_WUR;

/* ", documents isolated", ", documents isolated by a mask", ", documents see each other", or "". */
const char *mxt_isolation_text(enum mxt_isolation isolation);

#endif
