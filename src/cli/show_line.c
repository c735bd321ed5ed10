/* SPDX-License-Identifier: Apache-2.0 */
#include "show_line.h"

void mxt_show_begin_line(const char **title, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "  %-11s ", *title);
	*title = "";
}
