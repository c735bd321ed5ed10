/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_keys.h"

#include <stdbool.h>
#include <string.h>

#include "attention_kind.h"
#include "release.h"

/* Sorted as in plan_fields.def: every backend that a plan can name. */
static const struct backend_row {
	const char *backend;
	enum mxt_attention_kind kind; /* UNSET: no key asks for it */
} backends[] = {
    {"math", MXT_ATTENTION_SDPA},   {"flash", MXT_ATTENTION_SDPA},        {"efficient", MXT_ATTENTION_SDPA},
    {"cudnn", MXT_ATTENTION_SDPA},  {"ck", MXT_ATTENTION_SDPA},           {"aotriton", MXT_ATTENTION_SDPA},
    {"aiter", MXT_ATTENTION_UNSET}, {"fa2", MXT_ATTENTION_FA2},           {"fa3", MXT_ATTENTION_FA3},
    {"varlen", MXT_ATTENTION_SDPA}, {"xformers", MXT_ATTENTION_XFORMERS}, {"flex", MXT_ATTENTION_FLEX},
    {"sage", MXT_ATTENTION_SAGE},   {"eager", MXT_ATTENTION_EAGER},
};

struct wish {
	enum mxt_attention_kind kind;
	bool varlen;
	enum mxt_documents documents;
	const char *axolotl; /* NULL: the newest */
};

static bool since(const struct wish *wish, unsigned minor)
{
	return !wish->axolotl || mxt_release_at_least(wish->axolotl, 0, minor);
}

static const struct backend_row *find(const char *backend)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(backends); i++)
		if (strcmp(backends[i].backend, backend) == 0)
			return &backends[i];
	return NULL;
}

static const char *flag_of(enum mxt_attention_kind kind)
{
	for (size_t i = 0; i < mxt_attention_kind_count(); i++)
		if (mxt_attention_kind_at(i)->kind == kind)
			return mxt_attention_kind_at(i)->flag;
	return "";
}

/* sdpa and eager isolate packed documents since Axolotl 0.18 only; all others always did. */
static const char *object_to(const struct wish *wish)
{
	bool masked = wish->kind == MXT_ATTENTION_SDPA || wish->kind == MXT_ATTENTION_EAGER;
	if (wish->kind == MXT_ATTENTION_UNSET)
		return "no key of Axolotl asks for it";
	if (wish->documents == MXT_DOCUMENTS_MIXED && (wish->kind != MXT_ATTENTION_SDPA || wish->varlen))
		return "Axolotl would isolate the documents that see each other today";
	if (wish->varlen && wish->documents == MXT_DOCUMENTS_APART)
		return "Axolotl takes it for packed sequences only";
	if (wish->documents == MXT_DOCUMENTS_ISOLATED && masked && !since(wish, 18))
		return "Axolotl isolates packed documents under it only since 0.18";
	if (!since(wish, 17) && flag_of(wish->kind)[0] == '\0')
		return "Axolotl has a key for it only since 0.17";
	if (!since(wish, 15) && wish->kind == MXT_ATTENTION_SAGE)
		return "Axolotl has a key for it only since 0.15";
	return NULL;
}

static void add(struct mxt_attention_edits *edits, const char *key, const char *value)
{
	edits->items[edits->count++] = (struct mxt_config_edit){key, value};
}

/* Since 0.17 one key, which bears no older flag beside it; before, the flags alone. */
static void fill(const struct wish *wish, struct mxt_attention_edits *edits)
{
	bool by_key = since(wish, 17);
	add(edits, "attn_implementation", by_key ? mxt_attention_kind_value(wish->kind) : NULL);
	for (size_t i = 0; i < mxt_attention_kind_count(); i++) {
		const struct mxt_attention_kind_row *row = mxt_attention_kind_at(i);
		if (row->flag[0])
			add(edits, row->flag, !by_key && row->kind == wish->kind ? "true" : NULL);
	}
	if (wish->kind == MXT_ATTENTION_SDPA && wish->documents == MXT_DOCUMENTS_ISOLATED)
		add(edits, "sdpa_varlen", wish->varlen ? "true" : "false");
}

const char *mxt_attention_keys(const char *backend, enum mxt_documents documents, const char *axolotl,
			       struct mxt_attention_edits *ret_edits)
{
	const struct backend_row *row = find(backend);
	*ret_edits = (struct mxt_attention_edits){.count = 0};
	if (!row)
		return "this version knows no such backend";
	const struct wish wish = {row->kind, strcmp(backend, "varlen") == 0, documents,
				  axolotl && *axolotl ? axolotl : NULL};
	const char *objection = object_to(&wish);
	/* Documents that see each other do so because sdpa was not asked for by name: then it stays as it is. */
	if (!objection && documents != MXT_DOCUMENTS_MIXED)
		fill(&wish, ret_edits);
	return objection;
}

enum mxt_documents mxt_documents_of(const struct mxt_training *training)
{
	if (!training->packing)
		return MXT_DOCUMENTS_APART;
	return training->mixed_documents ? MXT_DOCUMENTS_MIXED : MXT_DOCUMENTS_ISOLATED;
}

void mxt_attention_keys_text(const struct mxt_attention_edits *edits, struct mxt_buf *buf)
{
	const char *separator = "";
	for (size_t i = 0; i < edits->count; i++) {
		if (!edits->items[i].value)
			continue;
		mxt_buf_printf(buf, "%s%s: %s", separator, edits->items[i].key, edits->items[i].value);
		separator = ", ";
	}
}
