/* SPDX-License-Identifier: Apache-2.0 */
#include "padding_advice.h"

#include <inttypes.h>

#include "announce.h"
#include "buf.h"
#include "compiler.h"
#include "lengths.h"
#include "number.h"
#include "session.h"

#define WORTH_SAYING_PPM 30000

/* The run with its micro-batches padded to a multiple; lengths as shares of what was measured. */
struct padded {
	int32_t multiple;
	double distinct, tokens, ns;
};

/* The costs of new lengths that what ships surely has: too low an estimate says too little, not too much. */
static double cost_ns(const struct mxt_session *session)
{
	double cost = 0;
	for (size_t i = 0; i < MXT_PROBLEM_KIND_COUNT; i++)
		cost += session->probes[i].lengths.winner.low;
	return cost;
}

/*
 * Products were measured at the full length and grow with the tokens; attention was measured at the lengths of the run
 * and grows with their squares.
 */
static struct padded run_padded(const struct mxt_session *session, int32_t multiple)
{
	const struct mxt_workload *workload = session->request->workload;
	double tokens, square, now, square_now;
	mxt_exposure_tokens(workload, multiple, &tokens, &square);
	mxt_exposure_tokens(workload, mxt_exposure_multiple(workload), &now, &square_now);
	double products = session->probes[MXT_PROBLEM_GEMM].lengths.ships_ns * tokens / workload->training.seq_len;
	double attention = session->probes[MXT_PROBLEM_ATTENTION].lengths.ships_ns * square / square_now;
	double passes = (double)session->exposure.passes;
	double distinct = mxt_exposure_distinct(workload, session->exposure.passes, multiple);
	return (struct padded){multiple, distinct, tokens,
			       passes * (products + attention) + distinct * cost_ns(session)};
}

/* What was measured must be what ships, and lengths must be more than an assumption. */
static bool can_tell(const struct mxt_session *session)
{
	bool known = mxt_lengths_known(&session->request->workload->lengths);
	for (size_t i = 0; i < MXT_PROBLEM_KIND_COUNT; i++)
		known = known && session->probes[i].done && !session->probes[i].dropped &&
			session->probes[i].lengths.ships_ns > 0;
	return known && session->exposure.passes > 0 &&
	       session->probes[MXT_PROBLEM_ATTENTION].lengths.state == MXT_LENGTHS_CHARGED;
}

static void advise(const struct mxt_session *session, const struct padded *now, const struct padded *best)
{
	char more[32], saved[32], seconds[32];
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_format_fixed(more, (int64_t)(1e6 * (best->tokens / now->tokens - 1)), 4, 1);
	mxt_format_fixed(saved, (int64_t)(1e6 * (1 - best->ns / now->ns)), 4, 1);
	mxt_format_fixed(seconds, (int64_t)((now->ns - best->ns) / 1e6), 3, 1);
	mxt_buf_printf(&text,
		       "estimated, from what was measured: padding to a multiple of %" PRId32
		       " (pad_to_multiple_of) would leave %.0f of %.0f lengths, add %s %% of tokens, and save %s %% of "
		       "the attention and the products of the run (%s s)",
		       best->multiple, best->distinct, now->distinct, more, saved, seconds);
	if (!text.failed)
		mxt_announce_note(session, mxt_buf_text(&text));
}

void mxt_padding_advise(const struct mxt_session *session)
{
	static const int32_t multiples[] = {64, 512};
	if (!can_tell(session))
		return;
	const struct mxt_workload *workload = session->request->workload;
	struct padded now = run_padded(session, mxt_exposure_multiple(workload)), best = now;
	for (size_t i = 0; i < MXT_ARRAY_LEN(multiples); i++) {
		if (multiples[i] <= now.multiple || multiples[i] > workload->training.seq_len)
			continue;
		struct padded padded = run_padded(session, multiples[i]);
		best = padded.ns < best.ns ? padded : best;
	}
	if (1e6 * (1 - best.ns / now.ns) > WORTH_SAYING_PPM)
		advise(session, &now, &best);
}
