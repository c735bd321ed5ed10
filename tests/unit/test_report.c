/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One scripted run in every form, against golden files; MXT_UPDATE_GOLDEN=1 rewrites them.
 */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "compiler.h"
#include "display_text.h"
#include "error.h"
#include "events.h"
#include "file.h"
#include "report.h"
#include "style.h"

#define MS UINT64_C(1000000)

static struct mxt_problem attention(int32_t seq, enum mxt_direction direction)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_ATTENTION, .calls = 36, .share_ppm = 1000000};
	problem.as.attention = (struct mxt_attention){.batch = 1,
						      .seq = seq,
						      .heads = 32,
						      .kv_heads = 8,
						      .head_dim = 80,
						      .causal = true,
						      .dtype = MXT_DTYPE_F32,
						      .direction = direction};
	return problem;
}

static struct mxt_problem gemm(int64_t m, int64_t n, int64_t k)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .calls = 36, .share_ppm = 1000000};
	problem.as.gemm = (struct mxt_gemm){.m = m, .n = n, .k = k, .lda = k, .ldb = k, .ldc = n, .trans_b = true};
	return problem;
}

static void emit_run(const struct mxt_event_sink *sink, const char *workload, bool simulated)
{
	struct mxt_event event = {.kind = MXT_EVENT_RUN,
				  .as.run = {workload, "cpu", 60000 * MS, 42, simulated, !simulated}};
	mxt_emit(sink, &event);
}

static void emit_probe(const struct mxt_event_sink *sink, const char *probe, const char *const *names, size_t n)
{
	struct mxt_event event = {.kind = MXT_EVENT_PROBE, .as.probe = {probe, names, n, 2, 210.5e9}};
	mxt_emit(sink, &event);
}

static void emit_problem(const struct mxt_event_sink *sink, const char *probe, const struct mxt_problem *problem,
			 const struct mxt_event_cell *cells, size_t n)
{
	struct mxt_event event = {.kind = MXT_EVENT_PROBLEM, .as.problem = {probe, problem, cells, n}};
	mxt_emit(sink, &event);
}

static void emit_progress(const struct mxt_event_sink *sink, const char *phase, uint64_t elapsed_ms)
{
	struct mxt_event event = {.kind = MXT_EVENT_PROGRESS, .as.progress = {phase, elapsed_ms * MS, 60000 * MS}};
	mxt_emit(sink, &event);
}

static void emit_choice(const struct mxt_event_sink *sink, const char *probe, const struct mxt_choice *choice,
			const char *winner, const char *best)
{
	struct mxt_event event = {.kind = MXT_EVENT_CHOICE, .as.choice = {probe, choice, "bare", winner, best}};
	mxt_emit(sink, &event);
}

/* Two candidates of which one cannot do everything. */
static void play_attention(const struct mxt_event_sink *sink)
{
	static const char *const names[] = {"bare", "flash"};
	const struct mxt_event_cell forward[] = {{NULL, 12340000, 9}, {NULL, 10010000, 9}};
	const struct mxt_event_cell backward[] = {{NULL, 98700000, 9},
						  {"unsupported: heads of 80 are not built in", 0, 0}};
	const struct mxt_choice choice = {.verdict = MXT_VERDICT_WINNER,
					  .winner = 2,
					  .best = 2,
					  .gain_ppm = 82000,
					  .bound_ppm = 69000,
					  .floor_ppm = 3100,
					  .blocks = 8,
					  .rule = "surely faster than every incumbent by more than the margin"};
	struct mxt_problem fwd = attention(512, MXT_FORWARD), bwd = attention(512, MXT_BACKWARD);
	emit_progress(sink, "attention", 6000);
	emit_progress(sink, "attention", 18500);
	emit_probe(sink, "attention", names, 2);
	emit_problem(sink, "attention", &fwd, forward, 2);
	emit_problem(sink, "attention", &bwd, backward, 2);
	emit_choice(sink, "attention", &choice, "flash", "flash");
}

