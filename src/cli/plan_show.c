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
#include "show_evidence.h"
#include "show_line.h"
#include "variables.h"

#define LINE_WIDTH 80

const char *mxt_plan_marks(const struct mxt_plan *plan)
{
	static const char *const marks[2][2] = {{"", " (simulated)"}, {" (self-test)", " (self-test, simulated)"}};
	return marks[mxt_plan_is_self_test(plan)][mxt_plan_is_simulated(plan)];
}

/* ---- values ---- */

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
	append_item(glue, mxt_buf_text(&text), MXT_SHOW_COLUMN + 2, buf);
}

/* The members that are no objects, in the order of the table: "vendor AuthenticAMD, arch x86_64-v4". */
static void append_members(enum mxt_plan_object kind, const json_t *object, struct mxt_buf *buf)
{
	const char *glue = "";
	for (size_t i = 0; i < mxt_plan_field_count(); i++) {
		const struct mxt_field *field = mxt_plan_field_at(i);
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
		const struct mxt_field *field = mxt_plan_field_at(i);
		const json_t *value = field->object == kind ? json_object_get(object, field->key) : NULL;
		if (!json_is_object(value))
			continue;
		mxt_show_begin_line(title, buf);
		mxt_buf_printf(buf, "%s: ", field->key);
		append_members(field->rule.child, value, buf);
		mxt_buf_putc(buf, '\n');
	}
}

static void append_object(const struct mxt_field *field, const json_t *object, const char *title, struct mxt_buf *buf)
{
	size_t start = buf->len;
	append_children(field->rule.child, object, &title, buf);
	bool below = buf->len > start;
	mxt_show_begin_line(&title, buf);
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
		mxt_show_begin_line(&title, buf);
		mxt_buf_printf(buf, "%s=%s\n", mxt_plan_env_name(plan, i), mxt_plan_env_value(plan, i));
	}
}

/* In the order of the table of variables. */
static void append_contract(const json_t *contract, const char *title, struct mxt_buf *buf)
{
	for (size_t i = 0; i < mxt_variable_count(); i++) {
		const char *name = mxt_variable_at(i)->name;
		if (!json_object_get(contract, name))
			continue;
		mxt_show_begin_line(&title, buf);
		mxt_buf_printf(buf, "%s=%s\n", name, mxt_json_text(contract, name));
	}
}

/* `policy`, or the names of `unset`. */
static void append_plain(const json_t *value, struct mxt_buf *buf)
{
	if (json_is_string(value))
		mxt_buf_puts(buf, json_string_value(value));
	for (size_t i = 0; i < json_array_size(value); i++)
		append_item(i > 0 ? " " : "", json_string_value(json_array_get(value, i)), MXT_SHOW_COLUMN, buf);
}

static void append_field(const struct mxt_plan *plan, const struct mxt_field *field, const json_t *value,
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
		mxt_show_begin_line(&title, buf);
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
	mxt_show_begin_line(&title, buf);
	mxt_buf_printf(buf, "%s\n", mxt_plan_duty(plan));
}

static void append_decision(const struct mxt_plan *plan, struct mxt_buf *buf)
{
	mxt_buf_puts(buf, "\ndecision\n");
	for (size_t i = 0; i < mxt_plan_field_count(); i++) {
		const struct mxt_field *field = mxt_plan_field_at(i);
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
	mxt_show_begin_line(&title, buf);
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
	mxt_show_evidence(evidence, mark, buf);
}
