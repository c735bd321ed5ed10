/* SPDX-License-Identifier: Apache-2.0 */
/* Packs, and the length of a run, against a first-fit packer over many documents in random order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "lengths.h"
#include "problem.h"
#include "rng.h"
#include "workload_packs.h"
#include "workload_passes.h"

static struct mxt_workload make(int32_t micro_batch, int32_t seq_len, int32_t median, int32_t p90)
{
	struct mxt_workload w = {.training = {.seq_len = seq_len, .micro_batch = micro_batch, .gpus = 1, .nodes = 1},
				 .attention = MXT_ATTENTION_FA2,
				 .schedule = {.epochs = 1, .accumulation = 1, .pack_documents = 200}};
	w.training.packing = true;
	mxt_lengths_assume(&w.lengths, &(struct mxt_lengths_shape){median, p90, 20000}, seq_len, "flags");
	return w;
}

static int64_t sum_of(const struct mxt_pack *pack)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < pack->n_documents; i++) {
		assert_true(pack->documents[i] > 0);
		sum += pack->documents[i];
	}
	for (uint32_t i = pack->n_documents; i < MXT_MAX_DOCUMENTS; i++)
		assert_int_equal(pack->documents[i], 0);
	return sum;
}

static void fills_the_micro_batch(void **state)
{
	(void)state;
	for (int32_t micro_batch = 1; micro_batch <= 8; micro_batch++) {
		struct mxt_workload w = make(micro_batch, 4096, 300, 1200);
		struct mxt_pack pack, again;
		assert_int_equal(mxt_workload_pack(&w, 0, &pack, NULL), 0);
		assert_int_equal(mxt_workload_pack(&w, 0, &again, NULL), 0);
		assert_memory_equal(&pack, &again, sizeof pack);
		assert_int_equal(pack.tokens, micro_batch * 4096);
		assert_int_equal(sum_of(&pack), pack.tokens);
		assert_true(pack.calls == 1);
		assert_true(pack.efficiency > 0.9 && pack.efficiency <= 1);
		struct mxt_problem problem = {.kind = MXT_PROBLEM_ATTENTION};
		problem.as.attention = (struct mxt_attention){
		    .batch = 9, .seq = 9, .heads = 8, .kv_heads = 2, .head_dim = 64, .causal = true};
		mxt_pack_apply(&pack, &problem.as.attention);
		assert_int_equal(mxt_problem_validate(&problem), 0);
	}
}

/* Attention that does not know documents gets a pack for each row: one of them is called four times. */
static void rows_are_packed_apart(void **state)
{
	struct mxt_workload w = make(4, 1024, 900, 1000);
	struct mxt_pack pack;
	(void)state;
	w.attention = MXT_ATTENTION_SDPA;
	assert_int_equal(mxt_workload_pack_room(&w).packs, 4);
	assert_int_equal(mxt_workload_pack_room(&w).capacity, 1024);
	assert_int_equal(mxt_workload_pack(&w, 0, &pack, NULL), 0);
	assert_int_equal(pack.tokens, 1024);
	assert_int_equal(sum_of(&pack), 1024);
	assert_true(pack.calls == 4);
	w.schedule.packs = MXT_PACKS_BATCH;
	assert_int_equal(mxt_workload_pack_room(&w).capacity, 4096);
	assert_int_equal(mxt_workload_pack(&w, 0, &pack, NULL), 0);
	assert_int_equal(pack.tokens, 4096);
	assert_true(pack.calls == 1);
}

static void documents_are_limited(void **state)
{
	struct mxt_workload w = make(4, 4096, 40, 80);
	struct mxt_pack pack;
	(void)state;
	assert_int_equal(mxt_workload_pack(&w, 0, &pack, NULL), 0);
	assert_int_equal(pack.n_documents, 201); /* and the padding */
	assert_int_equal(sum_of(&pack), 16384);
	assert_true(pack.efficiency < 0.7);
	w.schedule.pack_documents = 0;
	w.training.micro_batch = 16;
	assert_int_equal(mxt_workload_pack(&w, 0, &pack, NULL), 0);
	assert_int_equal(pack.n_documents, MXT_MAX_DOCUMENTS);
	assert_int_equal(sum_of(&pack), pack.tokens);
	assert_true(pack.tokens < 65536);
	assert_true(fabs(pack.calls - 65536.0 / pack.tokens) < 1e-9);
}

