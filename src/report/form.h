/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a report: what its forms (text_form.c, json_form.c) share.
 */
#ifndef MXT_REPORT_FORM_H
#define MXT_REPORT_FORM_H

#include <stdio.h>

#include "buf.h"
#include "events.h"
#include "style.h"
#include "table.h"

struct mxt_report {
	FILE *out; /* borrowed */
	struct mxt_style style;
	struct mxt_event_sink sink;
	struct mxt_buf text; /* of the event at hand */
	bool failed;         /* a line was lost to memory that ran out */
	bool simulated;      /* from the RUN event */
	bool self_test;
	bool progress_shown; /* the cursor stands on a progress line */

	/* Of the probe at hand. */
	char **names; /* owned: the candidates */
	size_t n_names;
	uint32_t explained; /* mask: candidates whose reason for having no time was told */
	double peak_flops;
	struct mxt_table table; /* on a terminal */
};

/* Appends the event to report->text. */
typedef void mxt_show_fn(struct mxt_report *report, const struct mxt_event *event);

/* One function per kind of event; NULL: not shown. */
extern mxt_show_fn *const mxt_text_form[MXT_EVENT_KIND_COUNT];
extern mxt_show_fn *const mxt_json_form[MXT_EVENT_KIND_COUNT];

#endif
