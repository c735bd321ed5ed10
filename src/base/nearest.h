/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Did you mean …?"
 */
#ifndef MXT_BASE_NEAREST_H
#define MXT_BASE_NEAREST_H

#include <stddef.h>

/*
 * The name nearest to `given` among name_at(list, 0 … count-1) by edit distance, or NULL when none is near: at most two
 * edits, and fewer than half of the letters.
 */
const char *mxt_nearest(const char *given, const char *(*name_at)(const void *list, size_t i), const void *list,
			size_t count);

#endif
