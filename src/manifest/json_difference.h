/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where two JSON values part.
 */
#ifndef MXT_MANIFEST_JSON_DIFFERENCE_H
#define MXT_MANIFEST_JSON_DIFFERENCE_H

#include <jansson.h>
#include <stdbool.h>

struct mxt_buf;

/*
 * Appends the path of the first difference, by the order of keys' bytes, and what stands there on both sides:
 * "datasets[0].type is alpaca in A and absent in B". `names`: of the two sides. False, with nothing appended: they are
 * equal. Values are at most 64 levels deep. Memory: mxt_buf_status().
 */
bool mxt_json_difference(const json_t *left, const json_t *right, const char *const names[2], struct mxt_buf *text);

#endif
