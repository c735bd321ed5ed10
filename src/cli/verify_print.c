/* SPDX-License-Identifier: Apache-2.0 */
#include "verify_print.h"

#include <errno.h>

#include "b3_name.h"
#include "display_text.h"
#include "error.h"
#include "figures.h"
#include "json.h"
#include "name_json.h"
#include "print_json.h"

#define MAX_ROWS   100 /* of a table for people */
#define CELL_WIDTH 19

static size_t count_lists(const struct mxt_verify_subject *subject)
{
	return subject->list_name ? 1 : mxt_manifest_n_lists(subject->request->manifest);
}

static const struct mxt_file_list *list_at(const struct mxt_verify_subject *subject, size_t i)
{
	return subject->list_name ? subject->list : mxt_manifest_list(subject->request->manifest, i);
}

static void put_place(const struct mxt_verify_subject *subject, size_t i, struct mxt_buf *buf)
{
	if (subject->list_name)
		mxt_buf_puts(buf, subject->list_place);
	else
		mxt_verify_place(subject->request, i, buf);
}

static void put_label(const struct mxt_verify_subject *subject, size_t i, struct mxt_buf *buf)
{
	if (subject->list_name)
		mxt_buf_puts(buf, "list");
	else
		mxt_list_label(subject->request->manifest, i, buf);
}

static void put_name(const struct mxt_verify_subject *subject, struct mxt_buf *buf)
{
	if (subject->list_name)
		mxt_entry_path_show(subject->list_name, buf);
	else
		mxt_buf_printf(buf, "manifest %.16s", mxt_manifest_id(subject->request->manifest));
}

/* ---- for people ---- */

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void put_cell(const char *text, struct mxt_buf *buf)
{
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	size_t before = buf->len;
	mxt_entry_path_show(text, &shown); /* a link's text is anything */
	mxt_display_cut(mxt_buf_text(&shown), CELL_WIDTH, false, buf);
	size_t width = buf->len - before;
	mxt_display_pad(width < CELL_WIDTH ? CELL_WIDTH + 2 - width : 2, buf);
}

static void put_table(const struct mxt_verify_subject *subject, const struct mxt_verify_report *report,
		      struct mxt_buf *buf)
{
	size_t rows = report->count < MAX_ROWS ? report->count : MAX_ROWS;
	mxt_buf_printf(buf, "%-11s %-12s %-20s %-20s %s\n", "problem", "list", "expected", "found", "path");
	for (size_t i = 0; i < rows; i++) {
		const struct mxt_finding *finding = &report->findings[i];
		MXT_CLEANUP_BUF struct mxt_buf label = MXT_BUF_INIT;
		put_label(subject, finding->list, &label);
		mxt_buf_printf(buf, "%-11s %-12s ", mxt_finding_name(finding->kind), mxt_buf_text(&label));
		put_cell(finding->expected ? finding->expected : "-", buf);
		put_cell(finding->found ? finding->found : "-", buf);
		mxt_entry_path_show(finding->path, buf);
		mxt_buf_putc(buf, '\n');
	}
	if (report->count > rows)
		mxt_buf_printf(buf, "... and %zu more: --json tells all\n", report->count - rows);
}

static void put_lists(const struct mxt_verify_subject *subject, struct mxt_buf *buf)
{
	char size[MXT_FIGURE_SIZE];
	for (size_t i = 0; i < count_lists(subject); i++) {
		const struct mxt_file_list *list = list_at(subject, i);
		MXT_CLEANUP_BUF struct mxt_buf label = MXT_BUF_INIT;
		MXT_CLEANUP_BUF struct mxt_buf place = MXT_BUF_INIT;
		put_label(subject, i, &label);
		put_place(subject, i, &place);
		mxt_buf_printf(buf, "  %-12s %6zu file%s", mxt_buf_text(&label), list->count, plural(list->count));
		if (!subject->list_name)
			mxt_buf_printf(buf, "  %8s", mxt_figure_bytes(size, mxt_file_list_bytes(list)));
		mxt_buf_puts(buf, "  ");
		mxt_entry_path_show(mxt_buf_text(&place), buf);
		mxt_buf_putc(buf, '\n');
	}
}

/* What the manifest itself says that it does not cover. */
static void put_not_listed(const struct mxt_verify_subject *subject, struct mxt_buf *buf)
{
	size_t i;
	const json_t *row;
	if (subject->list_name)
		return;
	json_array_foreach(json_object_get(mxt_manifest_document(subject->request->manifest), "not_listed"), i, row)
	{
		mxt_buf_printf(buf, "not covered: %s ", mxt_json_text(row, "role"));
		mxt_entry_path_show(mxt_json_text(row, "name"), buf);
		mxt_buf_puts(buf, ": ");
		mxt_entry_path_show(mxt_json_text(row, "reason"), buf);
		mxt_buf_putc(buf, '\n');
	}
}

static void put_work(const struct mxt_verify_subject *subject, const struct mxt_verify_report *report,
		     struct mxt_buf *buf)
{
	char size[MXT_FIGURE_SIZE];
	mxt_buf_printf(buf, "read: %zu file%s, %s\n", report->files_hashed, plural(report->files_hashed),
		       mxt_figure_bytes(size, report->bytes_hashed));
	if (subject->request->quick)
		mxt_buf_printf(buf,
			       "not read (--quick): %zu file%s of the size and the times of an earlier check here\n",
			       report->files_trusted, plural(report->files_trusted));
}

