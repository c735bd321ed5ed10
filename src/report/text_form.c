/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as text: for a terminal, and as plain lines that are never cut or broken.
 */
#include <inttypes.h>
#include <string.h>

#include "display_text.h"
#include "figures.h"
#include "form.h"
#include "progress.h"

#define INDENT        4
#define SIMULATED     " simulated"
#define SIMULATED_LEN 10

static bool on_terminal(const struct mxt_report *report)
{
	return report->style.form == MXT_FORM_TERMINAL;
}

static struct mxt_line line_of(struct mxt_report *report)
{
	size_t columns = on_terminal(report) ? mxt_style_columns(&report->style) : SIZE_MAX;
	return (struct mxt_line)MXT_LINE_INIT(&report->style, &report->text, columns);
}

/* A line, broken between words where a terminal ends. */
static void put_sentence(struct mxt_report *report, enum mxt_paint paint, const struct mxt_buf *sentence)
{
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT, broken = MXT_BUF_INIT;
	bool utf8 = report->style.utf8;
	mxt_display_clean(mxt_buf_text(sentence), utf8, &clean);
	if (on_terminal(report))
		mxt_display_wrap(mxt_buf_text(&clean), mxt_style_columns(&report->style), 0, INDENT, utf8, &broken);
	else
		mxt_buf_puts(&broken, mxt_buf_text(&clean));
	report->text.failed = report->text.failed || sentence->failed || clean.failed || broken.failed;
	mxt_style_puts(&report->style, paint, mxt_buf_text(&broken), &report->text);
	mxt_buf_putc(&report->text, '\n');
}

/* What has to be said wherever times or decisions are shown. */
static void put_tags(const struct mxt_report *report, bool decision, struct mxt_buf *sentence)
{
	if (report->simulated)
		mxt_buf_puts(sentence, " [simulated]");
	if (decision && report->self_test)
		mxt_buf_puts(sentence, " [self-test]");
}

static void show_run(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_run *run = &event->as.run;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char budget[MXT_FIGURE_SIZE];
	mxt_buf_printf(&text, "%s", run->workload);
	put_sentence(report, MXT_PAINT_STRONG, &text);
	mxt_buf_truncate(&text, 0);
	mxt_buf_printf(&text, "on %s, budget %s, seed %" PRIu64, run->device,
		       mxt_figure_seconds(budget, run->budget_ns), run->seed);
	put_tags(report, true, &text);
	put_sentence(report, MXT_PAINT_NONE, &text);
}

