/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of unknown origin, made safe for terminals and JSON.
 */
#ifndef MXT_DOCTOR_PRINTABLE_H
#define MXT_DOCTOR_PRINTABLE_H

#include <stddef.h>

/*
 * Replaces, in place, every control character (C0, DEL, C1) and every byte that is not part of well-formed UTF-8 by
 * '?'. The length stays the same.
 */
void mxt_printable(char *text);

/* The columns that well-formed UTF-8 takes, one for each character. */
size_t mxt_columns(const char *text, size_t len);

#endif
