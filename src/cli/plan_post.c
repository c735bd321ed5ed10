/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_post.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "figures.h"
#include "json.h"
#include "number.h"
#include "nvidia_survey.h"
#include "plan.h"
#include "plan_command.h"
#include "plan_sample.h"
#include "statistics.h"

#define MAX_SAMPLES    2000 /* a larger plan's others are counted */
#define MAX_BACKENDS   8
#define MAX_CANDIDATES 16

struct post {
	const struct mxt_plan *plan;
	const json_t *decision, *evidence;
	struct mxt_nvidia_gpu gpu;       /* all unknown where the plan is for something else */
	struct mxt_plan_sample *samples; /* owned */
	size_t n_samples, n_left_out;
	struct mxt_buf *buf;
};

/* ---- texts ---- */

/* A text from the plan, which may hold any mark of Markdown, HTML, or a mention: code shows it as it is. */
static void put_code(const char *text, struct mxt_buf *buf)
{
	mxt_buf_putc(buf, '`');
	for (const char *c = text; *c; c++)
		mxt_buf_putc(buf, (char)(*c == '`' ? '\'' : *c));
	mxt_buf_putc(buf, '`');
}

/* The same in a table, whose cells a bar ends even there. */
static void put_code_cell(const char *text, struct mxt_buf *buf)
{
	MXT_CLEANUP_BUF struct mxt_buf escaped = MXT_BUF_INIT;
	for (const char *c = text; *c; c++)
		mxt_buf_printf(&escaped, "%s%c", *c == '|' ? "\\" : "", *c);
	buf->failed = buf->failed || escaped.failed;
	put_code(mxt_buf_text(&escaped), buf);
}