/* More candidates than fit side by side into 80 columns. */
static void play_gemm(const struct mxt_event_sink *sink)
{
	static const char *const names[] = {"bare", "threads=1", "coretype=Haswell", "coretype=SkylakeX", "blas=blis"};
	const struct mxt_event_cell small[] = {
	    {NULL, 5234567, 40}, {NULL, 9876543, 40}, {NULL, 5012345, 40}, {NULL, 5111111, 40}, {"timeout: 5 s", 0, 0}};
	const struct mxt_event_cell large[] = {{NULL, 1234 * MS, 9},
					       {NULL, 2345 * MS, 9},
					       {NULL, 1198 * MS, 9},
					       {NULL, 1201 * MS, 9},
					       {"timeout: 5 s", 0, 0}};
	const struct mxt_choice choice = {.verdict = MXT_VERDICT_UNRESOLVED,
					  .best = 3,
					  .gain_ppm = 29000,
					  .bound_ppm = -4000,
					  .floor_ppm = 12000,
					  .blocks = 32,
					  .rule =
					      "after all blocks a gain of the margin is neither shown nor excluded"};
	struct mxt_problem first = gemm(64, 2560, 2560), second = gemm(512, 50304, 2560);
	emit_probe(sink, "gemm", names, 5);
	emit_progress(sink, "gemm", 42000);
	emit_problem(sink, "gemm", &first, small, 5);
	emit_problem(sink, "gemm", &second, large, 5);
	emit_choice(sink, "gemm", &choice, "bare", "coretype=Haswell");
	const struct mxt_event heuristic = {.kind = MXT_EVENT_HEURISTIC,
					    .as.heuristic = {"cuBLASLt 13.1.0", 25, 18, 971234, 4321, 2100}};
	mxt_emit(sink, &heuristic);
	const struct mxt_event pins[] = {
	    {.kind = MXT_EVENT_PINS, .as.pins = {7, 34000, 29000, "each surely saves 5 % of its product"}},
	    {.kind = MXT_EVENT_PINS, .as.pins = {.rule = "no product has a solution that surely saves 5 % of it"}},
	};
	mxt_emit(sink, &pins[0]);
	mxt_emit(sink, &pins[1]);
}

static void play_end(const struct mxt_event_sink *sink)
{
	const struct mxt_confirm faster = {.surely_faster = true, .gain_ppm = 39000, .bound_ppm = 31000, .blocks = 16};
	const struct mxt_event_saving parts[] = {{"attention", 38000, false}, {"gemm", 3000, false}};
	const struct mxt_event events[] = {
	    {.kind = MXT_EVENT_SKIPPED, .as.skipped = {"blas=blis", "no time for it within the budget"}},
	    {.kind = MXT_EVENT_CONFIRM, .as.confirm = {"bare", &faster, NULL}},
	    {.kind = MXT_EVENT_COST, .as.cost = {41000, parts, 2}},
	    {.kind = MXT_EVENT_TODAY,
	     .as.today = {"cuDNN attention (torch's default)",
			  "the plan: flash attention inside torch, by TORCH_CUDNN_SDPA_DEPRIORITIZED=1"}},
	    {.kind = MXT_EVENT_PLAN,
	     .as.plan = {"plan.json", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 58100 * MS,
			 60000 * MS}},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(events); i++) {
		emit_progress(sink, "confirm", 55000);
		mxt_emit(sink, &events[i]);
	}
}

static void play(const struct mxt_event_sink *sink, bool simulated)
{
	const struct mxt_event note = {
	    .kind = MXT_EVENT_NOTE,
	    .as.note = {
		"sequence lengths vary, and a kernel's first call on a new shape is slow; pad to a few lengths"}};
	emit_run(sink, "instella-3b, 2 x 4096 tokens, LoRA 16", simulated);
	mxt_emit(sink, &note);
	play_attention(sink);
	play_gemm(sink);
	play_end(sink);
}

/* What a report in this style writes for a script; the caller frees. */
static char *rendered(const struct mxt_style *style, void (*script)(const struct mxt_event_sink *, bool),
		      bool simulated)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	struct mxt_report *report = mxt_report_create_styled(out, style);
	assert_non_null(report);
	script(mxt_report_sink(report), simulated);
	assert_int_equal(mxt_report_status(report, NULL), 0);
	mxt_report_destroy(report);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void compare_with_golden(const char *name, const char *text)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT, golden = MXT_BUF_INIT;
	const char *root = getenv("MXT_SOURCE_ROOT");
	assert_non_null(root);
	mxt_buf_printf(&path, "%s/tests/golden/report/%s", root, name);
	const char *update = getenv("MXT_UPDATE_GOLDEN");
	if (update && strcmp(update, "1") == 0)
		assert_int_equal(mxt_file_replace(mxt_buf_text(&path), text, strlen(text), NULL), 0);
	assert_int_equal(mxt_file_read(mxt_buf_text(&path), 1 << 20, &golden, NULL), 0);
	assert_string_equal(text, mxt_buf_text(&golden));
}

