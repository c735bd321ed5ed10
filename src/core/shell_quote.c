/* SPDX-License-Identifier: Apache-2.0 */
#include "shell_quote.h"

/* Between single quotes nothing is special but the single quote itself: close, escape it, open again. */
void mxt_shell_quote(const char *value, struct mxt_buf *buf)
{
	mxt_buf_putc(buf, '\'');
	for (; *value; value++)
		if (*value == '\'')
			mxt_buf_puts(buf, "'\\''");
		else
			mxt_buf_putc(buf, *value);
	mxt_buf_putc(buf, '\'');
}
