/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which keys of an Axolotl config make it take the attention of a plan. Versions as in attention_today.h.
 */
#ifndef MXT_CORE_ATTENTION_KEYS_H
#define MXT_CORE_ATTENTION_KEYS_H

#include <stddef.h>

#include "buf.h"
#include "compiler.h"

/* A key at the top of the config. */
struct mxt_config_edit {
	const char *key;
	const char *value; /* as YAML; NULL: the key must not be there, or be false */
};

#define MXT_ATTENTION_EDITS_MAX 12
struct mxt_attention_edits {
	struct mxt_config_edit items[MXT_ATTENTION_EDITS_MAX]; /* all strings are static */
	size_t count;
};

enum mxt_documents {
	MXT_DOCUMENTS_APART,    /* nothing is packed */
	MXT_DOCUMENTS_ISOLATED, /* packed, and they do not see each other */
	MXT_DOCUMENTS_MIXED,    /* packed, and they do */
};

struct mxt_training;
enum mxt_documents mxt_documents_of(const struct mxt_training *training);

/*
 * `backend`: a value of attention.backend of a plan. `axolotl`: its version; "" or NULL: the newest rules. NULL on
 * success; else why this Axolotl cannot be made to do it, a static text, and *ret_edits is empty. The edits never
 * change whether documents see each other.
 */
const char *mxt_attention_keys(const char *backend, enum mxt_documents documents, const char *axolotl,
			       struct mxt_attention_edits *ret_edits) MXT_WUR;

/* Appends "attn_implementation: sdpa, sdpa_varlen: false"; what must not be there is left out. */
void mxt_attention_keys_text(const struct mxt_attention_edits *edits, struct mxt_buf *buf);

#endif
