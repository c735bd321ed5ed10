/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <inttypes.h>
#include <string.h>

#include "display_text.h"
#include "figures.h"

/* Columns: "98.70 ms", "1.23 TFLOP/s", "100 %", with two blanks before each candidate and one inside. */
#define TIME_WIDTH  8
#define RATE_WIDTH  12
#define SHARE_WIDTH 5
#define FULL_WIDTH  (2 + TIME_WIDTH + 1 + RATE_WIDTH + 1 + SHARE_WIDTH)
#define BEST_WIDTH  (2 + RATE_WIDTH + 1 + SHARE_WIDTH)

#define MIN_CELL  10
#define MAX_CELL  22
#define MAX_LABEL 44

/* In the layout FASTEST: a shorter label, two times, and the name of the fastest. */
#define PAIR_WIDTH   8
#define SHORT_LABEL  26
#define SHORT_NAME   12
#define FASTEST_REST (2 * PAIR_WIDTH + BEST_WIDTH + 2)

/* Wide enough for the longest name, as far as there is room. */
static size_t fit_cells(const char *const *names, size_t n_names, size_t room)
{
	size_t widest = MIN_CELL;
	for (size_t i = 0; i < n_names; i++) {
		size_t width = mxt_display_width(names[i]) + 2;
		widest = width > widest ? width : widest;
	}
	size_t most = n_names > 0 ? room / n_names : room;
	widest = widest < MAX_CELL ? widest : MAX_CELL;
	return widest < most ? widest : most;
}

void mxt_table_init(struct mxt_table *table, const char *const *names, size_t n_names, double peak_flops,
		    size_t columns)
{
	size_t label = columns * 3 / 8 < MAX_LABEL ? columns * 3 / 8 : MAX_LABEL, room = columns - label;
	*table = (struct mxt_table){.label_width = label, .names = names, .n_names = n_names, .peak_flops = peak_flops};
	if (n_names * FULL_WIDTH <= room) {
		table->layout = MXT_TABLE_FULL;
		table->cell_width = FULL_WIDTH;
	} else if (n_names * MIN_CELL + BEST_WIDTH <= room) {
		table->layout = MXT_TABLE_TIMES;
		table->cell_width = fit_cells(names, n_names, room - BEST_WIDTH);
	} else {
		room = columns > FASTEST_REST ? columns - FASTEST_REST : 0;
		label = room > SHORT_NAME ? room - SHORT_NAME : room;
		table->layout = MXT_TABLE_FASTEST;
		table->label_width = label < SHORT_LABEL ? label : SHORT_LABEL;
		table->cell_width = room - table->label_width;
	}
}

void mxt_table_head(const struct mxt_table *table, struct mxt_line *line)
{
	mxt_line_field(line, table->label_width, MXT_LEFT, MXT_PAINT_DIM,
		       table->layout == MXT_TABLE_FULL ? "" : "ms per call");
	if (table->layout == MXT_TABLE_FASTEST) {
		mxt_line_field(line, PAIR_WIDTH, MXT_RIGHT, MXT_PAINT_DIM, table->n_names ? table->names[0] : "");
		mxt_line_field(line, PAIR_WIDTH, MXT_RIGHT, MXT_PAINT_DIM, "fastest");
		mxt_line_end(line);
		return;
	}
	for (size_t i = 0; i < table->n_names; i++) {
		mxt_line_field(line, 2, MXT_LEFT, MXT_PAINT_NONE, "");
		mxt_line_field(line, table->cell_width - 2, MXT_RIGHT, MXT_PAINT_DIM, table->names[i]);
	}
	if (table->layout == MXT_TABLE_TIMES)
		mxt_line_field(line, BEST_WIDTH, MXT_RIGHT, MXT_PAINT_DIM, "fastest");
	mxt_line_end(line);
}

size_t mxt_table_fastest(const struct mxt_event_problem *row)
{
	size_t best = row->n_cells;
	for (size_t i = 0; i < row->n_cells; i++)
		if (!row->cells[i].reason &&
		    (best == row->n_cells || row->cells[i].median_ns < row->cells[best].median_ns))
			best = i;
	return best;
}

double mxt_table_rate(const struct mxt_event_problem *row, size_t cell)
{
	uint64_t ns = row->cells[cell].median_ns;
	return ns > 0 ? mxt_problem_flops(row->problem) / (double)ns * 1e9 : 0;
}