/* On a small host documents are shorter, and as many; what they stand for stays one call. */
static void tokens_are_limited(void **state)
{
	struct mxt_workload w = make(2, 4096, 300, 1200);
	struct mxt_pack whole, pack;
	(void)state;
	assert_int_equal(mxt_workload_pack(&w, 0, &whole, NULL), 0);
	assert_int_equal(mxt_workload_pack(&w, 512, &pack, NULL), 0);
	assert_int_equal(pack.tokens, 512);
	assert_int_equal(sum_of(&pack), 512);
	assert_true(pack.calls == 1);
	assert_true(pack.n_documents > whole.n_documents / 2 && pack.n_documents <= whole.n_documents);
	assert_int_equal(pack.documents[0], whole.documents[0] / 16);
	assert_int_equal(mxt_workload_pack(&w, 3, &pack, NULL), 0);
	assert_int_equal(sum_of(&pack), 3);
}

static void open_packs_have_no_padding(void **state)
{
	struct mxt_workload w = make(1, 4096, 300, 310);
	struct mxt_pack pack;
	(void)state;
	w.schedule.open_packs = true;
	assert_int_equal(mxt_workload_pack(&w, 0, &pack, NULL), 0);
	assert_int_equal(pack.n_documents, 13);
	assert_true(pack.tokens < 4096);
}

static void without_lengths_there_is_no_pack(void **state)
{
	struct mxt_workload w = make(1, 4096, 300, 1200);
	struct mxt_pack pack;
	(void)state;
	w.lengths.n_samples = 0;
	assert_int_equal(mxt_workload_pack(&w, 0, &pack, NULL), 0);
	assert_int_equal(pack.n_documents, 0);
}

/* ---- against a packer ---- */

#define DOCUMENTS 20000

struct packed {
	uint32_t packs;
	double work; /* squared tokens of a pack on average */
};

static struct packed first_fit(const struct mxt_workload *w, uint64_t seed)
{
	static int32_t left[DOCUMENTS], count[DOCUMENTS];
	static uint32_t order[DOCUMENTS];
	struct mxt_pack_room room = mxt_workload_pack_room(w);
	struct packed packed = {0, 0};
	struct mxt_rng rng = {seed};
	for (uint32_t i = 0; i < DOCUMENTS; i++)
		order[i] = i;
	mxt_rng_shuffle(&rng, order, DOCUMENTS);
	for (uint32_t i = 0; i < DOCUMENTS; i++) {
		int32_t length = w->lengths.samples[(size_t)order[i] * w->lengths.n_samples / DOCUMENTS];
		uint32_t at = 0;
		while (at < packed.packs && (left[at] < length || count[at] >= room.documents))
			at++;
		if (at == packed.packs) {
			left[packed.packs] = room.capacity;
			count[packed.packs++] = 0;
		}
		left[at] -= length;
		count[at]++;
		packed.work += (double)length * length;
	}
	packed.work /= packed.packs;
	return packed;
}

static void compare_with_packer(int32_t micro_batch, int32_t seq_len, int32_t median, int32_t p90)
{
	struct mxt_workload w = make(micro_batch, seq_len, median, p90);
	struct packed packed = first_fit(&w, 3);
	struct mxt_pack pack;
	w.lengths.documents = DOCUMENTS;
	w.lengths.tokens = 0;
	assert_int_equal(mxt_workload_count_passes(&w, NULL), 0);
	if (fabs((double)w.lengths.passes - packed.packs) > 0.04 * packed.packs + 2)
		fail_msg("%d x %d, median %d: %d packs, not %d", micro_batch, seq_len, median, (int)w.lengths.passes,
			 (int)packed.packs);
	assert_int_equal(mxt_workload_pack(&w, 0, &pack, NULL), 0);
	double work = 0;
	for (uint32_t i = 0; i < pack.n_documents; i++)
		work += (double)pack.documents[i] * pack.documents[i];
	double padding = (1 - pack.efficiency) * pack.tokens;
	if (fabs(work - packed.work) > 0.15 * packed.work + 1.1 * padding * padding)
		fail_msg("%d x %d, median %d: work %.0f, not %.0f", micro_batch, seq_len, median, work, packed.work);
}

