/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of attention kinds in a trainer's config: attention_kinds.def.
 */
#ifndef MXT_CORE_ATTENTION_KIND_H
#define MXT_CORE_ATTENTION_KIND_H

#include <stddef.h>

#include "workload.h"

struct mxt_attention_kind_row {
	enum mxt_attention_kind kind;
	const char *value; /* of attn_implementation */
	const char *flag;  /* the older boolean key; "": none */
};

/* In Axolotl's order of priority. */
size_t mxt_attention_kind_count(void);
const struct mxt_attention_kind_row *mxt_attention_kind_at(size_t i);

/* The value of attn_implementation that asks for it; "" for what has no fixed name. */
const char *mxt_attention_kind_value(enum mxt_attention_kind kind);

/* What a value of attn_implementation asks for: HUB for a path with a slash, UNSET for one that Axolotl refuses. */
enum mxt_attention_kind mxt_attention_kind_parse(const char *value);

#endif
