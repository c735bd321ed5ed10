/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of unknown origin (what another program printed, what a file of the machine holds), made fit for a terminal and
 * for JSON.
 */
#ifndef MXT_BASE_CLEAN_TEXT_H
#define MXT_BASE_CLEAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/*
 * Appends `len` bytes as valid UTF-8 without control characters: a tab becomes a blank; a line feed stays; whatever is
 * no UTF-8, a control character (C0, C1, DEL) or a direction mark becomes '?'.
 */
void mxt_clean_text(struct mxt_buf *buf, const char *bytes, size_t len);

/* Whether the bytes are UTF-8: no overlong forms, no surrogates. */
bool mxt_is_utf8(const char *bytes, size_t len);

#endif