static const json_t *member(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

static int64_t integer_or(const json_t *object, const char *key, int64_t absent)
{
	const json_t *value = member(object, key);
	return json_is_integer(value) ? json_integer_value(value) : absent;
}

static void put_percent(int64_t ppm, struct mxt_buf *buf)
{
	char text[MXT_FIGURE_SIZE];
	mxt_buf_printf(buf, "%s %%", mxt_figure_percent(text, ppm));
}

/* ---- machine ---- */

static void put_row(const struct post *post, const char *title, const char *text)
{
	mxt_buf_printf(post->buf, "| %s | ", title);
	if (text[0])
		put_code_cell(text, post->buf);
	else
		mxt_buf_puts(post->buf, "not recorded");
	mxt_buf_puts(post->buf, " |\n");
}

static void put_memory_row(const struct post *post, const json_t *device)
{
	char text[32];
	int64_t bytes = integer_or(device, "memory_bytes", 0);
	if (bytes > 0)
		mxt_buf_printf(post->buf, "| memory | %s GiB |\n",
			       mxt_format_fixed(text, (bytes >> 20) * 1000 / 1024, 3, 1));
	else
		mxt_buf_puts(post->buf, "| memory | not recorded |\n");
}

static void put_peak_row(const struct post *post)
{
	char rate[MXT_FIGURE_SIZE];
	const struct mxt_nvidia_gpu *gpu = &post->gpu;
	if (gpu->peak_bf16_flops > 0)
		mxt_buf_printf(post->buf,
			       "| peak | %s in bfloat16, dense: %" PRIu64 " multiprocessors at %" PRIu64 " MHz |\n",
			       mxt_figure_rate(rate, gpu->peak_bf16_flops), gpu->sm_count.value, gpu->max_sm_mhz.value);
	else
		mxt_buf_puts(post->buf, "| peak | not known |\n");
}

/* The device that was measured: CUDA's first one; on a host the only one. */
static const json_t *measured_device(const struct post *post)
{
	const json_t *devices = member(post->evidence, "devices");
	for (size_t i = 0; i < json_array_size(devices); i++)
		if (integer_or(json_array_get(devices, i), "ordinal", -1) == 0)
			return json_array_get(devices, i);
	return json_array_get(devices, 0);
}

static void put_machine(const struct post *post)
{
	static const struct {
		const char *title, *key;
	} of_nvidia[] = {{"CUDA", "cuda"}, {"cuDNN", "cudnn"}, {"cuBLAS", "cublas"}};
	const json_t *device = measured_device(post), *stack = member(post->decision, "stack");
	const json_t *platform = member(post->decision, "platform");
	bool nvidia = strcmp(mxt_json_text(platform, "vendor"), "nvidia") == 0;
	mxt_buf_puts(post->buf, "## Machine\n\n| | |\n|---|---|\n");
	put_row(post, "device", mxt_json_text(device, "name"));
	put_row(post, "architecture", mxt_json_text(platform, "arch"));
	put_memory_row(post, device);
	if (nvidia)
		put_row(post, "driver", mxt_json_text(device, "driver"));
	put_row(post, "torch", mxt_json_text(stack, "torch"));
	for (size_t i = 0; nvidia && i < MXT_ARRAY_LEN(of_nvidia); i++)
		put_row(post, of_nvidia[i].title, mxt_json_text(stack, of_nvidia[i].key));
	put_peak_row(post);
}

/* ---- workload ---- */

static void put_model(const json_t *model, struct mxt_buf *buf)
{
	int64_t hidden = integer_or(model, "hidden", 0), heads = integer_or(model, "heads", 1);
	mxt_buf_printf(buf, "%" PRId64 " layers, hidden %" PRId64 ", %" PRId64 " heads of %" PRId64,
		       integer_or(model, "layers", 0), hidden, heads, integer_or(model, "head_dim", hidden / heads));
	mxt_buf_printf(buf, ", %" PRId64 " KV heads", integer_or(model, "kv_heads", heads));
	if (member(model, "ffn"))
		mxt_buf_printf(buf, ", feed-forward %" PRId64, integer_or(model, "ffn", 0));
	if (member(model, "experts"))
		mxt_buf_printf(buf, ", %" PRId64 " experts", integer_or(model, "experts", 0));
	mxt_buf_printf(buf, ", vocabulary %" PRId64, integer_or(model, "vocab", 0));
}

static void put_training(const json_t *training, struct mxt_buf *buf)
{
	const char *dtype = mxt_json_text(training, "dtype"), *adapter = mxt_json_text(training, "adapter");
	const char *lengths = mxt_json_text(training, "lengths");
	mxt_buf_printf(buf, "; %" PRId64 " x %" PRId64 " tokens", integer_or(training, "micro_batch", 0),
		       integer_or(training, "seq_len", 0));
	if (lengths[0])
		mxt_buf_printf(buf, " (%s)", lengths);
	mxt_buf_printf(buf, ", %s", dtype[0] ? dtype : "bfloat16");
	if (adapter[0])
		mxt_buf_printf(buf, ", %s of rank %" PRId64, strcmp(adapter, "qlora") == 0 ? "QLoRA" : "LoRA",
			       integer_or(training, "lora_rank", 0));
	else
		mxt_buf_puts(buf, ", all weights");
	if (member(training, "checkpointing"))
		mxt_buf_puts(buf, ", with checkpointing");
}

static void put_workload(const struct post *post)
{
	const json_t *workload = member(post->decision, "workload"), *excluded = member(workload, "excluded");
	mxt_buf_puts(post->buf, "\nWorkload: ");
	if (member(workload, "model")) {
		put_model(member(workload, "model"), post->buf);
		put_training(member(workload, "training"), post->buf);
	}
	if (member(workload, "recorded"))
		mxt_buf_printf(post->buf, "%scalls as recorded from a run", member(workload, "model") ? "; " : "");
	if (member(workload, "scaled"))
		mxt_buf_puts(post->buf, "; shapes cut to what this host can do in time");
	for (size_t i = 0; i < json_array_size(excluded); i++)
		mxt_buf_printf(post->buf, "%s%s", i == 0 ? "; not modelled: " : ", ",
			       json_string_value(json_array_get(excluded, i)));
	mxt_buf_puts(post->buf, ".\n");
}

/* ---- choices ---- */

/* The last word on a probe; NULL: none. */
static const json_t *choice_of(const struct post *post, const char *probe)
{
	const json_t *choices = member(post->evidence, "choices"), *found = NULL;
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
	int64_t gain = integer_or(choice, "gain_ppm", 0), bound = integer_or(choice, "bound_ppm", 0);
	put_code(name, buf);
	mxt_buf_puts(buf, " is ");
	put_percent(gain < 0 ? -gain : gain, buf);
	mxt_buf_printf(buf, " %s over %s", gain < 0 ? "slower" : "faster", whole);
	if (gain > 0 && bound > 0) {
		mxt_buf_puts(buf, ", at least ");
		put_percent(bound, buf);
	}
}

/* Who ships, and how that and the best other compare with what would run without the plan. */
static void put_verdict(const json_t *choice, const struct choice_words *words, struct mxt_buf *buf)
{
	const char *winner = mxt_json_text(choice, "winner"), *incumbent = mxt_json_text(choice, "incumbent");
	const char *best = mxt_json_text(choice, "best");
	bool stays = strcmp(winner, incumbent) == 0, timed = member(choice, "gain_ppm");
	mxt_buf_printf(buf, "\n%s: ", words->title);
	put_code(winner, buf);
	mxt_buf_puts(buf, stays ? " stays" : " instead of ");
	if (!stays)
		put_code(incumbent, buf);
	if (!stays && timed) {
		mxt_buf_puts(buf, "; ");
		put_gain(choice, winner, words->whole, buf);
	} else if (timed && best[0] && strcmp(best, incumbent) != 0) {
		mxt_buf_puts(buf, "; the best other, ");
		put_gain(choice, best, words->whole, buf);
	}
}

static void put_choice(const struct post *post, const char *probe)
{
	const json_t *choice = choice_of(post, probe);
	for (size_t i = 0; choice && i < MXT_ARRAY_LEN(all_words); i++)
		if (strcmp(all_words[i].probe, probe) == 0)
			put_verdict(choice, &all_words[i], post->buf);
	if (!choice)
		return;
	mxt_buf_printf(post->buf, " (%s: ", mxt_json_text(choice, "source"));
	put_code(mxt_json_text(choice, "rule"), post->buf);
	mxt_buf_puts(post->buf, ").");
	if (member(choice, "floor_ppm")) {
		mxt_buf_puts(post->buf, " Noise floor, the same candidate twice: ");
		put_percent(integer_or(choice, "floor_ppm", 0), post->buf);
		mxt_buf_putc(post->buf, '.');
	}
	mxt_buf_putc(post->buf, '\n');
}

/* ---- attention ---- */

struct backend_row {
	const char *label;
	const struct mxt_plan_sample *cells[MXT_DIRECTION_COUNT];
};

/* All backends of one shape. */
struct shape_rows {
	struct backend_row rows[MAX_BACKENDS];
	size_t count;
};

static bool same_shape(const struct mxt_plan_sample *a, const struct mxt_plan_sample *b)
{
	struct mxt_problem left = a->problem;
	if (left.kind == MXT_PROBLEM_ATTENTION && b->problem.kind == MXT_PROBLEM_ATTENTION)
		left.as.attention.direction = b->problem.as.attention.direction;
	return mxt_problem_equal(&left, &b->problem);
}

/* What was not seen to compute goes by the candidate's name. NULL: there are too many. */
static struct backend_row *row_of(struct shape_rows *shape, const struct mxt_plan_sample *sample)
{
	const char *label = sample->backend[0] ? sample->backend : sample->candidate;
	for (size_t i = 0; i < shape->count; i++)
		if (strcmp(shape->rows[i].label, label) == 0)
			return &shape->rows[i];
	if (shape->count == MAX_BACKENDS)
		return NULL;
	shape->rows[shape->count] = (struct backend_row){.label = label};
	return &shape->rows[shape->count++];
}

/* Of candidates that ran the same kernels the first one counts. */
static void collect(const struct post *post, const struct mxt_plan_sample *first, struct shape_rows *shape)
{
	for (size_t i = 0; i < post->n_samples; i++) {
		const struct mxt_plan_sample *sample = &post->samples[i];
		if (!same_shape(sample, first))
			continue;
		struct backend_row *row = row_of(shape, sample);
		const struct mxt_plan_sample **cell = row ? &row->cells[sample->problem.as.attention.direction] : NULL;
		if (cell && !*cell && sample->median_ns > 0)
			*cell = sample;
	}
}

/* Forward and backward; 0 where one of them was not measured. */
static int64_t both_ns(const struct backend_row *row)
{
	const struct mxt_plan_sample *forward = row->cells[MXT_FORWARD], *backward = row->cells[MXT_BACKWARD];
	return forward && backward ? forward->median_ns + backward->median_ns : 0;
}

/* The fastest but `without`; NULL: none. */
static const struct backend_row *fastest(const struct shape_rows *shape, const struct backend_row *without)
{
	const struct backend_row *best = NULL;
	for (size_t i = 0; i < shape->count; i++) {
		const struct backend_row *row = &shape->rows[i];
		if (row != without && both_ns(row) > 0 && (!best || both_ns(row) < both_ns(best)))
			best = row;
	}
	return best;
}

static double peak_of(const struct post *post, enum mxt_dtype dtype)
{
	return dtype == MXT_DTYPE_F32 ? 0 : post->gpu.peak_bf16_flops;
}

static double flop_per_s(const struct mxt_plan_sample *sample)
{
	return mxt_problem_flops(&sample->problem) * 1e9 / (double)sample->median_ns;
}

static void put_cell(const struct post *post, const struct mxt_plan_sample *sample)
{
	char ms[MXT_FIGURE_SIZE], rate[MXT_FIGURE_SIZE], share[MXT_FIGURE_SIZE];
	if (!sample) {
		mxt_buf_puts(post->buf, " not measured | | |");
		return;
	}
	double speed = flop_per_s(sample);
	(void)mxt_figure_share(share, speed, peak_of(post, sample->problem.as.attention.dtype));
	mxt_buf_printf(post->buf, " %s | %s | %s |", mxt_figure_ms(ms, (uint64_t)sample->median_ns),
		       mxt_figure_rate(rate, speed), share[0] ? share : "not known");
}

/* By how much the next one takes longer, of the fastest row. */
static void put_lead(const struct post *post, const struct shape_rows *shape, const struct backend_row *row)
{
	const struct backend_row *best = fastest(shape, NULL), *next = fastest(shape, best);
	int64_t floor_ppm = integer_or(choice_of(post, "attention"), "floor_ppm", -1);
	if (row != best)
		return;
	if (!next) {
		mxt_buf_puts(post->buf, "nothing to compare");
		return;
	}
	double lead = (double)both_ns(next) / (double)both_ns(best) - 1;
	int64_t lead_ppm = (int64_t)(lead < 1e6 ? lead * 1e6 : 1e12);
	put_percent(lead_ppm, post->buf);
	if (lead_ppm <= floor_ppm)
		mxt_buf_puts(post->buf, ", within the noise floor");
	if (floor_ppm < 0)
		mxt_buf_puts(post->buf, ", noise floor not known");
}

static void put_shape(const struct mxt_plan_sample *sample, struct mxt_buf *buf)
{
	const struct mxt_attention *a = &sample->problem.as.attention;
	mxt_buf_printf(buf, "(%" PRId32 ", %" PRId32 ", %" PRId32 "/%" PRId32 ", %" PRId32 ")%s %s", a->batch, a->seq,
		       a->heads, a->kv_heads, a->head_dim, a->causal ? " causal" : "", mxt_dtype_name(a->dtype));
}

static void put_shape_rows(const struct post *post, const struct mxt_plan_sample *first)
{
	struct shape_rows shape = {.count = 0};
	collect(post, first, &shape);
	for (size_t i = 0; i < shape.count; i++) {
		const struct backend_row *row = &shape.rows[i];
		mxt_buf_puts(post->buf, "| ");
		put_shape(first, post->buf);
		mxt_buf_puts(post->buf, " | ");
		put_code_cell(row->label, post->buf);
		mxt_buf_puts(post->buf, " |");
		put_cell(post, row->cells[MXT_FORWARD]);
		put_cell(post, row->cells[MXT_BACKWARD]);
		mxt_buf_putc(post->buf, ' ');
		put_lead(post, &shape, row);
		mxt_buf_puts(post->buf, " |\n");
	}
}

/* The first sample of a kind at or after `from`; n_samples: none. */
static size_t next_of(const struct post *post, enum mxt_problem_kind kind, size_t from)
{
	while (from < post->n_samples && post->samples[from].problem.kind != kind)
		from++;
	return from;
}

static bool is_repeated(const struct post *post, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_shape(&post->samples[k], &post->samples[i]))
			return true;
	return false;
}