static void attention_label(const struct mxt_attention *a, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "%s b%" PRId32 " s%" PRId32 " h%" PRId32, a->direction == MXT_FORWARD ? "fwd" : "bwd",
		       a->batch, a->seq, a->heads);
	if (a->kv_heads != a->heads)
		mxt_buf_printf(buf, "/%" PRId32, a->kv_heads);
	mxt_buf_printf(buf, " d%" PRId32 "%s", a->head_dim, a->causal ? " causal" : "");
}

/* The problem in few letters: what all problems of a probe share (probe, dtype) is left out. */
static void label(const struct mxt_problem *problem, struct mxt_buf *buf)
{
	const struct mxt_gemm *g = &problem->as.gemm;
	if (problem->kind == MXT_PROBLEM_ATTENTION) {
		attention_label(&problem->as.attention, buf);
		return;
	}
	mxt_buf_printf(buf, "%c%c %" PRId64 "x%" PRId64 "x%" PRId64 "%s%s", g->trans_a ? 't' : 'n',
		       g->trans_b ? 't' : 'n', g->m, g->n, g->k, g->accumulate ? " +c" : "", g->bias ? " bias" : "");
}

static void put_time(struct mxt_line *line, size_t width, enum mxt_paint paint, const struct mxt_event_cell *cell,
		     bool unit)
{
	char text[MXT_FIGURE_SIZE] = "-";
	if (!cell->reason)
		(void)mxt_figure_ms(text, cell->median_ns);
	mxt_line_field(line, width - (unit ? 3 : 0), MXT_RIGHT, paint, text);
	if (unit)
		mxt_line_field(line, 3, MXT_LEFT, paint, cell->reason ? "" : " ms");
}

/* Rate and share of one cell; blanks when there is none. */
static void put_rate(const struct mxt_table *table, const struct mxt_event_problem *row, size_t cell,
		     enum mxt_paint paint, struct mxt_line *line)
{
	char rate[MXT_FIGURE_SIZE] = "", share[MXT_FIGURE_SIZE] = "";
	if (cell < row->n_cells && !row->cells[cell].reason) {
		(void)mxt_figure_rate(rate, mxt_table_rate(row, cell));
		(void)mxt_figure_share(share, mxt_table_rate(row, cell), table->peak_flops);
	}
	mxt_line_field(line, 1 + RATE_WIDTH, MXT_RIGHT, paint, rate);
	mxt_line_field(line, 1 + SHARE_WIDTH, MXT_RIGHT, paint, share);
}

static void put_fastest(const struct mxt_table *table, const struct mxt_event_problem *row, size_t fastest,
			struct mxt_line *line)
{
	static const struct mxt_event_cell nothing = {.reason = ""};
	const struct mxt_event_cell *best = fastest < row->n_cells ? &row->cells[fastest] : &nothing;
	put_time(line, PAIR_WIDTH, MXT_PAINT_NONE, row->n_cells > 0 ? &row->cells[0] : &nothing, false);
	put_time(line, PAIR_WIDTH, MXT_PAINT_GOOD, best, false);
	mxt_line_field(line, 1, MXT_LEFT, MXT_PAINT_NONE, "");
	put_rate(table, row, fastest, MXT_PAINT_NONE, line);
	mxt_line_field(line, 2, MXT_LEFT, MXT_PAINT_NONE, "");
	mxt_line_field(line, table->cell_width, MXT_LEFT, MXT_PAINT_GOOD,
		       fastest < table->n_names ? table->names[fastest] : "");
}

void mxt_table_row(const struct mxt_table *table, const struct mxt_event_problem *row, struct mxt_line *line)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	size_t fastest = mxt_table_fastest(row);
	label(row->problem, &text);
	mxt_line_field(line, table->label_width, MXT_LEFT, MXT_PAINT_NONE, mxt_buf_text(&text));
	if (table->layout == MXT_TABLE_FASTEST) {
		put_fastest(table, row, fastest, line);
		return;
	}
	for (size_t i = 0; i < row->n_cells; i++) {
		enum mxt_paint paint = i == fastest ? MXT_PAINT_GOOD : MXT_PAINT_NONE;
		bool full = table->layout == MXT_TABLE_FULL;
		put_time(line, full ? 2 + TIME_WIDTH : table->cell_width, paint, &row->cells[i], full);
		if (full)
			put_rate(table, row, i, paint, line);
	}
	if (table->layout == MXT_TABLE_TIMES) {
		mxt_line_field(line, 1, MXT_LEFT, MXT_PAINT_NONE, "");
		put_rate(table, row, fastest, MXT_PAINT_NONE, line);
	}
}
