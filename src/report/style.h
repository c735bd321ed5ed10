/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the place where a report goes can show.
 */
#ifndef MXT_REPORT_STYLE_H
#define MXT_REPORT_STYLE_H

#include <stdbool.h>

#include "buf.h"

enum mxt_form { MXT_FORM_PLAIN, MXT_FORM_TERMINAL, MXT_FORM_JSON };

struct mxt_style {
	enum mxt_form form;
	int terminal_fd;  /* asked for its width before every line; -1: `columns` is the width */
	unsigned columns; /* of a terminal that does not tell its width */
	bool escapes;     /* the terminal understands escape sequences: lines can be redrawn */
	bool colours;
	bool utf8; /* characters beyond ASCII can be shown */
};

/*
 * Form and abilities of the descriptor under this environment (NULL-ended). Colours and redrawing need a terminal whose
 * TERM is set and not "dumb"; a NO_COLOR that is set and not empty switches colours off. UTF-8 is what LC_ALL, LC_CTYPE
 * or LANG, the first that is not empty, names as its charset.
 */
struct mxt_style mxt_style_detect(int fd, bool json, char *const *environment);

/* The width now: what the terminal says, else COLUMNS, else 80; at least 20. */
unsigned mxt_style_columns(const struct mxt_style *style);

enum mxt_paint { MXT_PAINT_NONE, MXT_PAINT_STRONG, MXT_PAINT_GOOD, MXT_PAINT_WARN, MXT_PAINT_DIM };

/* Appends the text in a colour where colours are shown. */
void mxt_style_puts(const struct mxt_style *style, enum mxt_paint paint, const char *text, struct mxt_buf *buf);

#endif