static void put_attention(const struct post *post)
{
	size_t i = next_of(post, MXT_PROBLEM_ATTENTION, 0);
	mxt_buf_puts(post->buf, "\n## Attention\n\n");
	if (i >= post->n_samples) {
		mxt_buf_puts(post->buf, "Attention was not measured.\n");
		put_choice(post, "attention");
		return;
	}
	mxt_buf_puts(post->buf,
		     "Medians. Causal attention counts half of the square, backward 2.5 times forward. The lead is by "
		     "how much the next backend takes longer, forward and backward together.\n\n"
		     "| (B, S, H/KV, D) | backend | forward ms | rate | of peak | backward ms | rate | of peak | lead "
		     "|\n|---|---|---|---|---|---|---|---|---|\n");
	for (; i < post->n_samples; i = next_of(post, MXT_PROBLEM_ATTENTION, i + 1))
		if (!is_repeated(post, i))
			put_shape_rows(post, &post->samples[i]);
	put_choice(post, "attention");
}

/* ---- matrix products ---- */

static bool is_timed_gemm(const struct mxt_plan_sample *sample, const char *candidate)
{
	return sample->problem.kind == MXT_PROBLEM_GEMM && sample->median_ns > 0 &&
	       strcmp(sample->candidate, candidate) == 0;
}

