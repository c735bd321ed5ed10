/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions of software as far as rules depend on them: the first two numbers.
 */
#ifndef MXT_CORE_RELEASE_H
#define MXT_CORE_RELEASE_H

#include <stdbool.h>

/* "2.11.0+cu130" is at least 2.11. False for a text that begins with no such pair. */
bool mxt_release_at_least(const char *version, unsigned major, unsigned minor);

#endif
