/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_show.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "json.h"
#include "number.h"
#include "plan.h"
#include "plan_attention.h"
#include "plan_field.h"
#include "variables.h"

#define MAX_SAMPLES_SHOWN 500
#define LINE_WIDTH        80
#define VALUE_COLUMN      14 /* where values stand; see begin_line() */

const char *mxt_plan_marks(const struct mxt_plan *plan)
{
	static const char *const marks[2][2] = {{"", " (simulated)"}, {" (self-test)", " (self-test, simulated)"}};
	return marks[mxt_plan_is_self_test(plan)][mxt_plan_is_simulated(plan)];
}

/* ---- values ---- */

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

static void append_names(const json_t *list, struct mxt_buf *buf)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		mxt_buf_printf(buf, "%s%s", i > 0 ? " " : "", json_string_value(json_array_get(list, i)));
}

static void append_value(const json_t *value, struct mxt_buf *buf)
{
	if (json_is_string(value))
		mxt_buf_puts(buf, json_string_value(value));
	else if (json_is_string(json_array_get(value, 0)))
		append_names(value, buf);
	else if (json_is_array(value))
		mxt_buf_printf(buf, "%zu", json_array_size(value));
	else if (json_is_integer(value))
		mxt_buf_printf(buf, "%" PRId64, (int64_t)json_integer_value(value));
	else
		mxt_buf_puts(buf, json_is_true(value) ? "true" : "false");
}

/* ---- decision ---- */

/* "  platform    " once, then blanks as wide. */
static void begin_line(const char **title, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "  %-11s ", *title);
	*title = "";
}

static size_t start_of_line(const struct mxt_buf *buf)
{
	const char *end = buf->len ? memrchr(buf->data, '\n', buf->len) : NULL;
	return end ? (size_t)(end + 1 - buf->data) : 0;
}

/* `text` behind `glue`, which ends in a blank; on a new line, `indent` columns in, when this one is full. */
static void append_item(const char *glue, const char *text, int indent, struct mxt_buf *buf)
{
	mxt_buf_puts(buf, glue);
	if (glue[0] && buf->len - start_of_line(buf) + strlen(text) >= LINE_WIDTH) {
		mxt_buf_truncate(buf, buf->len - 1); /* the blank */
		mxt_buf_printf(buf, "\n%*s", indent, "");
	}
	mxt_buf_puts(buf, text);
}

static void append_member(const char *glue, const char *key, const json_t *value, struct mxt_buf *buf)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "%s ", key);
	append_value(value, &text);
	append_item(glue, mxt_buf_text(&text), VALUE_COLUMN + 2, buf);
}

/* The members that are no objects, in the order of the table: "vendor AuthenticAMD, arch x86_64-v4". */
static void append_members(enum mxt_plan_object kind, const json_t *object, struct mxt_buf *buf)
{
	const char *glue = "";
	for (size_t i = 0; i < mxt_plan_field_count(); i++) {
		const struct mxt_plan_field *field = mxt_plan_field_at(i);
		const json_t *value = field->object == kind ? json_object_get(object, field->key) : NULL;
		if (!value || json_is_object(value))
			continue;
		append_member(glue, field->key, value, buf);
		glue = ", ";
	}
}

/* The objects below an object, one line each: "workload    model: layers 36, …". */
static void append_children(enum mxt_plan_object kind, const json_t *object, const char **title, struct mxt_buf *buf)
{
	for (size_t i = 0; i < mxt_plan_field_count(); i++) {
		const struct mxt_plan_field *field = mxt_plan_field_at(i);
		const json_t *value = field->object == kind ? json_object_get(object, field->key) : NULL;
		if (!json_is_object(value))
			continue;
		begin_line(title, buf);
		mxt_buf_printf(buf, "%s: ", field->key);
		append_members(field->rule.child, value, buf);
		mxt_buf_putc(buf, '\n');
	}
}

