/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One word of a POSIX shell, whatever is in it.
 */
#ifndef MXT_CORE_SHELL_QUOTE_H
#define MXT_CORE_SHELL_QUOTE_H

#include "buf.h"

/* Appends `value` as one quoted word that sh, dash, bash and `eval` in any of them read back as the same bytes. */
void mxt_shell_quote(const char *value, struct mxt_buf *buf);

#endif