static const struct {
	const char *golden;
	struct mxt_style style;
	bool simulated;
} forms[] = {
    {"plain.txt", {.form = MXT_FORM_PLAIN, .terminal_fd = -1, .columns = 80}, false},
    {"plain-simulated.txt", {.form = MXT_FORM_PLAIN, .terminal_fd = -1, .columns = 80}, true},
    {"lines.jsonl", {.form = MXT_FORM_JSON, .terminal_fd = -1, .columns = 80}, false},
    {"lines-simulated.jsonl", {.form = MXT_FORM_JSON, .terminal_fd = -1, .columns = 80}, true},
    {"terminal-80.txt", {MXT_FORM_TERMINAL, -1, 80, true, true, true}, false},
    {"terminal-200.txt", {MXT_FORM_TERMINAL, -1, 200, true, true, true}, false},
    {"terminal-80-simulated.txt", {MXT_FORM_TERMINAL, -1, 80, true, false, true}, true},
    {"terminal-80-no-color.txt", {MXT_FORM_TERMINAL, -1, 80, true, false, true}, false},
    {"terminal-80-ascii.txt", {MXT_FORM_TERMINAL, -1, 80, true, false, false}, false},
    {"terminal-80-dumb.txt", {MXT_FORM_TERMINAL, -1, 80, false, false, false}, false},
};

static void test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(forms); i++) {
		char *text = rendered(&forms[i].style, play, forms[i].simulated);
		compare_with_golden(forms[i].golden, text);
		free(text);
	}
}

/*
 * What is left on the screen, escape sequences carried out, into ret_screen (as large as the text), and the widest line
 * that was ever on it.
 */
static size_t widest_line(const char *text, char *ret_screen)
{
	size_t widest = 0, start = 0, len = 0;
	for (; *text; text++) {
		if (strncmp(text, "\033[", 2) == 0) {
			text += strcspn(text, "mK");
			continue;
		}
		if (*text == '\r' || *text == '\n') {
			ret_screen[len] = '\0';
			size_t width = mxt_display_width(ret_screen + start);
			widest = width > widest ? width : widest;
		}
		if (*text == '\r') {
			len = start; /* only ever to erase, or to write the line anew */
		} else {
			ret_screen[len++] = *text;
			start = *text == '\n' ? len : start;
		}
	}
	ret_screen[len] = '\0';
	return widest;
}

static void play_wide(const struct mxt_event_sink *sink, bool simulated)
{
	char name[400];
	memset(name, 'x', sizeof name);
	name[sizeof name - 1] = '\0';
	static const char *const names[] = {"bare", "a-candidate-with-a-name-that-is-longer-than-any-column-may-be",
					    "\xe6\xa8\xa1\xe5\x9e\x8b", "evil\033[2Jname\r\n"};
	const struct mxt_event_cell cells[] = {{NULL, UINT64_MAX, 1},
					       {NULL, 1, 1},
					       {NULL, 1, 1},
					       {"failed: a reason \033]0;title\007 that goes on", 0, 0}};
	struct mxt_problem problem = gemm(1 << 30, 1 << 20, 1 << 20);
	emit_run(sink, name, simulated);
	for (size_t n = 0; n <= MXT_ARRAY_LEN(names); n++) {
		emit_probe(sink, "gemm", names, n);
		emit_problem(sink, "gemm", &problem, cells, n);
	}
	play(sink, simulated);
}

/* No line is ever wider than the terminal, progress lines included; none of them is left over; nothing escapes. */
static void test_nothing_wraps(void **state)
{
	(void)state;
	for (unsigned columns = 20; columns <= 220; columns += 5)
		for (unsigned bits = 0; bits < 8; bits++) {
			struct mxt_style style = {MXT_FORM_TERMINAL, -1, columns, true, bits & 1, bits & 2};
			char *text = rendered(&style, play_wide, bits & 4), *screen = malloc(strlen(text) + 1);
			assert_non_null(screen);
			if (widest_line(text, screen) > columns)
				fail_msg("%u columns: %s", columns, text);
			assert_null(strstr(screen, "left"));
			assert_null(strpbrk(screen, "\033\r\007"));
			free(screen);
			free(text);
		}
}

/* A race that was over before its first look, and a confirm stage of too few blocks. */
static void play_unknown_bounds(const struct mxt_event_sink *sink, bool simulated)
{
	const struct mxt_choice choice = {.verdict = MXT_VERDICT_UNRESOLVED,
					  .bound_ppm = MXT_BOUND_UNKNOWN_PPM,
					  .floor_ppm = MXT_FLOOR_UNKNOWN_PPM,
					  .rule = "too few blocks"};
	const struct mxt_confirm confirm = {.bound_ppm = MXT_BOUND_UNKNOWN_PPM};
	const struct mxt_event event = {.kind = MXT_EVENT_CONFIRM, .as.confirm = {"bare", &confirm, NULL}};
	emit_run(sink, "instella-3b", simulated);
	emit_choice(sink, "gemm", &choice, "bare", "bare");
	mxt_emit(sink, &event);
}

