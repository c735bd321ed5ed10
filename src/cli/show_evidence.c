/* SPDX-License-Identifier: Apache-2.0 */
#include "show_evidence.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "json.h"
#include "number.h"
#include "plan.h"
#include "show_line.h"

#define MAX_SAMPLES_SHOWN 500

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "?";
}

static bool has(const json_t *object, const char *key)
{
	return json_object_get(object, key) != NULL;
}

static void append_ms(int64_t ns, struct mxt_buf *buf)
{
	char text[32];
	mxt_buf_printf(buf, "%s ms", mxt_format_fixed(text, ns, 6, 3));
}

static void append_percent(int64_t ppm, struct mxt_buf *buf)
{
	char text[32];
	mxt_buf_printf(buf, "%s %%", mxt_format_fixed(text, ppm, 4, 1));
}

static void append_gain(const json_t *choice, struct mxt_buf *buf)
{
	if (!has(choice, "gain_ppm"))
		return;
	mxt_buf_puts(buf, ": gain ");
	append_percent(mxt_json_integer(choice, "gain_ppm"), buf);
	if (has(choice, "bound_ppm")) {
		mxt_buf_puts(buf, ", at least ");
		append_percent(mxt_json_integer(choice, "bound_ppm"), buf);
	}
	if (has(choice, "floor_ppm")) {
		mxt_buf_puts(buf, ", noise ");
		append_percent(mxt_json_integer(choice, "floor_ppm"), buf);
	}
}

/* "attention   flash instead of bare: gain 12.3 %, at least 10.1 %, noise 0.4 %" and the reason below. */
static void append_choice(const json_t *choice, const char *mark, struct mxt_buf *buf)
{
	const char *title = text_of(choice, "probe");
	const char *winner = text_of(choice, "winner"), *incumbent = text_of(choice, "incumbent");
	mxt_show_begin_line(&title, buf);
	if (strcmp(winner, incumbent) == 0)
		mxt_buf_printf(buf, "%s stays", winner);
	else
		mxt_buf_printf(buf, "%s instead of %s", winner, incumbent);
	if (strcmp(winner, incumbent) == 0 && has(choice, "best") && strcmp(text_of(choice, "best"), winner) != 0)
		mxt_buf_printf(buf, ", best other %s", text_of(choice, "best"));
	append_gain(choice, buf);
	mxt_buf_printf(buf, "%s\n", mark);
	mxt_show_begin_line(&title, buf);
	mxt_buf_printf(buf, "%s: %s\n", text_of(choice, "source"), text_of(choice, "rule"));
}

/* "today       flash_attention_2 by flash_attn 2.8.3; the plan keeps it" */
static void append_today(const json_t *evidence, struct mxt_buf *buf)
{
	const char *title = "today";
	if (!has(evidence, "today"))
		return;
	mxt_show_begin_line(&title, buf);
	mxt_buf_printf(buf, "%s\n", text_of(evidence, "today"));
}

/* "heuristic   18 of 25 products, 97.0 % of their time: the first choice is 0.4 % from the best found, noise 0.2 %" */
static void append_heuristic(const json_t *heuristic, const char *mark, struct mxt_buf *buf)
{
	const char *title = "heuristic";
	if (!heuristic)
		return;
	mxt_show_begin_line(&title, buf);
	mxt_buf_printf(buf, "%" PRId64 " of %" PRId64 " products, ", mxt_json_integer(heuristic, "ranked"),
		       mxt_json_integer(heuristic, "products"));
	append_percent(mxt_json_integer(heuristic, "share_ppm"), buf);
	mxt_buf_puts(buf, " of their time: the first choice is ");
	append_percent(mxt_json_integer(heuristic, "gain_ppm"), buf);
	mxt_buf_puts(buf, " from the best found, noise ");
	append_percent(mxt_json_integer(heuristic, "floor_ppm"), buf);
	mxt_buf_printf(buf, "%s\n", mark);
	mxt_show_begin_line(&title, buf);
	mxt_buf_printf(buf, "%s\n", text_of(heuristic, "library"));
}

static void append_choices(const json_t *choices, const char *mark, struct mxt_buf *buf)
{
	if (json_array_size(choices) > 0)
		mxt_buf_puts(buf, "\nchoices\n");
	for (size_t i = 0; i < json_array_size(choices); i++)
		append_choice(json_array_get(choices, i), mark, buf);
}

static void append_attention(const json_t *problem, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, " b%" PRId64 " s%" PRId64 " h%" PRId64 "/%" PRId64 " d%" PRId64 "%s %s %s",
		       mxt_json_integer(problem, "batch"), mxt_json_integer(problem, "seq"),
		       mxt_json_integer(problem, "heads"), mxt_json_integer(problem, "kv_heads"),
		       mxt_json_integer(problem, "head_dim"), has(problem, "causal") ? " causal" : "",
		       text_of(problem, "dtype"), text_of(problem, "direction"));
}

