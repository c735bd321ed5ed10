/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of the restricted set (json.h), read several times faster than jansson reads it: manifests hold 100,000 files.
 */
#ifndef MXT_CORE_JSON_FAST_H
#define MXT_CORE_JSON_FAST_H

#include <jansson.h>
#include <stddef.h>

/*
 * New reference, an object or an array that mxt_json_check() takes, as jansson would make it. NULL: the text is not of
 * the restricted set, has escapes that its canonical form never has, or memory ran out; who wants to know, or to say,
 * what it is asks jansson.
 */
json_t *mxt_json_fast(const char *text, size_t len);

#endif