int mxt_verify_print_text(FILE *out, const struct mxt_verify_subject *subject, const struct mxt_verify_report *report,
			  struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	if (report->count > 0) {
		put_table(subject, report, &buf);
	} else {
		mxt_buf_puts(&buf, "verified: ");
		put_name(subject, &buf);
		mxt_buf_putc(&buf, '\n');
		put_lists(subject, &buf);
	}
	put_not_listed(subject, &buf);
	put_work(subject, report, &buf);
	if (subject->signed_by) {
		mxt_buf_puts(&buf, "signed by the owner of ");
		mxt_entry_path_show(subject->signed_by, &buf);
		mxt_buf_putc(&buf, '\n');
	}
	return mxt_print_buf(out, &buf, err);
}

/* ---- for programs ---- */

/* Nothing where there is no text. */
static int set_text(json_t *object, const char *key, const char *bytes_key, const char *text, struct mxt_error *err)
{
	return text ? mxt_name_json_set(object, key, bytes_key, text, err) : 0;
}

static int append_finding(const struct mxt_verify_subject *subject, const struct mxt_finding *finding, json_t *rows,
			  struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf label = MXT_BUF_INIT;
	put_label(subject, finding->list, &label);
	json_t *row = json_pack("{s:s, s:s}", "problem", mxt_finding_name(finding->kind), "list", mxt_buf_text(&label));
	if (!row || label.failed || json_array_append_new(rows, row) < 0)
		return mxt_error_oom(err);
	int rc = mxt_name_json_set(row, "path", "path_bytes", finding->path, err);
	if (rc == 0)
		rc = set_text(row, "expected", "expected_bytes", finding->expected, err);
	return rc < 0 ? rc : set_text(row, "found", "found_bytes", finding->found, err);
}

static int append_list(const struct mxt_verify_subject *subject, size_t i, json_t *rows, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf label = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf place = MXT_BUF_INIT;
	put_label(subject, i, &label);
	put_place(subject, i, &place);
	json_t *row =
	    json_pack("{s:s, s:I}", "list", mxt_buf_text(&label), "files", (json_int_t)list_at(subject, i)->count);
	if (!row || label.failed || place.failed || json_array_append_new(rows, row) < 0)
		return mxt_error_oom(err);
	return mxt_name_json_set(row, "place", "place_bytes", mxt_buf_text(&place), err);
}

static int set_subject(const struct mxt_verify_subject *subject, json_t *object, struct mxt_error *err)
{
	int rc = set_text(object, "signed_by", "signed_by_bytes", subject->signed_by, err);
	if (rc < 0)
		return rc;
	if (subject->list_name)
		return mxt_name_json_set(object, "name", "name_bytes", subject->list_name, err);
	const struct mxt_manifest *manifest = subject->request->manifest;
	const json_t *not_listed = json_object_get(mxt_manifest_document(manifest), "not_listed");
	int failed = json_object_set_new(object, "manifest_id", json_string(mxt_manifest_id(manifest)));
	if (mxt_manifest_result_id(manifest))
		failed |= json_object_set_new(object, "result_id", json_string(mxt_manifest_result_id(manifest)));
	if (not_listed)
		failed |= json_object_set(object, "not_listed", (json_t *)not_listed);
	return failed ? mxt_error_oom(err) : 0;
}

int mxt_verify_print_json(FILE *out, const struct mxt_verify_subject *subject, const struct mxt_verify_report *report,
			  struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *lists = json_array();
	MXT_CLEANUP_JSON json_t *findings = json_array();
	MXT_CLEANUP_JSON json_t *object =
	    json_pack("{s:s, s:i, s:b, s:b, s:O, s:O, s:I, s:I, s:I}", "event", "verify", "v", 1, "verified",
		      report->count == 0, "quick", subject->request->quick, "lists", lists, "findings", findings,
		      "files_read", (json_int_t)report->files_hashed, "files_trusted",
		      (json_int_t)report->files_trusted, "bytes_read", (json_int_t)report->bytes_hashed);
	int rc = object ? set_subject(subject, object, err) : mxt_error_oom(err);
	for (size_t i = 0; rc == 0 && i < count_lists(subject); i++)
		rc = append_list(subject, i, lists, err);
	for (size_t i = 0; rc == 0 && i < report->count; i++)
		rc = append_finding(subject, &report->findings[i], findings, err);
	return rc < 0 ? rc : mxt_print_json(out, json_incref(object), err);
}

/* ---- the verdict ---- */

static void put_remedy(const struct mxt_verify_subject *subject, const size_t counts[MXT_FINDING_KINDS],
		       struct mxt_buf *buf)
{
	if (!subject->list_name) {
		if (counts[MXT_FINDING_ROOT])
			mxt_buf_puts(buf, "; --dataset and --checkpoint say where copies lie");
		return;
	}
	if (counts[MXT_FINDING_MISSING] == subject->list->count && !subject->request->datasets)
		mxt_buf_puts(buf, "; its files lie beside it, or where --dataset says");
}

int mxt_verify_verdict(const struct mxt_verify_subject *subject, const struct mxt_verify_report *report,
		       struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	size_t counts[MXT_FINDING_KINDS] = {0};
	if (report->count == 0)
		return 0;
	for (size_t i = 0; i < report->count; i++)
		counts[report->findings[i].kind]++;
	put_name(subject, &text);
	mxt_buf_puts(&text, ": what is here is not what it says:");
	const char *separator = " ";
	for (size_t kind = 0; kind < MXT_FINDING_KINDS; kind++) {
		if (counts[kind] == 0)
			continue;
		mxt_buf_printf(&text, "%s%s %zu", separator, mxt_finding_name((enum mxt_finding_kind)kind),
			       counts[kind]);
		separator = ", ";
	}
	put_remedy(subject, counts, &text);
	return mxt_error_set(err, -EBADMSG, MXT_E_VERIFY_FAILED, "%s", mxt_buf_text(&text));
}