static const struct mxt_plan_sample *same_product(const struct post *post, const struct mxt_plan_sample *as,
						  const char *candidate)
{
	for (size_t i = 0; i < post->n_samples; i++)
		if (is_timed_gemm(&post->samples[i], candidate) &&
		    mxt_problem_equal(&post->samples[i].problem, &as->problem))
			return &post->samples[i];
	return NULL;
}

/* "785 TFLOP/s (nt 32768x12288x4096 bfloat16)" */
static void put_product(const struct mxt_plan_sample *sample, struct mxt_buf *buf)
{
	char rate[MXT_FIGURE_SIZE];
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_problem_text(&sample->problem, &text);
	const char *shape = strchr(mxt_buf_text(&text), ' '); /* behind "gemm" */
	buf->failed = buf->failed || text.failed;
	mxt_buf_printf(buf, "%s (%s)", mxt_figure_rate(rate, flop_per_s(sample)), shape ? shape + 1 : "");
}

/* The middle of its times over bare's, product by product. */
static void put_against_bare(const struct post *post, const char *candidate)
{
	MXT_CLEANUP_FREE double *ratios = calloc(post->n_samples + 1, sizeof *ratios);
	size_t n = 0;
	post->buf->failed = post->buf->failed || !ratios;
	for (size_t i = 0; ratios && i < post->n_samples; i++) {
		const struct mxt_plan_sample *sample = &post->samples[i], *bare = NULL;
		if (is_timed_gemm(sample, candidate))
			bare = same_product(post, sample, "bare");
		if (bare)
			ratios[n++] = (double)sample->median_ns / (double)bare->median_ns;
	}
	if (n == 0) {
		mxt_buf_puts(post->buf, "not measured");
		return;
	}
	double change = mxt_median(ratios, n) - 1;
	int64_t ppm = (int64_t)(change < 1e6 ? change * 1e6 : 1e12);
	mxt_buf_puts(post->buf, ppm > 0 ? "+" : "");
	put_percent(ppm, post->buf);
}

