/* SPDX-License-Identifier: Apache-2.0 */
#include "post_choice.h"

#include <stdbool.h>
#include <string.h>

#include "json.h"
#include "post_writer.h"

const json_t *mxt_post_choice_of(const struct mxt_post *post, const char *probe)
{
	const json_t *choices = json_object_get(post->evidence, "choices"), *found = NULL;
	for (size_t i = 0; i < json_array_size(choices); i++)
		if (strcmp(mxt_json_text(json_array_get(choices, i), "probe"), probe) == 0)
			found = json_array_get(choices, i);
	return found;
}

/* How a probe's choice is told. */
struct choice_words {
	const char *probe, *title;
	const char *whole; /* what its gain is a share of */
};

static const struct choice_words all_words[] = {
    {"attention", "Choice", "the attention of a training step"},
    {"gemm", "Choice", "the matrix products of a training step"},
    {"confirm", "The whole plan", "one layer in training order"},
};

/* "`flash` is 12.4 % faster over the attention of a training step, at least 10.1 %" */
static void put_gain(const json_t *choice, const char *name, const char *whole, struct mxt_buf *buf)
{
	int64_t gain = mxt_json_integer_or(choice, "gain_ppm", 0), bound = mxt_json_integer_or(choice, "bound_ppm", 0);
	mxt_post_code(name, buf);
	mxt_buf_puts(buf, " is ");
	mxt_post_percent(gain < 0 ? -gain : gain, buf);
	mxt_buf_printf(buf, " %s over %s", gain < 0 ? "slower" : "faster", whole);
	if (gain > 0 && bound > 0) {
		mxt_buf_puts(buf, ", at least ");
		mxt_post_percent(bound, buf);
	}
}

/* Who ships, and how that and the best other compare with what would run without the plan. */
static void put_verdict(const json_t *choice, const struct choice_words *words, struct mxt_buf *buf)
{
	const char *winner = mxt_json_text(choice, "winner"), *incumbent = mxt_json_text(choice, "incumbent");
	const char *best = mxt_json_text(choice, "best");
	bool stays = strcmp(winner, incumbent) == 0, timed = json_object_get(choice, "gain_ppm");
	mxt_buf_printf(buf, "\n%s: ", words->title);
	mxt_post_code(winner, buf);
	mxt_buf_puts(buf, stays ? " stays" : " instead of ");
	if (!stays)
		mxt_post_code(incumbent, buf);
	if (!stays && timed) {
		mxt_buf_puts(buf, "; ");
		put_gain(choice, winner, words->whole, buf);
	} else if (timed && best[0] && strcmp(best, incumbent) != 0) {
		mxt_buf_puts(buf, "; the best other, ");
		put_gain(choice, best, words->whole, buf);
	}
}

void mxt_post_choice(const struct mxt_post *post, const char *probe)
{
	const json_t *choice = mxt_post_choice_of(post, probe);
	for (size_t i = 0; choice && i < MXT_ARRAY_LEN(all_words); i++)
		if (strcmp(all_words[i].probe, probe) == 0)
			put_verdict(choice, &all_words[i], post->buf);
	if (!choice)
		return;
	mxt_buf_printf(post->buf, " (%s: ", mxt_json_text(choice, "source"));
	mxt_post_code(mxt_json_text(choice, "rule"), post->buf);
	mxt_buf_puts(post->buf, ").");
	if (json_object_get(choice, "floor_ppm")) {
		mxt_buf_puts(post->buf, " Noise floor, the same candidate twice: ");
		mxt_post_percent(mxt_json_integer_or(choice, "floor_ppm", 0), post->buf);
		mxt_buf_putc(post->buf, '.');
	}
	mxt_buf_putc(post->buf, '\n');
}
