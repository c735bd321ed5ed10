/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds one JSON object behind "config:" in the log of a training: lines as Python's logging writes them, with colours,
 * timestamps and a launcher's rank in front of each line, and lines of other processes in between.
 */
#ifndef MXT_LAUNCH_REPORT_TEXT_H
#define MXT_LAUNCH_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

#define MXT_REPORT_MAX_LINE  ((size_t)64 << 10)  /* longer lines are no part of a report */
#define MXT_REPORT_MAX_BYTES ((size_t)256 << 10) /* of one object */
#define MXT_REPORT_MARK      32

enum mxt_report_found {
	MXT_REPORT_NOTHING,
	MXT_REPORT_OBJECT, /* `body` holds a whole one */
	MXT_REPORT_BROKEN  /* it is too large, or memory ran out */
};

/* One stream. Zeroed it is ready; mxt_report_text_finish() releases. */
struct mxt_report_text {
	struct mxt_buf line;        /* the start of a line whose end has not come */
	bool overlong;              /* the rest of that line is not kept */
	bool collecting;            /* "config:" was seen */
	bool torn;                  /* the last line broke off where another process wrote */
	char mark[MXT_REPORT_MARK]; /* what a launcher writes in front of the reporter's lines */
	struct mxt_buf body;        /* the object so far, without colours and marks */
	unsigned depth;             /* of braces and brackets in it */
	bool in_string, escaped;
};

void mxt_report_text_finish(struct mxt_report_text *text);

/*
 * Takes bytes until an object is whole; *bytes and *len then are what is left. Any bytes will do. Before the next call
 * after an object, `body` is emptied by mxt_report_text_drop().
 */
enum mxt_report_found mxt_report_text_take(struct mxt_report_text *text, const char **bytes, size_t *len);
void mxt_report_text_drop(struct mxt_report_text *text);

#endif