static void put_candidate(const struct post *post, const char *candidate)
{
	const struct mxt_plan_sample *fast = NULL, *slow = NULL;
	size_t n = 0;
	for (size_t i = 0; i < post->n_samples; i++) {
		const struct mxt_plan_sample *sample = &post->samples[i];
		if (!is_timed_gemm(sample, candidate))
			continue;
		fast = !fast || flop_per_s(sample) > flop_per_s(fast) ? sample : fast;
		slow = !slow || flop_per_s(sample) < flop_per_s(slow) ? sample : slow;
		n++;
	}
	mxt_buf_puts(post->buf, "| ");
	put_code_cell(candidate, post->buf);
	mxt_buf_printf(post->buf, " | %zu | ", n);
	if (fast) {
		put_product(fast, post->buf);
		mxt_buf_puts(post->buf, " | ");
		put_product(slow, post->buf);
	} else {
		mxt_buf_puts(post->buf, "not measured | not measured");
	}
	mxt_buf_puts(post->buf, " | ");
	if (strcmp(candidate, "bare") != 0)
		put_against_bare(post, candidate);
	mxt_buf_puts(post->buf, " |\n");
}

/* True when an earlier sample is of the same probe and candidate. */
static bool is_known_candidate(const struct post *post, size_t i)
{
	const struct mxt_plan_sample *sample = &post->samples[i];
	for (size_t k = 0; k < i; k++)
		if (post->samples[k].problem.kind == sample->problem.kind &&
		    strcmp(post->samples[k].candidate, sample->candidate) == 0)
			return true;
	return false;
}