static void put_count(struct mxt_buf *text, size_t count, const char *noun)
{
	mxt_buf_printf(text, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

static void show_probe(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_probe *probe = &event->as.probe;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char peak[MXT_FIGURE_SIZE];
	mxt_buf_printf(&text, "%s: ", probe->probe);
	put_count(&text, probe->n_problems, "problem");
	mxt_buf_puts(&text, ", ");
	put_count(&text, probe->n_candidates, "candidate");
	if (probe->peak_flops > 0)
		mxt_buf_printf(&text, ", peak of the device %s", mxt_figure_rate(peak, probe->peak_flops));
	if (on_terminal(report))
		mxt_buf_putc(&report->text, '\n');
	put_sentence(report, MXT_PAINT_STRONG, &text);
	if (!on_terminal(report))
		return;
	struct mxt_line line = line_of(report);
	size_t columns = line.columns - (report->simulated ? SIMULATED_LEN : 0);
	mxt_table_init(&report->table, (const char *const *)report->names, report->n_names, probe->peak_flops, columns);
	mxt_table_head(&report->table, &line);
}

/* Why a candidate has no time is told once: in its first row. */
static bool explain(struct mxt_report *report, const struct mxt_event_problem *row, size_t i)
{
	uint32_t bit = i < 32 ? UINT32_C(1) << i : 0;
	if (!row->cells[i].reason || (report->explained & bit))
		return false;
	report->explained |= bit;
	return true;
}

/* "bare 12.34 ms 182 GFLOP/s 45 % of peak", or "flash: failed: ..." */
static void put_plain_cell(const struct mxt_report *report, const struct mxt_event_problem *row, size_t i,
			   struct mxt_buf *text)
{
	const struct mxt_event_cell *cell = &row->cells[i];
	char ms[MXT_FIGURE_SIZE], rate[MXT_FIGURE_SIZE], share[MXT_FIGURE_SIZE];
	const char *name = i < report->n_names ? report->names[i] : "?";
	if (cell->reason) {
		mxt_buf_printf(text, "%s: %s", name, cell->reason);
		return;
	}
	double flop_per_s = mxt_table_rate(row, i);
	mxt_buf_printf(text, "%s %s ms %s", name, mxt_figure_ms(ms, cell->median_ns),
		       mxt_figure_rate(rate, flop_per_s));
	if (*mxt_figure_share(share, flop_per_s, report->peak_flops) != '\0')
		mxt_buf_printf(text, " %s of peak", share);
}

static void put_plain_row(struct mxt_report *report, const struct mxt_event_problem *row)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const char *separator = ": ";
	mxt_problem_text(row->problem, &text);
	for (size_t i = 0; i < row->n_cells; i++) {
		if (row->cells[i].reason && !explain(report, row, i))
			continue;
		mxt_buf_puts(&text, separator);
		put_plain_cell(report, row, i, &text);
		separator = "; ";
	}
	if (separator[0] == ':')
		return; /* nobody has a time, and why was told */
	put_tags(report, false, &text);
	put_sentence(report, MXT_PAINT_NONE, &text);
}

/* Under the row: why candidates have no time. */
static void put_reasons(struct mxt_report *report, const struct mxt_event_problem *row)
{
	for (size_t i = 0; i < row->n_cells && i < report->n_names; i++) {
		if (!explain(report, row, i))
			continue;
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		mxt_buf_printf(&text, "%s: %s", report->names[i], row->cells[i].reason);
		put_sentence(report, MXT_PAINT_WARN, &text);
	}
}

static void show_problem(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_problem *row = &event->as.problem;
	if (!on_terminal(report)) {
		put_plain_row(report, row);
		return;
	}
	struct mxt_line line = line_of(report);
	mxt_table_row(&report->table, row, &line);
	if (report->simulated)
		mxt_line_put(&line, MXT_PAINT_WARN, SIMULATED);
	mxt_line_end(&line);
	put_reasons(report, row);
}

/* "8.2 % faster", "1.0 % slower" */
static void put_gain(struct mxt_buf *text, int32_t gain_ppm)
{
	char percent[MXT_FIGURE_SIZE];
	int64_t size = gain_ppm < 0 ? -(int64_t)gain_ppm : gain_ppm;
	mxt_buf_printf(text, "%s %% %s", mxt_figure_percent(percent, size), gain_ppm < 0 ? "slower" : "faster");
}

/* " (best: flash, 2.1 % faster; twins differ by 0.3 %)" */
static void put_best(struct mxt_buf *text, const struct mxt_event_choice *e)
{
	char floor[MXT_FIGURE_SIZE];
	bool has_best = e->choice->best != e->choice->incumbent;
	bool has_floor = e->choice->floor_ppm != MXT_FLOOR_UNKNOWN_PPM;
	if (!has_best && !has_floor)
		return;
	mxt_buf_puts(text, " (");
	if (has_best) {
		mxt_buf_printf(text, "best: %s, ", e->best);
		put_gain(text, e->choice->gain_ppm);
	}
	if (has_floor)
		mxt_buf_printf(text, "%stwins differ by %s %%", has_best ? "; " : "",
			       mxt_figure_percent(floor, e->choice->floor_ppm));
	mxt_buf_puts(text, ")");
}

static void put_winner(struct mxt_buf *text, const struct mxt_event_choice *e)
{
	char bound[MXT_FIGURE_SIZE], floor[MXT_FIGURE_SIZE];
	mxt_buf_printf(text, "%s instead of %s: ", e->winner, e->incumbent);
	put_gain(text, e->choice->gain_ppm);
	mxt_buf_printf(text, ", at least %s %%; twins differ by %s %%; %s",
		       mxt_figure_percent(bound, e->choice->bound_ppm), mxt_figure_percent(floor, e->choice->floor_ppm),
		       e->choice->rule);
}

static void show_choice(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_choice *e = &event->as.choice;
	static const enum mxt_paint paints[] = {
	    [MXT_VERDICT_WINNER] = MXT_PAINT_GOOD,
	    [MXT_VERDICT_INCUMBENT] = MXT_PAINT_NONE,
	    [MXT_VERDICT_UNRESOLVED] = MXT_PAINT_WARN,
	    [MXT_VERDICT_NO_INCUMBENT] = MXT_PAINT_WARN,
	};
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "%s: ", e->probe);
	switch (e->choice->verdict) {
	case MXT_VERDICT_WINNER:
		put_winner(&text, e);
		break;
	case MXT_VERDICT_INCUMBENT:
		mxt_buf_printf(&text, "%s stays: %s", e->incumbent, e->choice->rule);
		put_best(&text, e);
		break;
	case MXT_VERDICT_UNRESOLVED:
		mxt_buf_printf(&text, "%s stays, unresolved: %s", e->incumbent, e->choice->rule);
		put_best(&text, e);
		break;
	case MXT_VERDICT_NO_INCUMBENT:
		mxt_buf_printf(&text, "nothing is chosen: %s", e->choice->rule);
		break;
	}
	put_tags(report, true, &text);
	put_sentence(report, paints[e->choice->verdict], &text);
}

