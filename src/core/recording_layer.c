/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One layer in training order, out of the order of a recorded step: from an attention forward to the next one, and from
 * an attention backward to the next one, both in the middle of what there is of their kind. Under checkpointing the
 * second period holds the repeated forward, too. A step without attention calls gives its middle part as it is.
 */
#include <stddef.h>
#include <stdint.h>

#include "recording.h"

#define MAX_PART (MXT_RECORDING_MAX_LAYER / 2)

struct range {
	size_t begin, end; /* of the recording's order; end is not in it */
};

static bool is_attention(const struct mxt_recording *recording, size_t at, enum mxt_direction direction)
{
	const struct mxt_recorded_call *call = &recording->calls[recording->order[at].call];
	return !call->why_not && call->problem.kind == MXT_PROBLEM_ATTENTION &&
	       call->problem.as.attention.direction == direction;
}

/* The next such call at or after `from`; `end` when there is none. */
static size_t find(const struct mxt_recording *recording, size_t from, size_t end, enum mxt_direction direction)
{
	while (from < end && !is_attention(recording, from, direction))
		from++;
	return from < end ? from : end;
}

static size_t count_calls(const struct mxt_recording *recording, struct range range, enum mxt_direction direction)
{
	size_t count = 0;
	for (size_t at = range.begin; at < range.end; at++)
		count += is_attention(recording, at, direction);
	return count;
}

/* From the middle call of a direction in `range` to the next; all of the range when it has one at most. */
static struct range period(const struct mxt_recording *recording, struct range range, enum mxt_direction direction)
{
	size_t count = count_calls(recording, range, direction);
	if (count < 2)
		return range;
	size_t begin = find(recording, range.begin, range.end, direction);
	for (size_t i = 0; i < (count - 1) / 2; i++)
		begin = find(recording, begin + 1, range.end, direction);
	return (struct range){begin, find(recording, begin + 1, range.end, direction)};
}

/*
 * The first micro-batch's passes. The backward pass has as many attention calls as the forward pass, and ends before
 * the next forward pass that has one.
 */
static void split(const struct mxt_recording *recording, struct range *ret_forward, struct range *ret_backward)
{
	size_t turn = find(recording, 0, recording->n_order, MXT_BACKWARD);
	*ret_forward = (struct range){0, turn};
	size_t end = turn;
	for (size_t layers = count_calls(recording, *ret_forward, MXT_FORWARD); layers > 1; layers--)
		end = find(recording, end + 1, recording->n_order, MXT_BACKWARD);
	*ret_backward = (struct range){turn, find(recording, end, recording->n_order, MXT_FORWARD)};
}

static void append(struct mxt_problem_set *set, uint32_t problem, uint64_t filler_bytes)
{
	if (problem == MXT_LAYER_FILLER && filler_bytes == 0)
		return;
	if (set->n_layer < MXT_RECORDING_MAX_LAYER)
		set->layer[set->n_layer++] = (struct mxt_layer_step){problem, filler_bytes};
}

/* What no problem stands for streams its operands, at least. */
static void append_range(const struct mxt_recording *recording, const uint32_t *problem_of_call, double filler_ratio,
			 struct range range, struct mxt_problem_set *set)
{
	for (size_t at = range.begin; at < range.end && at - range.begin < MAX_PART / 2; at++) {
		const struct mxt_recorded_step *step = &recording->order[at];
		append(set, MXT_LAYER_FILLER, (uint64_t)((double)step->filler_bytes * filler_ratio));
		uint32_t problem = problem_of_call[step->call];
		if (problem != UINT32_MAX)
			append(set, problem, 0);
		else if (!recording->calls[step->call].why_not)
			append(set, MXT_LAYER_FILLER,
			       (uint64_t)((double)mxt_problem_bytes(&recording->calls[step->call].problem) *
					  filler_ratio));
	}
}

void mxt_recording_layer(const struct mxt_recording *recording, const uint32_t *problem_of_call, double filler_ratio,
			 struct mxt_problem_set *set)
{
	struct range forward, backward;
	split(recording, &forward, &backward);
	if (forward.end == recording->n_order) { /* no attention backward */
		size_t half = recording->n_order / 2, reach = MAX_PART / 4;
		forward.begin = half > reach ? half - reach : 0;
		append_range(recording, problem_of_call, filler_ratio, forward, set);
		return;
	}
	append_range(recording, problem_of_call, filler_ratio, period(recording, forward, MXT_FORWARD), set);
	append_range(recording, problem_of_call, filler_ratio, period(recording, backward, MXT_BACKWARD), set);
}
