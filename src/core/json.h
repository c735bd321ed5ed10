/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON on top of jansson: strict parsing with places, and the canonical form (RFC 8785 restricted to what plans and
 * manifests hold: no floats, no null, integers within +-(2^53-1), ASCII keys, no control characters).
 */
#ifndef MXT_CORE_JSON_H
#define MXT_CORE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "hash.h"

struct mxt_error;

#define MXT_JSON_MAX_BYTES       ((size_t)4 << 20)
#define MXT_JSON_MAX_LARGE_BYTES ((size_t)256 << 20)
#define MXT_JSON_MAX_VALUES      ((size_t)8 << 20) /* as values take many times the memory of their text */
#define MXT_JSON_MAX_DEPTH       64
#define MXT_JSON_MAX_INT         INT64_C(9007199254740991)

enum mxt_json_dialect {
	MXT_JSON_CANONICAL, /* plans: the restricted value set */
	MXT_JSON_LARGE,     /* manifests: the same, up to MXT_JSON_MAX_LARGE_BYTES */
	/*
	 * config.json and the like: floats and null allowed, Python's NaN and Infinity become null; no duplicate keys
	 */
	MXT_JSON_FOREIGN,
};

/*
 * Parses `len` bytes; `name` is the file name for messages. Errors (MXT_E_JSON_*) carry the JSON path, or line and
 * column where the text itself is wrong. *ret_value is a new reference (json_decref()), an object or an array.
 */
int mxt_json_parse(const char *name, const char *text, size_t len, enum mxt_json_dialect dialect, json_t **ret_value,
		   struct mxt_error *err) MXT_WUR;

/* mxt_file_read() with MXT_JSON_MAX_BYTES, then mxt_json_parse(). */
int mxt_json_read_file(const char *path, enum mxt_json_dialect dialect, json_t **ret_value,
		       struct mxt_error *err) MXT_WUR;

/* 0 when the value and all below it belong to the restricted set, else MXT_E_JSON_VALUE with the path. */
int mxt_json_check(const json_t *value, struct mxt_error *err) MXT_WUR;

/*
 * Appends the canonical bytes (no newline at the end). A value outside the restricted set is an error with its path,
 * and nothing is appended then.
 */
int mxt_json_canonical(const json_t *value, struct mxt_buf *buf, struct mxt_error *err) MXT_WUR;

/*
 * The same for an object without one of its members; *ret_at: how many of these bytes would stand before that member
 * and the comma in front of it.
 */
int mxt_json_canonical_without(const json_t *object, const char *key, struct mxt_buf *buf, size_t *ret_at,
			       struct mxt_error *err) MXT_WUR;

/* True for UTF-8 without control characters: what a string of the restricted set may hold. */
bool mxt_json_is_text(const char *text);

/*
 * A string of the restricted set from any bytes, for evidence that quotes other programs: each run of control
 * characters becomes a blank, invalid UTF-8 becomes U+FFFD, and the end is cut after about `max_bytes`. NULL when
 * memory ran out.
 */
json_t *mxt_json_clean_text(const char *text, size_t max_bytes);

/* A hash as text: 64 hexadecimal digits. New reference; NULL when memory ran out. */
json_t *mxt_json_hash(const uint8_t hash[MXT_HASH_SIZE]);

/* The value at a path of members, such as "decision.env"; NULL: there is none. Borrowed. */
const json_t *mxt_json_find(const json_t *value, const char *path);

/* A member of an object: "" and 0 for what is absent or of another kind. The text is the member's own. */
const char *mxt_json_text(const json_t *object, const char *key);
int64_t mxt_json_integer(const json_t *object, const char *key);

/* `omitted` for what is absent or no integer. */
int64_t mxt_json_integer_or(const json_t *object, const char *key, int64_t omitted);

/* Sets a member, unless the text is empty: what is not known is left out. 0, or -1 when memory ran out. */
int mxt_json_set_known(json_t *object, const char *key, const char *text);

static inline void mxt_json_cleanup_(json_t **value)
{
	json_decref(*value);
}
#define MXT_CLEANUP_JSON MXT_CLEANUP(mxt_json_cleanup_)

#endif
