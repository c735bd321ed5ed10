/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of a report under construction: texts are cleaned, painted, aligned, and cut where the line ends.
 */
#ifndef MXT_REPORT_LINE_H
#define MXT_REPORT_LINE_H

#include <stddef.h>

#include "style.h"

struct mxt_line {
	const struct mxt_style *style;
	struct mxt_buf *buf; /* where it goes */
	size_t columns;      /* SIZE_MAX: no limit */
	size_t used;
	size_t owed; /* blanks that are written once text follows, so that no line ends with blanks */
};

#define MXT_LINE_INIT(style, buf, columns)                                                                             \
	{                                                                                                              \
		(style), (buf), (columns), 0, 0                                                                        \
	}

enum mxt_align { MXT_LEFT, MXT_RIGHT };

/* As wide as it is. */
void mxt_line_put(struct mxt_line *line, enum mxt_paint paint, const char *text);

/* In a field of `width` columns; longer text is cut. */
void mxt_line_field(struct mxt_line *line, size_t width, enum mxt_align align, enum mxt_paint paint, const char *text);

/* Ends the line and begins the next. */
void mxt_line_end(struct mxt_line *line);

#endif
