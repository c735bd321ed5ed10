/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a run (events.h) to its reader, in one of three forms: on a terminal (tables cut to its width, colours, a
 * progress line drawn in place), as plain lines (a pipe, a file: nothing is cut), or as JSON, one object per line with
 * `event` and `v` (--json). Numbers look the same in every locale.
 */
#ifndef MXT_REPORT_REPORT_H
#define MXT_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

struct mxt_error;
struct mxt_event_sink;
struct mxt_report;
struct mxt_style;

/*
 * A report into `out`, which is borrowed and flushed after every event. The form is found from `out` and the
 * environment (NULL-ended; only read here). NULL when memory ran out.
 */
struct mxt_report *mxt_report_create(FILE *out, bool json, char *const *environment);

/* The same with a given style (style.h). */
struct mxt_report *mxt_report_create_styled(FILE *out, const struct mxt_style *style);

/* Removes the progress line, so that whoever writes next starts on a clean one. NULL-tolerant. */
void mxt_report_destroy(struct mxt_report *report);

/* Where to send events; valid as long as the report. */
const struct mxt_event_sink *mxt_report_sink(const struct mxt_report *report);

/* 0, or -ENOMEM when a line was lost to memory that ran out. Write errors stay with the stream (ferror()). */
int mxt_report_status(const struct mxt_report *report, struct mxt_error *err);

#endif