static void runs_as_long_as_packed(void **state)
{
	(void)state;
	compare_with_packer(1, 4096, 300, 1200);
	compare_with_packer(4, 4096, 300, 1200);
	compare_with_packer(2, 8192, 100, 250);
	compare_with_packer(1, 2048, 1200, 1900);
	compare_with_packer(8, 4096, 60, 100);
}

/* ---- schedules ---- */

static void counts_micro_batches(void **state)
{
	struct mxt_workload w = make(3, 4096, 512, 512);
	(void)state;
	w.training.packing = false;
	w.training.gpus = 2;
	w.lengths.documents = 1000;
	w.schedule.validation = 0.05;
	w.schedule.epochs = 3;
	assert_int_equal(mxt_workload_count_passes(&w, NULL), 0);
	assert_int_equal(w.lengths.passes, 3 * 159); /* ceil(ceil(950 / 3) / 2) */
	assert_string_equal(w.lengths.passes_source, "flags");
	assert_int_equal(mxt_workload_drawing(&w).documents, 950);
}

static void obeys_what_is_given(void **state)
{
	struct mxt_workload w = make(2, 4096, 300, 1200);
	(void)state;
	w.lengths.source = "dataset";
	w.training.packing = false;
	w.schedule.max_steps = 50;
	w.schedule.accumulation = 4;
	assert_int_equal(mxt_workload_count_passes(&w, NULL), 0);
	assert_int_equal(w.lengths.passes, 200);
	assert_string_equal(w.lengths.passes_source, "config");
	w.schedule.max_steps = 0;
	assert_int_equal(mxt_workload_count_passes(&w, NULL), 0);
	assert_int_equal(w.lengths.passes, (w.lengths.documents + 1) / 2);
	assert_string_equal(w.lengths.passes_source, "dataset");
	w.lengths.passes = 5;
	w.lengths.passes_source = "flags";
	assert_int_equal(mxt_workload_count_passes(&w, NULL), 0);
	assert_int_equal(w.lengths.passes, 5);
}

static void leaves_open_what_cannot_be_known(void **state)
{
	struct mxt_workload w = make(2, 4096, 300, 1200);
	(void)state;
	w.training.packing = false;
	w.lengths.documents = 0;
	assert_int_equal(mxt_workload_count_passes(&w, NULL), 0);
	assert_int_equal(w.lengths.passes, 0);
	assert_null(w.lengths.passes_source);
	w.lengths.documents = 100;
	w.schedule.validation = 100; /* nothing is left to train on */
	assert_int_equal(mxt_workload_count_passes(&w, NULL), 0);
	assert_int_equal(w.lengths.passes, 0);
	w.schedule.validation = 0;
	w.schedule.epochs = 0;
	assert_int_equal(mxt_workload_count_passes(&w, NULL), 0);
	assert_int_equal(w.lengths.passes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fills_the_micro_batch),      cmocka_unit_test(rows_are_packed_apart),
	    cmocka_unit_test(documents_are_limited),      cmocka_unit_test(tokens_are_limited),
	    cmocka_unit_test(open_packs_have_no_padding), cmocka_unit_test(without_lengths_there_is_no_pack),
	    cmocka_unit_test(runs_as_long_as_packed),     cmocka_unit_test(counts_micro_batches),
	    cmocka_unit_test(obeys_what_is_given),        cmocka_unit_test(leaves_open_what_cannot_be_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
