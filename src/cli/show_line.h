/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a shown plan: a title in the first columns, then what it has.
 */
#ifndef MXT_CLI_SHOW_LINE_H
#define MXT_CLI_SHOW_LINE_H

#include "buf.h"

#define MXT_SHOW_COLUMN 14 /* where values stand */

/* "  platform    " once, then blanks as wide. */
void mxt_show_begin_line(const char **title, struct mxt_buf *buf);

#endif