static void put_gemm(const struct post *post)
{
	size_t i = next_of(post, MXT_PROBLEM_GEMM, 0), shown = 0;
	mxt_buf_puts(post->buf, "\n## Matrix products\n\n");
	if (i >= post->n_samples) {
		mxt_buf_puts(post->buf, "Matrix products were not measured.\n");
		put_choice(post, "gemm");
		return;
	}
	mxt_buf_puts(
	    post->buf,
	    "The products of one training step, each once; `n` and `t` say which operands are transposed, then "
	    "m x n x k. `bare` is the library that torch takes by itself.\n\n"
	    "| candidate | products | fastest | slowest | time against `bare`, median |\n"
	    "|---|---|---|---|---|\n");
	for (; i < post->n_samples && shown < MAX_CANDIDATES; i = next_of(post, MXT_PROBLEM_GEMM, i + 1)) {
		if (is_known_candidate(post, i))
			continue;
		put_candidate(post, post->samples[i].candidate);
		shown++;
	}
	put_choice(post, "gemm");
}

/* ---- what went wrong, what was decided ---- */

static void put_failures(const struct post *post)
{
	const char *title = "\nNot everything could be measured:\n\n";
	const json_t *rows = member(post->evidence, "samples");
	size_t shown = 0;
	const char *last = "";
	for (size_t i = 0; i < json_array_size(rows) && shown < MAX_CANDIDATES; i++) {
		const json_t *row = json_array_get(rows, i);
		const char *candidate = mxt_json_text(row, "candidate");
		if (strcmp(mxt_json_text(row, "status"), "ok") == 0 || strcmp(candidate, last) == 0)
			continue;
		mxt_buf_printf(post->buf, "%s- ", title);
		put_code(candidate, post->buf);
		mxt_buf_printf(post->buf, " (%s): %s: ", mxt_json_text(row, "probe"), mxt_json_text(row, "status"));
		put_code(mxt_json_text(row, "reason"), post->buf);
		mxt_buf_putc(post->buf, '\n');
		title = "";
		last = candidate;
		shown++;
	}
}

static void put_decision(const struct post *post)
{
	struct mxt_buf *buf = post->buf;
	const char *attention = mxt_json_text(member(post->decision, "attention"), "backend");
	const char *library = mxt_json_text(member(post->decision, "gemm"), "library");
	mxt_buf_printf(buf, "\n## Plan\n\n- attention: %s\n- matrix products: %s%s%s\n",
		       attention[0] ? attention : "not planned", library[0] ? library : "not planned",
		       library[0] ? ", " : "", mxt_json_text(member(post->decision, "gemm"), "mode"));
	mxt_buf_puts(buf, "- exported:");
	for (size_t i = 0; i < mxt_plan_env_count(post->plan); i++) {
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		mxt_buf_printf(&text, "%s=%s", mxt_plan_env_name(post->plan, i), mxt_plan_env_value(post->plan, i));
		mxt_buf_putc(buf, ' ');
		put_code(mxt_buf_text(&text), buf);
		buf->failed = buf->failed || text.failed;
	}
	mxt_buf_printf(buf, "%s\n- plan_id: `%s`\n", mxt_plan_env_count(post->plan) ? "" : " nothing",
		       mxt_plan_id(post->plan));
	put_choice(post, "confirm");
	mxt_buf_puts(buf, "\nTo measure the same elsewhere:\n\n    ");
	mxt_plan_command(post->plan, buf);
	mxt_buf_putc(buf, '\n');
}

