/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor_text.h"

#include <stdio.h>
#include <string.h>

#include "compiler.h"
#include "doctor.h"

#define TITLE_COLUMNS  11
#define STATUS_COLUMNS 6
#define TEXT_INDENT    (TITLE_COLUMNS + STATUS_COLUMNS)
#define TODO_MARK      "-> "

#define COLOUR_OFF "\033[0m"

static const char *colour_of(enum mxt_check_status status)
{
	static const char *const colours[MXT_CHECK_STATUS_COUNT] = {
	    [MXT_CHECK_OK] = "\033[32m",
	    [MXT_CHECK_NOTE] = "\033[36m",
	    [MXT_CHECK_WARN] = "\033[33m",
	    [MXT_CHECK_FAIL] = "\033[1;31m",
	};
	return colours[status];
}

static void put_spaces(size_t count, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "%*s", (int)count, "");
}

/* One column for each character: texts are valid UTF-8 without control characters. */
static size_t columns_of(const char *text, size_t len)
{
	size_t columns = 0;
	for (size_t i = 0; i < len; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

void mxt_wrap_text(const char *text, size_t indent, size_t width, struct mxt_buf *buf)
{
	size_t column = indent;
	bool fresh = true; /* nothing but the indent is on the line */
	for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " "), columns = columns_of(at, len);
		if (!fresh && column + 1 + columns > width) {
			mxt_buf_putc(buf, '\n');
			put_spaces(indent, buf);
			column = indent;
			fresh = true;
		}
		if (!fresh)
			mxt_buf_putc(buf, ' ');
		mxt_buf_append(buf, at, len);
		column += columns + (fresh ? 0 : 1);
		fresh = false;
		at += len;
	}
	mxt_buf_putc(buf, '\n');
}

/* The title stands only on the first line of its check. */
static void put_head(const char *title, enum mxt_check_status status, const struct mxt_doctor_style *style,
		     struct mxt_buf *buf)
{
	const char *name = mxt_check_status_name(status);
	mxt_buf_printf(buf, "%-*s%s%s%s%*s", TITLE_COLUMNS, title, style->colour ? colour_of(status) : "", name,
		       style->colour ? COLOUR_OFF : "", STATUS_COLUMNS - (int)strlen(name), "");
}

static void put_finding(const char *title, const struct mxt_check_finding *finding,
			const struct mxt_doctor_style *style, struct mxt_buf *buf)
{
	put_head(title, finding->status, style, buf);
	mxt_wrap_text(finding->what, TEXT_INDENT, style->width, buf);
	if (finding->wrong) {
		put_spaces(TEXT_INDENT, buf);
		mxt_wrap_text(finding->wrong, TEXT_INDENT, style->width, buf);
	}
	if (finding->todo) {
		put_spaces(TEXT_INDENT, buf);
		mxt_buf_puts(buf, TODO_MARK);
		mxt_wrap_text(finding->todo, TEXT_INDENT + strlen(TODO_MARK), style->width, buf);
	}
}

static void put_summary(const struct mxt_doctor_report *report, size_t width, struct mxt_buf *buf)
{
	size_t fails = mxt_doctor_report_count(report, MXT_CHECK_FAIL);
	size_t warnings = mxt_doctor_report_count(report, MXT_CHECK_WARN);
	size_t notes = mxt_doctor_report_count(report, MXT_CHECK_NOTE);
	char summary[160];
	(void)snprintf(summary, sizeof summary, "%zu failed, %zu warning%s, %zu note%s. %s", fails, warnings,
		       warnings == 1 ? "" : "s", notes, notes == 1 ? "" : "s",
		       fails ? "Nothing can be measured here yet." : "This machine can be measured.");
	mxt_buf_putc(buf, '\n');
	mxt_wrap_text(summary, 0, width, buf);
}

void mxt_doctor_text(const struct mxt_doctor_report *report, const struct mxt_doctor_style *style, struct mxt_buf *buf)
{
	const struct mxt_doctor_style used = {style->width < MXT_DOCTOR_MIN_WIDTH ? MXT_DOCTOR_MIN_WIDTH : style->width,
					      style->colour};
	for (size_t i = 0; i < report->n_checks; i++) {
		const struct mxt_check_result *check = &report->checks[i];
		for (size_t k = 0; k < check->n_findings; k++)
			put_finding(k == 0 ? check->title : "", &check->findings[k], &used, buf);
	}
	put_summary(report, used.width, buf);
}