static void append_object(const struct mxt_plan_field *field, const json_t *object, const char *title,
			  struct mxt_buf *buf)
{
	size_t start = buf->len;
	append_children(field->rule.child, object, &title, buf);
	bool below = buf->len > start;
	begin_line(&title, buf);
	size_t own = buf->len;
	append_members(field->rule.child, object, buf);
	if (below && buf->len == own)
		mxt_buf_truncate(buf, start_of_line(buf)); /* it has only objects, and they are shown */
	else
		mxt_buf_putc(buf, '\n');
}

static void append_env(const struct mxt_plan *plan, const char *title, struct mxt_buf *buf)
{
	for (size_t i = 0; i < mxt_plan_env_count(plan); i++) {
		begin_line(&title, buf);
		mxt_buf_printf(buf, "%s=%s\n", mxt_plan_env_name(plan, i), mxt_plan_env_value(plan, i));
	}
}

/* In the order of the table of variables. */
static void append_contract(const json_t *contract, const char *title, struct mxt_buf *buf)
{
	for (size_t i = 0; i < mxt_variable_count(); i++) {
		const char *name = mxt_variable_at(i)->name;
		if (!has(contract, name))
			continue;
		begin_line(&title, buf);
		mxt_buf_printf(buf, "%s=%s\n", name, text_of(contract, name));
	}
}

/* `policy`, or the names of `unset`. */
static void append_plain(const json_t *value, struct mxt_buf *buf)
{
	if (json_is_string(value))
		mxt_buf_puts(buf, json_string_value(value));
	for (size_t i = 0; i < json_array_size(value); i++)
		append_item(i > 0 ? " " : "", json_string_value(json_array_get(value, i)), VALUE_COLUMN, buf);
}

static void append_field(const struct mxt_plan *plan, const struct mxt_plan_field *field, const json_t *value,
			 struct mxt_buf *buf)
{
	const char *title = field->key;
	if (field->rule.kind == MXT_FIELD_OBJECT) {
		append_object(field, value, title, buf);
	} else if (field->rule.kind == MXT_FIELD_ENV) {
		append_env(plan, title, buf);
	} else if (field->rule.kind == MXT_FIELD_CONTRACT) {
		append_contract(value, title, buf);
	} else {
		begin_line(&title, buf);
		append_plain(value, buf);
		mxt_buf_putc(buf, '\n');
	}
}

/* "duty        the job must call ..." */
static void append_duty(const struct mxt_plan *plan, struct mxt_buf *buf)
{
	const char *title = "duty";
	if (!mxt_plan_duty(plan))
		return;
	begin_line(&title, buf);
	mxt_buf_printf(buf, "%s\n", mxt_plan_duty(plan));
}

static void append_decision(const struct mxt_plan *plan, struct mxt_buf *buf)
{
	mxt_buf_puts(buf, "\ndecision\n");
	for (size_t i = 0; i < mxt_plan_field_count(); i++) {
		const struct mxt_plan_field *field = mxt_plan_field_at(i);
		const json_t *value = json_object_get(mxt_plan_decision(plan), field->key);
		if (field->object == MXT_PLAN_OBJECT_DECISION && value && strcmp(field->key, "version") != 0)
			append_field(plan, field, value, buf);
	}
	append_duty(plan, buf);
}

/* ---- what the trainer's config must say ---- */

static void append_keys(const struct mxt_plan *plan, const char *title, const char *axolotl, struct mxt_buf *buf)
{
	struct mxt_attention_edits edits;
	const char *objection = mxt_plan_attention_keys(plan, axolotl, &edits);
	begin_line(&title, buf);
	if (objection)
		mxt_buf_printf(buf, "not possible: %s", objection);
	else
		mxt_attention_keys_text(&edits, buf);
	mxt_buf_putc(buf, '\n');
}

static void append_config(const struct mxt_plan *plan, struct mxt_buf *buf)
{
	struct mxt_attention_edits edits;
	if (mxt_plan_attention_keys(plan, NULL, &edits) || edits.count == 0)
		return;
	mxt_buf_puts(buf, "\nconfig\n");
	append_keys(plan, "Axolotl", NULL, buf);
	append_keys(plan, "before 0.17", MXT_AXOLOTL_OF_FLAGS, buf);
}