static void put_head(const struct post *post)
{
	char used[MXT_FIGURE_SIZE];
	int64_t used_ns = integer_or(member(post->evidence, "budget"), "used_ns", -1);
	const char *name = mxt_json_text(measured_device(post), "name");
	const char *created = mxt_json_text(post->evidence, "created"), *tool = mxt_json_text(post->evidence, "tool");
	mxt_buf_puts(post->buf, "# Kernels for fine-tuning on ");
	put_code(name[0] ? name : mxt_json_text(member(post->decision, "platform"), "arch"), post->buf);
	mxt_buf_puts(post->buf, "\n\nMeasured ");
	put_code(created[0] ? created : "at a time that was not recorded", post->buf);
	mxt_buf_puts(post->buf, " by ");
	put_code(tool[0] ? tool : "mindxtrain", post->buf);
	if (used_ns >= 0)
		mxt_buf_printf(post->buf, " in %s", mxt_figure_seconds(used, (uint64_t)used_ns));
	mxt_buf_puts(post->buf, ".\n\n");
}

/* ---- all ---- */

static int refuse(const struct mxt_plan *plan, struct mxt_error *err)
{
	if (mxt_plan_is_simulated(plan))
		return mxt_error_set(err, -EPERM, MXT_E_PLAN_SIMULATED,
				     "this plan was made on simulated hardware: it holds no measurement that could be "
				     "published; make a plan on real hardware");
	if (mxt_plan_is_self_test(plan))
		return mxt_error_set(err, -EPERM, MXT_E_PLAN_SELF_TEST,
				     "this is a self-test: it timed the built-in provider, not what a training runs; "
				     "make a plan through the torch that trains (--python)");
	if (integer_or(mxt_plan_evidence(plan), "version", 1) > MXT_PLAN_EVIDENCE_VERSION)
		return mxt_error_set(err, -EINVAL, MXT_E_PLAN_SCHEMA,
				     "the plan's evidence is of a newer version than this program reads; use the one "
				     "that made it");
	return 0;
}

static int read_samples(struct post *post, struct mxt_error *err)
{
	const json_t *rows = member(post->evidence, "samples");
	size_t count = json_array_size(rows), most = count < MAX_SAMPLES ? count : MAX_SAMPLES;
	post->n_left_out = count - most;
	post->n_samples = 0;
	post->samples = calloc(most + 1, sizeof *post->samples);
	if (!post->samples)
		return mxt_error_oom(err);
	for (size_t i = 0; i < most; i++)
		post->n_samples += mxt_plan_sample_read(json_array_get(rows, i), &post->samples[post->n_samples]);
	return 0;
}

/* The bounds of the card follow from its own facts. A plan that has none, or others, has no bounds. */
static int read_gpu(struct post *post, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	const json_t *devices = member(post->evidence, "devices");
	MXT_CLEANUP_JSON json_t *facts = json_object();
	if (!facts || (devices && json_object_set(facts, "devices", (json_t *)devices) < 0))
		return mxt_error_oom(err);
	if (mxt_nvidia_gpu_find(facts, 0, &post->gpu, &why) < 0)
		post->gpu = (struct mxt_nvidia_gpu){.name = ""};
	return why.id == MXT_E_NO_MEMORY ? mxt_error_oom(err) : 0;
}

int mxt_plan_post(const struct mxt_plan *plan, struct mxt_buf *buf, struct mxt_error *err)
{
	struct post post = {
	    .plan = plan, .decision = mxt_plan_decision(plan), .evidence = mxt_plan_evidence(plan), .buf = buf};
	int rc = refuse(plan, err);
	if (rc == 0)
		rc = read_gpu(&post, err);
	if (rc == 0)
		rc = read_samples(&post, err);
	if (rc == 0) {
		put_head(&post);
		put_machine(&post);
		put_workload(&post);
		put_attention(&post);
		put_gemm(&post);
		put_failures(&post);
		put_decision(&post);
		if (post.n_left_out > 0)
			mxt_buf_printf(buf, "\nThe plan holds %zu more samples.\n", post.n_left_out);
	}
	free(post.samples);
	return rc;
}
