/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "form.h"

/* To the start of the line, and nothing on it. */
#define ERASE_LINE "\r\033[K"

static void forget_names(struct mxt_report *report)
{
	for (size_t i = 0; i < report->n_names; i++)
		free(report->names[i]);
	free(report->names);
	report->names = NULL;
	report->n_names = 0;
}

/* Keeps the candidates' names for the lines of the problems. */
static void keep_probe(struct mxt_report *report, const struct mxt_event_probe *probe)
{
	forget_names(report);
	report->explained = 0;
	report->peak_flops = probe->peak_flops;
	report->names = calloc(probe->n_candidates ? probe->n_candidates : 1, sizeof *report->names);
	bool kept = report->names != NULL;
	for (size_t i = 0; kept && i < probe->n_candidates; i++) {
		report->names[i] = strdup(probe->candidates[i]);
		kept = report->names[i] != NULL;
		report->n_names += kept;
	}
	report->failed = report->failed || !kept;
}

static void flush_text(struct mxt_report *report)
{
	struct mxt_buf *text = &report->text;
	if (text->failed) {
		report->failed = true;
		mxt_buf_finish(text);
		return;
	}
	if (text->len > 0) {
		(void)fwrite(text->data, 1, text->len, report->out); /* errors stay with the stream */
		(void)fflush(report->out);
	}
	mxt_buf_truncate(text, 0);
}

static void show(void *context, const struct mxt_event *event)
{
	struct mxt_report *report = context;
	mxt_show_fn *const *form = report->style.form == MXT_FORM_JSON ? mxt_json_form : mxt_text_form;
	if (event->kind == MXT_EVENT_RUN) {
		report->simulated = event->as.run.simulated;
		report->self_test = event->as.run.self_test;
	}
	if (event->kind == MXT_EVENT_PROBE)
		keep_probe(report, &event->as.probe);
	if (!form[event->kind])
		return;
	if (report->progress_shown && event->kind != MXT_EVENT_PROGRESS) {
		mxt_buf_puts(&report->text, ERASE_LINE);
		report->progress_shown = false;
	}
	form[event->kind](report, event);
	flush_text(report);
}

struct mxt_report *mxt_report_create_styled(FILE *out, const struct mxt_style *style)
{
	struct mxt_report *report = calloc(1, sizeof *report);
	if (!report)
		return NULL;
	report->out = out;
	report->style = *style;
	report->sink = (struct mxt_event_sink){show, report};
	return report;
}

struct mxt_report *mxt_report_create(FILE *out, bool json, char *const *environment)
{
	struct mxt_style style = mxt_style_detect(fileno(out), json, environment);
	return mxt_report_create_styled(out, &style);
}

void mxt_report_destroy(struct mxt_report *report)
{
	if (!report)
		return;
	if (report->progress_shown)
		mxt_buf_puts(&report->text, ERASE_LINE);
	flush_text(report);
	forget_names(report);
	mxt_buf_finish(&report->text);
	free(report);
}

const struct mxt_event_sink *mxt_report_sink(const struct mxt_report *report)
{
	return &report->sink;
}

int mxt_report_status(const struct mxt_report *report, struct mxt_error *err)
{
	return report->failed ? mxt_error_oom(err) : 0;
}