/* ---- evidence ---- */

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
	begin_line(&title, buf);
	if (strcmp(winner, incumbent) == 0)
		mxt_buf_printf(buf, "%s stays", winner);
	else
		mxt_buf_printf(buf, "%s instead of %s", winner, incumbent);
	if (strcmp(winner, incumbent) == 0 && has(choice, "best") && strcmp(text_of(choice, "best"), winner) != 0)
		mxt_buf_printf(buf, ", best other %s", text_of(choice, "best"));
	append_gain(choice, buf);
	mxt_buf_printf(buf, "%s\n", mark);
	begin_line(&title, buf);
	mxt_buf_printf(buf, "%s: %s\n", text_of(choice, "source"), text_of(choice, "rule"));
}

/* "today       flash_attention_2 by flash_attn 2.8.3; the plan keeps it" */
static void append_today(const json_t *evidence, struct mxt_buf *buf)
{
	const char *title = "today";
	if (!has(evidence, "today"))
		return;
	begin_line(&title, buf);
	mxt_buf_printf(buf, "%s\n", text_of(evidence, "today"));
}

/* "heuristic   18 of 25 products, 97.0 % of their time: the first choice is 0.4 % from the best found, noise 0.2 %" */
static void append_heuristic(const json_t *heuristic, const char *mark, struct mxt_buf *buf)
{
	const char *title = "heuristic";
	if (!heuristic)
		return;
	begin_line(&title, buf);
	mxt_buf_printf(buf, "%" PRId64 " of %" PRId64 " products, ", mxt_json_integer(heuristic, "ranked"),
		       mxt_json_integer(heuristic, "products"));
	append_percent(mxt_json_integer(heuristic, "share_ppm"), buf);
	mxt_buf_puts(buf, " of their time: the first choice is ");
	append_percent(mxt_json_integer(heuristic, "gain_ppm"), buf);
	mxt_buf_puts(buf, " from the best found, noise ");
	append_percent(mxt_json_integer(heuristic, "floor_ppm"), buf);
	mxt_buf_printf(buf, "%s\n", mark);
	begin_line(&title, buf);
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
		begin_line(&title, buf);
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
	begin_line(&title, buf);
	mxt_buf_printf(buf, "%s by %s\n", text_of(evidence, "created"), text_of(evidence, "tool"));
	if (has(budget, "used_ns")) {
		char used[32], limit[32];
		title = "budget";
		begin_line(&title, buf);
		mxt_buf_printf(buf, "%s of %s s%s\n", mxt_format_fixed(used, mxt_json_integer(budget, "used_ns"), 9, 1),
			       mxt_format_fixed(limit, mxt_json_integer(budget, "limit_ns"), 9, 1), mark);
	}
	append_texts("skipped", json_object_get(budget, "skipped"), "", buf);
	append_texts("health", json_object_get(evidence, "health"), mark, buf);
}

static void append_notices(const struct mxt_plan *plan, struct mxt_buf *buf)
{
	if (mxt_plan_is_self_test(plan))
		mxt_buf_puts(buf,
			     "self-test: made by the built-in provider; it tunes no training (`plan check --for train` "
			     "refuses it)\n");
	if (mxt_plan_is_simulated(plan))
		mxt_buf_puts(buf, "simulated: no time below was measured on hardware; refused without "
				  "--allow-simulated\n");
}

void mxt_plan_show(const struct mxt_plan *plan, struct mxt_buf *buf)
{
	const json_t *evidence = mxt_plan_evidence(plan);
	const char *mark = mxt_plan_is_simulated(plan) ? " simulated" : "";
	mxt_buf_printf(buf, "plan %s\n", mxt_plan_id(plan));
	append_notices(plan, buf);
	append_decision(plan, buf);
	append_config(plan, buf);
	if (mxt_json_integer(evidence, "version") > MXT_PLAN_EVIDENCE_VERSION) {
		mxt_buf_puts(buf, "\nThe evidence is of a newer version; this mindxtrain does not show it.\n");
		return;
	}
	append_choices(json_object_get(evidence, "choices"), mark, buf);
	append_heuristic(json_object_get(evidence, "heuristic"), mark, buf);
	append_today(evidence, buf);
	append_samples(json_object_get(evidence, "samples"), mark, buf);
	append_run(evidence, mark, buf);
}