static void append_gemm(const json_t *problem, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, " %c%c %" PRId64 "x%" PRId64 "x%" PRId64 "%s%s %s", has(problem, "trans_a") ? 't' : 'n',
		       has(problem, "trans_b") ? 't' : 'n', mxt_json_integer(problem, "m"),
		       mxt_json_integer(problem, "n"), mxt_json_integer(problem, "k"),
		       has(problem, "accumulate") ? " +c" : "", has(problem, "bias") ? " bias" : "",
		       text_of(problem, "dtype"));
}

static void append_problem(const json_t *sample, struct mxt_buf *buf)
{
	const json_t *problem = json_object_get(sample, "problem");
	mxt_buf_printf(buf, "  %s", text_of(sample, "probe"));
	if (has(problem, "batch"))
		append_attention(problem, buf);
	else if (has(problem, "m"))
		append_gemm(problem, buf);
	mxt_buf_putc(buf, '\n');
}

static void append_sample(const json_t *sample, const char *mark, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "    %-28s ", text_of(sample, "candidate"));
	if (strcmp(text_of(sample, "status"), "ok") != 0)
		mxt_buf_printf(buf, "%s: %s; ", text_of(sample, "status"), text_of(sample, "reason"));
	if (has(sample, "median_ns")) {
		append_ms(mxt_json_integer(sample, "median_ns"), buf);
		mxt_buf_puts(buf, " (p20 ");
		append_ms(mxt_json_integer(sample, "p20_ns"), buf);
		mxt_buf_puts(buf, ", p80 ");
		append_ms(mxt_json_integer(sample, "p80_ns"), buf);
		mxt_buf_printf(buf, ", n %" PRId64 ")%s", mxt_json_integer(sample, "n"), mark);
	} else {
		mxt_buf_puts(buf, "not timed");
	}
	mxt_buf_putc(buf, '\n');
}

static bool same_problem(const json_t *a, const json_t *b)
{
	const json_t *left = json_object_get(a, "problem"), *right = json_object_get(b, "problem");
	return json_equal(json_object_get(a, "probe"), json_object_get(b, "probe")) &&
	       ((!left && !right) || json_equal(left, right));
}

/* True when a sample before `i` is of the same problem. */
static bool is_repeated(const json_t *samples, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_problem(json_array_get(samples, k), json_array_get(samples, i)))
			return true;
	return false;
}

/* By problem, in the order in which problems first occur. */
static void append_samples(const json_t *samples, const char *mark, struct mxt_buf *buf)
{
	size_t count = json_array_size(samples);
	size_t shown = count < MAX_SAMPLES_SHOWN ? count : MAX_SAMPLES_SHOWN;
	if (count > 0)
		mxt_buf_puts(buf, "\nsamples\n");
	for (size_t i = 0; i < shown; i++) {
		if (is_repeated(samples, i))
			continue;
		append_problem(json_array_get(samples, i), buf);
		for (size_t k = i; k < shown; k++)
			if (same_problem(json_array_get(samples, i), json_array_get(samples, k)))
				append_sample(json_array_get(samples, k), mark, buf);
	}
	if (shown < count)
		mxt_buf_printf(buf, "  and %zu more; --json has them all\n", count - shown);
}

static void append_texts(const char *title, const json_t *list, const char *mark, struct mxt_buf *buf)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		mxt_show_begin_line(&title, buf);
		mxt_buf_printf(buf, "%s%s\n", json_string_value(json_array_get(list, i)), mark);
	}
}

static void append_run(const json_t *evidence, const char *mark, struct mxt_buf *buf)
{
	const json_t *budget = json_object_get(evidence, "budget");
	const char *title = "created";
	if (!has(evidence, "created") && !budget)
		return;
	mxt_buf_puts(buf, "\nrun\n");
	mxt_show_begin_line(&title, buf);
	mxt_buf_printf(buf, "%s by %s\n", text_of(evidence, "created"), text_of(evidence, "tool"));
	if (has(budget, "used_ns")) {
		char used[32], limit[32];
		title = "budget";
		mxt_show_begin_line(&title, buf);
		mxt_buf_printf(buf, "%s of %s s%s\n", mxt_format_fixed(used, mxt_json_integer(budget, "used_ns"), 9, 1),
			       mxt_format_fixed(limit, mxt_json_integer(budget, "limit_ns"), 9, 1), mark);
	}
	append_texts("skipped", json_object_get(budget, "skipped"), "", buf);
	append_texts("health", json_object_get(evidence, "health"), mark, buf);
}

void mxt_show_evidence(const json_t *evidence, const char *mark, struct mxt_buf *buf)
{
	append_choices(json_object_get(evidence, "choices"), mark, buf);
	append_heuristic(json_object_get(evidence, "heuristic"), mark, buf);
	append_today(evidence, buf);
	append_samples(json_object_get(evidence, "samples"), mark, buf);
	append_run(evidence, mark, buf);
}
