/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the config.json of a family of models is read (model_families.def).
 */
#ifndef MXT_CORE_MODEL_FAMILY_H
#define MXT_CORE_MODEL_FAMILY_H

#include <stdint.h>

enum mxt_family_rule {
	MXT_FAMILY_WINDOW_KEY = 1,
	MXT_FAMILY_WINDOW_FLAG = 2,
	MXT_FAMILY_BIAS_KEY = 4,
	MXT_FAMILY_BIAS_QKV_KEY = 8,
	MXT_FAMILY_BIAS_QKV = 16,
	MXT_FAMILY_BIAS_ALL = 32,
	MXT_FAMILY_FUSED_QKV = 64,
	MXT_FAMILY_FUSED_GATE_UP = 128,
	MXT_FAMILY_PLAIN_MLP = 256,
	MXT_FAMILY_TIED = 512,
	MXT_FAMILY_SOFTCAP = 1024,
	MXT_FAMILY_SINKS = 2048,
	MXT_FAMILY_GENERIC = 4096, /* not in the table */
};

struct mxt_model_family {
	const char *model_type;
	int32_t heads, kv_heads, head_dim, vocab, window; /* defaults of absent keys; 0: none */
	uint32_t rules;                                   /* enum mxt_family_rule bits */
};

/* Never NULL: what is not in the table is read by the usual names of the keys. */
const struct mxt_model_family *mxt_model_family_find(const char *model_type);

#endif
