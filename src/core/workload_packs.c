/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_packs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "lengths.h"

/* How many documents are packed to learn from; multipack itself sees 100,000 at a time. */
#define WALK_DOCUMENTS 4096

struct bin {
	int32_t left; /* tokens */
	int32_t count;
	double work;
};

struct packing {
	const struct mxt_lengths *lengths;
	struct mxt_pack_room room;
	bool open;        /* nothing pads the packs */
	struct bin *bins; /* owned; at most one for each document */
	uint32_t *bin_of; /* owned: where document i of the walk went */
	uint32_t n_bins;
	uint32_t n_walked;
};

static void packing_finish(struct packing *packing)
{
	free(packing->bins);
	free(packing->bin_of);
}

/* Axolotl's attn_supports_packing: these take one pack for the whole micro-batch. */
static bool knows_documents(enum mxt_attention_kind kind)
{
	return kind != MXT_ATTENTION_UNSET && kind != MXT_ATTENTION_SDPA && kind != MXT_ATTENTION_EAGER &&
	       kind != MXT_ATTENTION_FP8;
}

struct mxt_pack_room mxt_workload_pack_room(const struct mxt_workload *workload)
{
	const struct mxt_training *t = &workload->training;
	const struct mxt_schedule *s = &workload->schedule;
	bool rows = s->packs == MXT_PACKS_UNSET ? !knows_documents(workload->attention) : s->packs == MXT_PACKS_ROWS;
	int32_t documents = s->pack_documents > 0 ? s->pack_documents : INT32_MAX;
	if (rows || t->micro_batch > INT32_MAX / t->seq_len)
		return (struct mxt_pack_room){t->seq_len, documents, t->micro_batch};
	return (struct mxt_pack_room){t->seq_len * t->micro_batch, documents, 1};
}

/* ---- the walk ---- */

/* Document i of the walk: multiples of the golden ratio spread evenly, whatever their number. */
static int32_t walk_length(const struct packing *packing, uint32_t i)
{
	const struct mxt_lengths *lengths = packing->lengths;
	double at = fmod((i + 0.5) * 0.6180339887498949, 1);
	int32_t length = lengths->samples[(size_t)(at * lengths->n_samples)];
	return length < packing->room.capacity ? length : packing->room.capacity;
}

/* The first bin with room, or a new one. `first`: bins before it are full for the shortest document. */
static uint32_t place(struct packing *packing, int32_t length, uint32_t first)
{
	uint32_t at = first;
	while (at < packing->n_bins &&
	       (packing->bins[at].left < length || packing->bins[at].count >= packing->room.documents))
		at++;
	if (at == packing->n_bins)
		packing->bins[packing->n_bins++] = (struct bin){.left = packing->room.capacity};
	packing->bins[at].left -= length;
	packing->bins[at].count++;
	packing->bins[at].work += (double)length * length;
	return at;
}

static bool is_full(const struct packing *packing, uint32_t bin)
{
	return packing->bins[bin].left < packing->lengths->samples[0] ||
	       packing->bins[bin].count >= packing->room.documents;
}

static int pack_walk(struct packing *packing, struct mxt_error *err)
{
	packing->bins = calloc(WALK_DOCUMENTS, sizeof *packing->bins);
	packing->bin_of = calloc(WALK_DOCUMENTS, sizeof *packing->bin_of);
	if (!packing->bins || !packing->bin_of)
		return mxt_error_oom(err);
	uint32_t first = 0;
	for (uint32_t i = 0; i < WALK_DOCUMENTS; i++) {
		packing->bin_of[i] = place(packing, walk_length(packing, i), first);
		while (first < packing->n_bins && is_full(packing, first))
			first++;
	}
	packing->n_walked = WALK_DOCUMENTS;
	return 0;
}

/* ---- what is learnt ---- */

/* All but the last, which is still open. */
static uint32_t settled(const struct packing *packing)
{
	return packing->n_bins > 1 ? packing->n_bins - 1 : packing->n_bins;
}

/* The bin whose work is nearest to the mean; padding does not count. */
static uint32_t typical_bin(const struct packing *packing)
{
	uint32_t count = settled(packing), best = 0;
	double sum = 0, nearest = INFINITY;
	for (uint32_t i = 0; i < count; i++)
		sum += packing->bins[i].work;
	for (uint32_t i = 0; i < count; i++) {
		double distance = fabs(packing->bins[i].work * count - sum);
		if (distance < nearest) {
			nearest = distance;
			best = i;
		}
	}
	return best;
}

static double mean_fill(const struct packing *packing)
{
	uint32_t count = settled(packing);
	double filled = 0;
	if (packing->n_bins <= 1) /* all that was walked was too little for one */
		return 1;
	for (uint32_t i = 0; i < count; i++)
		filled += 1 - (double)packing->bins[i].left / packing->room.capacity;
	return filled / count;
}

/* ---- the pack ---- */

/* Nothing of a pack that holds all the documents that a problem may have. */
static void add_document(struct mxt_pack *pack, int32_t tokens)
{
	if (tokens == 0 || pack->n_documents == MXT_MAX_DOCUMENTS)
		return;
	pack->documents[pack->n_documents++] = tokens;
	pack->tokens += tokens;
}

static void add_bin(struct mxt_pack *pack, const struct packing *packing, uint32_t bin)
{
	for (uint32_t i = 0; i < packing->n_walked; i++)
		if (packing->bin_of[i] == bin)
			add_document(pack, walk_length(packing, i));
	if (!packing->open)
		add_document(pack, packing->bins[bin].left);
}

/* To `limit` tokens, every document to the same part of its length; those of which nothing is left are dropped. */
static void shrink(struct mxt_pack *pack, int32_t limit)
{
	struct mxt_pack whole = *pack;
	int64_t before = 0;
	memset(pack->documents, 0, sizeof pack->documents);
	pack->n_documents = 0;
	pack->tokens = 0;
	for (uint32_t i = 0; i < whole.n_documents; i++) {
		before += whole.documents[i];
		add_document(pack, (int32_t)(before * limit / whole.tokens) - pack->tokens);
	}
}

static void build(const struct packing *packing, int32_t token_limit, struct mxt_pack *pack)
{
	uint32_t bin = typical_bin(packing);
	int32_t tokens = packing->room.capacity - (packing->open ? packing->bins[bin].left : 0);
	*pack = (struct mxt_pack){.efficiency = mean_fill(packing)};
	add_bin(pack, packing, bin);
	pack->calls = (double)packing->room.packs * tokens / pack->tokens;
	if (token_limit > 0 && pack->tokens > token_limit)
		shrink(pack, token_limit);
}

int mxt_workload_pack(const struct mxt_workload *workload, int32_t token_limit, struct mxt_pack *ret_pack,
		      struct mxt_error *err)
{
	MXT_CLEANUP(packing_finish)
	struct packing packing = {.lengths = &workload->lengths,
				  .room = mxt_workload_pack_room(workload),
				  .open = workload->schedule.open_packs};
	if (workload->lengths.n_samples == 0) {
		*ret_pack = (struct mxt_pack){.calls = 1};
		return 0;
	}
	int rc = pack_walk(&packing, err);
	if (rc == 0)
		build(&packing, token_limit, ret_pack);
	return rc;
}

void mxt_pack_apply(const struct mxt_pack *pack, struct mxt_attention *shape)
{
	shape->batch = 1;
	shape->seq = pack->tokens;
	shape->masked = false;
	shape->n_documents = pack->n_documents;
	memcpy(shape->documents, pack->documents, sizeof shape->documents);
}
