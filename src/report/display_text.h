/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from outside (names, paths, reasons) made fit for a line of a terminal: no control characters, no broken UTF-8,
 * known width.
 */
#ifndef MXT_REPORT_DISPLAY_TEXT_H
#define MXT_REPORT_DISPLAY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/*
 * Appends `text` with every control character and every byte that is not UTF-8 replaced: by U+FFFD, or by '?' unless
 * `utf8`, in which case all characters beyond ASCII become '?'.
 */
void mxt_display_clean(const char *text, bool utf8, struct mxt_buf *buf);

/* Columns that clean text takes: wide East Asian characters and emoji two, combining marks none. */
size_t mxt_display_width(const char *text);

/* Appends clean text cut to `columns`: what is too long ends with an ellipsis ("..." or, with utf8, one character). */
void mxt_display_cut(const char *text, size_t columns, bool utf8, struct mxt_buf *buf);

/*
 * Appends clean text broken between words into lines of at most `columns`, each after the first behind `indent` blanks;
 * `used` columns of the first line are taken. Words that are longer than a line are cut. No newline at the end.
 */
void mxt_display_wrap(const char *text, size_t columns, size_t used, size_t indent, bool utf8, struct mxt_buf *buf);

/* Appends `count` blanks. */
void mxt_display_pad(size_t count, struct mxt_buf *buf);

#endif
