/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MXT_REPORT_PROGRESS_H
#define MXT_REPORT_PROGRESS_H

#include "events.h"
#include "line.h"

/* Writes "attention  =====-----  23.4 s left" in the width of the line, and no newline. */
void mxt_progress_draw(const struct mxt_event_progress *progress, struct mxt_line *line);

/* "=====-----": `width` columns, filled as far as `done` of `total` is. */
void mxt_progress_bar(struct mxt_line *line, size_t width, uint64_t done, uint64_t total);

#endif