static void show_heuristic(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_heuristic *e = &event->as.heuristic;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char share[MXT_FIGURE_SIZE], gain[MXT_FIGURE_SIZE], floor[MXT_FIGURE_SIZE];
	mxt_buf_printf(&text, "heuristic check: %zu of ", e->ranked);
	put_count(&text, e->products, "product");
	mxt_buf_printf(&text, " (%s %% of GEMM time): the first choice is %s %% from the best found (noise %s %%); %s",
		       mxt_figure_percent(share, e->share_ppm), mxt_figure_percent(gain, e->gain_ppm),
		       mxt_figure_percent(floor, e->floor_ppm), e->library);
	put_tags(report, false, &text);
	put_sentence(report, MXT_PAINT_NONE, &text);
}

static void show_pins(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_pins *e = &event->as.pins;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char gain[MXT_FIGURE_SIZE], bound[MXT_FIGURE_SIZE];
	mxt_buf_puts(&text, "pins: ");
	if (e->products > 0) {
		put_count(&text, e->products, "product");
		mxt_buf_printf(&text, ", which save %s %% of GEMM time (surely %s %%)",
			       mxt_figure_percent(gain, e->gain_ppm), mxt_figure_percent(bound, e->bound_ppm));
	} else {
		mxt_buf_printf(&text, "none: %s", e->rule);
	}
	put_tags(report, false, &text);
	put_sentence(report, MXT_PAINT_NONE, &text);
}

static void show_skipped(struct mxt_report *report, const struct mxt_event *event)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "skipped %s: %s", event->as.skipped.what, event->as.skipped.reason);
	put_sentence(report, MXT_PAINT_DIM, &text);
}

static void show_note(struct mxt_report *report, const struct mxt_event *event)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "note: %s", event->as.note.text);
	put_tags(report, false, &text); /* a note may hold a time */
	put_sentence(report, MXT_PAINT_WARN, &text);
}

static void show_confirm(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_confirm *e = &event->as.confirm;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char bound[MXT_FIGURE_SIZE];
	mxt_buf_printf(&text, "confirm: one layer in training order, against %s: ", e->against);
	if (e->confirm->surely_faster || e->confirm->surely_slower) {
		put_gain(&text, e->confirm->gain_ppm);
		if (e->confirm->surely_faster)
			mxt_buf_printf(&text, ", at least %s %%", mxt_figure_percent(bound, e->confirm->bound_ppm));
	} else {
		mxt_buf_puts(&text, "no difference found");
	}
	if (e->dropped)
		mxt_buf_printf(&text, "; %s is taken back", e->dropped);
	put_tags(report, false, &text);
	put_sentence(report, e->confirm->surely_slower ? MXT_PAINT_WARN : MXT_PAINT_NONE, &text);
}