/* What nothing is known of is left out, as in evidence. */
static void test_unknown_bounds(void **state)
{
	(void)state;
	const struct mxt_style style = {.form = MXT_FORM_JSON, .terminal_fd = -1};
	char *text = rendered(&style, play_unknown_bounds, false);
	assert_non_null(strstr(text, "\"gain_ppm\":0"));
	assert_null(strstr(text, "bound_ppm"));
	assert_null(strstr(text, "floor_ppm"));
	free(text);
	const struct mxt_style plain = {.form = MXT_FORM_PLAIN, .terminal_fd = -1};
	text = rendered(&plain, play_unknown_bounds, false);
	assert_non_null(strstr(text, "too few blocks"));
	assert_null(strstr(text, "twins differ"));
	free(text);
}

static void play_no_savings(const struct mxt_event_sink *sink, bool unresolved)
{
	const struct mxt_event_saving parts[] = {{"attention", 0, false}, {"gemm", 0, unresolved}};
	const struct mxt_event event = {.kind = MXT_EVENT_COST, .as.cost = {0, parts, 2}};
	mxt_emit(sink, &event);
}

/* "No difference" is said only where that was found. */
static void test_no_savings(void **state)
{
	(void)state;
	const struct mxt_style style = {.form = MXT_FORM_PLAIN, .terminal_fd = -1};
	char *found = rendered(&style, play_no_savings, false), *unresolved = rendered(&style, play_no_savings, true);
	assert_string_equal(found, "no difference found\n");
	assert_string_equal(unresolved, "nothing is changed; unresolved: GEMM\n");
	free(found);
	free(unresolved);
}

static void test_status_of_a_full_disk(void **state)
{
	(void)state;
	FILE *full = fopen("/dev/full", "w");
	if (!full)
		skip();
	struct mxt_style style = {.form = MXT_FORM_PLAIN, .terminal_fd = -1};
	struct mxt_report *report = mxt_report_create_styled(full, &style);
	play(mxt_report_sink(report), false);
	assert_int_equal(mxt_report_status(report, NULL), 0);
	assert_true(ferror(full));
	mxt_report_destroy(report);
	(void)fclose(full);
	mxt_report_destroy(NULL);
}

/* Cells without a probe, and probes without candidates, are shown for what they are. */
static void test_odd_orders(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(forms); i++) {
		char *text = rendered(&forms[i].style, play_wide, true);
		assert_non_null(strstr(text, "simulated"));
		free(text);
	}
}

static void test_detect(void **state)
{
	(void)state;
	char term[] = "TERM=xterm", all[] = "LC_ALL=", ctype[] = "LC_CTYPE=de_DE.UTF-8@euro", lang[] = "LANG=C",
	     columns[] = "COLUMNS=132";
	char *const environment[] = {term, all, ctype, lang, columns, NULL};
	FILE *file = tmpfile();
	assert_non_null(file);
	struct mxt_style style = mxt_style_detect(fileno(file), false, environment);
	assert_int_equal(style.form, MXT_FORM_PLAIN);
	assert_false(style.escapes || style.colours);
	assert_true(style.utf8);
	assert_int_equal(mxt_style_columns(&style), 132);
	assert_int_equal(mxt_style_detect(fileno(file), true, NULL).form, MXT_FORM_JSON);
	assert_int_equal(mxt_style_detect(fileno(file), false, NULL).columns, 80);
	(void)fclose(file);
}

static void test_charset(void **state)
{
	(void)state;
	static const struct {
		char locale[32];
		bool utf8;
	} rows[] = {{"LANG=C", false},
		    {"LANG=C.utf8", true},
		    {"LC_ALL=en_US.ISO-8859-1", false},
		    {"LC_ALL=fr_FR.UTF-8", true},
		    {"LANG=en_US.UTF-16", false},
		    {"LANG=", false}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		char locale[32];
		memcpy(locale, rows[i].locale, sizeof locale);
		char *const environment[] = {locale, NULL};
		assert_int_equal(mxt_style_detect(-1, false, environment).utf8, rows[i].utf8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_golden),     cmocka_unit_test(test_nothing_wraps),
	    cmocka_unit_test(test_odd_orders), cmocka_unit_test(test_unknown_bounds),
	    cmocka_unit_test(test_no_savings), cmocka_unit_test(test_status_of_a_full_disk),
	    cmocka_unit_test(test_detect),     cmocka_unit_test(test_charset),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
