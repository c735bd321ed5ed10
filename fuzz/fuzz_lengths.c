/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of the reader of lengths, and everything that is worked out from what is accepted. */
#include <stdint.h>
#include <stdlib.h>

#include "error.h"
#include "json.h"
#include "length_shapes.h"
#include "lengths.h"
#include "lengths_answer.h"
#include "workload_lengths.h"
#include "workload_packs.h"
#include "workload_passes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void work_out(struct mxt_workload *workload, const struct mxt_lengths *read)
{
	struct mxt_length_stratum strata[MXT_LENGTH_STRATA];
	struct mxt_pack pack;
	const struct mxt_lengths *lengths = &workload->lengths;
	struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_workload_use_lengths(workload, read, &err) < 0) {
		require(err.id == MXT_E_LENGTHS);
		mxt_error_clear(&err);
		return;
	}
	require(lengths->passes >= 0 && mxt_lengths_longest(lengths) <= workload->training.seq_len);
	json_t *json = mxt_workload_lengths_json(workload);
	require(json && mxt_json_check(json, NULL) == 0);
	json_decref(json);
	require(mxt_workload_pack(workload, 0, &pack, NULL) == 0);
	require(pack.tokens > 0 && pack.n_documents > 0 && pack.calls >= 1);
	require(pack.efficiency > 0 && pack.efficiency <= 1);
	struct mxt_drawing drawing = mxt_workload_drawing(workload);
	size_t n = mxt_length_shapes_strata(lengths, &drawing, strata);
	uint32_t shares = 0;
	for (size_t i = 0; i < n; i++)
		shares += strata[i].share_ppm;
	require(n > 0 && shares == 1000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_lengths_answer answer = MXT_LENGTHS_ANSWER_INIT;
	if (mxt_lengths_answer_parse((const char *)data, size, &answer, &err) == 0) {
		for (int packing = 0; packing < 2; packing++) {
			struct mxt_workload workload = {
			    .training = {.seq_len = 4096, .micro_batch = 4, .gpus = 2, .nodes = 1},
			    .schedule = {.epochs = 1.5, .validation = 0.1, .multiple = 64}};
			workload.training.packing = packing > 0;
			work_out(&workload, &answer.lengths);
			mxt_workload_finish(&workload);
		}
	} else {
		require(err.id == MXT_E_LENGTHS_ANSWER || err.id == MXT_E_LENGTHS);
	}
	mxt_lengths_answer_finish(&answer);
	mxt_error_clear(&err);
	return 0;
}