/* How people read it. */
static const char *probe_title(const char *probe)
{
	return strcmp(probe, "gemm") == 0 ? "GEMM" : probe;
}

/* "saves 4.1 % of the step: attention 3.8, GEMM 0.3" */
static void put_savings(struct mxt_buf *text, const struct mxt_event_cost *cost)
{
	char percent[MXT_FIGURE_SIZE];
	const char *separator = ": ";
	mxt_buf_printf(text, "saves %s %% of the step", mxt_figure_percent(percent, cost->saved_ppm));
	for (size_t i = 0; i < cost->n_parts; i++) {
		const struct mxt_event_saving *part = &cost->parts[i];
		if (part->saved_ppm == 0)
			continue;
		mxt_buf_printf(text, "%s%s %s", separator, probe_title(part->probe),
			       mxt_figure_percent(percent, part->saved_ppm));
		separator = ", ";
	}
}

/* "no difference found", or "nothing is changed; unresolved: attention": what could not be told is no answer. */
static void put_no_savings(struct mxt_buf *text, const struct mxt_event_cost *cost)
{
	const char *separator = "nothing is changed; unresolved: ";
	for (size_t i = 0; i < cost->n_parts; i++) {
		if (!cost->parts[i].unresolved)
			continue;
		mxt_buf_printf(text, "%s%s", separator, probe_title(cost->parts[i].probe));
		separator = ", ";
	}
	if (text->len == 0)
		mxt_buf_puts(text, "no difference found");
}

static void show_cost(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_cost *cost = &event->as.cost;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	if (cost->saved_ppm > 0)
		put_savings(&text, cost);
	else
		put_no_savings(&text, cost);
	put_tags(report, true, &text);
	if (on_terminal(report))
		mxt_buf_putc(&report->text, '\n');
	put_sentence(report, cost->saved_ppm > 0 ? MXT_PAINT_GOOD : MXT_PAINT_STRONG, &text);
}

static void show_today(struct mxt_report *report, const struct mxt_event *event)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "today: %s; %s", event->as.today.today, event->as.today.plan);
	put_tags(report, true, &text);
	put_sentence(report, MXT_PAINT_NONE, &text);
}

static void show_plan(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_plan *plan = &event->as.plan;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char used[MXT_FIGURE_SIZE], limit[MXT_FIGURE_SIZE];
	mxt_buf_printf(&text, "plan written to %s after %s of %s", plan->path,
		       mxt_figure_seconds(used, plan->elapsed_ns), mxt_figure_seconds(limit, plan->budget_ns));
	put_tags(report, true, &text);
	put_sentence(report, MXT_PAINT_NONE, &text);
	mxt_buf_truncate(&text, 0);
	mxt_buf_printf(&text, "plan_id %s", plan->plan_id);
	put_sentence(report, MXT_PAINT_NONE, &text);
}

static void show_progress(struct mxt_report *report, const struct mxt_event *event)
{
	if (!on_terminal(report) || !report->style.escapes)
		return;
	struct mxt_line line = line_of(report);
	mxt_buf_puts(&report->text, "\r");
	mxt_progress_draw(&event->as.progress, &line);
	mxt_buf_puts(&report->text, "\033[K");
	report->progress_shown = true;
}

mxt_show_fn *const mxt_text_form[MXT_EVENT_KIND_COUNT] = {
    [MXT_EVENT_RUN] = show_run,         [MXT_EVENT_PROBE] = show_probe,     [MXT_EVENT_PROGRESS] = show_progress,
    [MXT_EVENT_PROBLEM] = show_problem, [MXT_EVENT_CHOICE] = show_choice,   [MXT_EVENT_HEURISTIC] = show_heuristic,
    [MXT_EVENT_PINS] = show_pins,       [MXT_EVENT_SKIPPED] = show_skipped, [MXT_EVENT_NOTE] = show_note,
    [MXT_EVENT_CONFIRM] = show_confirm, [MXT_EVENT_COST] = show_cost,       [MXT_EVENT_TODAY] = show_today,
    [MXT_EVENT_PLAN] = show_plan,
};
