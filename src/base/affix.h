/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How texts begin and end.
 */
#ifndef MXT_BASE_AFFIX_H
#define MXT_BASE_AFFIX_H

#include <stdbool.h>

bool mxt_has_prefix(const char *text, const char *prefix);
bool mxt_has_suffix(const char *text, const char *suffix);

#endif
