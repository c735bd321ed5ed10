/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "json_path.h"

#define FEW_MEMBERS 16 /* of an object, kept on the stack: one at each of MXT_JSON_MAX_DEPTH levels */

static int fault(const struct mxt_json_path *path, struct mxt_error *err, const char *text)
{
	return mxt_json_at(path, mxt_error_set(err, -EINVAL, MXT_E_JSON_VALUE, "%s", text), err);
}

/* Unicode category Cc: C0, DEL and C1 (two bytes in UTF-8). */
static size_t control_len(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	if (c[0] < 0x20 || c[0] == 0x7f)
		return 1;
	return c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f ? 2 : 0;
}

static bool has_control(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		bool may_be = c < 0x20 || c == 0x7f || c == 0xc2;
		if (may_be && control_len(text + i) > 0)
			return true;
	}
	return false;
}

static bool is_ascii_key(const char *key, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)key[i] < 0x20 || (unsigned char)key[i] > 0x7e)
			return false;
	return true;
}

static int check_integer(const json_t *value, const struct mxt_json_path *path, struct mxt_error *err)
{
	json_int_t number = json_integer_value(value);
	if (number >= -MXT_JSON_MAX_INT && number <= MXT_JSON_MAX_INT)
		return 0;
	return fault(path, err, "the integer is outside +-(2^53-1); larger numbers are hexadecimal strings here");
}

static int check_string(const json_t *value, const struct mxt_json_path *path, struct mxt_error *err)
{
	if (!has_control(json_string_value(value), json_string_length(value)))
		return 0;
	return fault(path, err, "the string holds a control character; remove it");
}

/* `depth`: how many containers enclose the value. */
static int check_value(const json_t *value, const struct mxt_json_path *path, unsigned depth, struct mxt_error *err);

static int check_object(const json_t *value, const struct mxt_json_path *path, unsigned depth, struct mxt_error *err)
{
	json_t *object = (json_t *)value; /* jansson's iterators take no const; nothing is changed */
	for (void *iter = json_object_iter(object); iter; iter = json_object_iter_next(object, iter)) {
		struct mxt_json_path at = {path, json_object_iter_key(iter), 0};
		if (!is_ascii_key(at.key, json_object_iter_key_len(iter)))
			return fault(&at, err, "a key holds something else than printable ASCII; rename it");
		int rc = check_value(json_object_iter_value(iter), &at, depth, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int check_array(const json_t *value, const struct mxt_json_path *path, unsigned depth, struct mxt_error *err)
{
	for (size_t i = 0; i < json_array_size(value); i++) {
		struct mxt_json_path at = {path, NULL, i};
		int rc = check_value(json_array_get(value, i), &at, depth, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int check_container(const json_t *value, const struct mxt_json_path *path, unsigned depth, struct mxt_error *err)
{
	if (depth == MXT_JSON_MAX_DEPTH)
		return mxt_error_set(err, -EINVAL, MXT_E_JSON_DEPTH, "nested deeper than %d levels",
				     MXT_JSON_MAX_DEPTH);
	return json_is_object(value) ? check_object(value, path, depth + 1, err)
				     : check_array(value, path, depth + 1, err);
}

static int check_value(const json_t *value, const struct mxt_json_path *path, unsigned depth, struct mxt_error *err)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
	case JSON_ARRAY:
		return check_container(value, path, depth, err);
	case JSON_STRING:
		return check_string(value, path, err);
	case JSON_INTEGER:
		return check_integer(value, path, err);
	case JSON_REAL:
		return fault(path, err,
			     "a fraction or exponent; only integers are allowed here (times in ns, ratios in ppm)");
	case JSON_NULL:
		return fault(path, err, "null is not allowed here; leave the key out");
	default:
		return 0;
	}
}

int mxt_json_check(const json_t *value, struct mxt_error *err)
{
	const struct mxt_json_path root = MXT_JSON_ROOT;
	return check_value(value, &root, 0, err);
}

/* What follows only ever sees checked values: of all escapes of RFC 8785 only these two can occur. */
static void write_string(const char *text, size_t len, struct mxt_buf *buf)
{
	mxt_buf_putc(buf, '"');
	size_t done = 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] != '"' && text[i] != '\\')
			continue;
		mxt_buf_append(buf, text + done, i - done);
		mxt_buf_putc(buf, '\\');
		done = i;
	}
	mxt_buf_append(buf, text + done, len - done);
	mxt_buf_putc(buf, '"');
}

static void write_value(const json_t *value, struct mxt_buf *buf);

struct member {
	const char *key; /* borrowed, like the value */
	size_t len;
	const json_t *value;
};

static int compare_members(const void *a, const void *b)
{
	return strcmp(((const struct member *)a)->key, ((const struct member *)b)->key);
}

static bool is_sorted(const struct member *members, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (compare_members(&members[i - 1], &members[i]) > 0)
			return false;
	return true;
}

/* How many there are. RFC 8785 sorts by UTF-16 code units; for ASCII keys these are the bytes. */
static size_t sort_members(const json_t *value, struct member *members)
{
	json_t *object = (json_t *)value;
	size_t n = 0;
	for (void *iter = json_object_iter(object); iter; iter = json_object_iter_next(object, iter))
		members[n++] = (struct member){json_object_iter_key(iter), json_object_iter_key_len(iter),
					       json_object_iter_value(iter)};
	if (!is_sorted(members, n))
		qsort(members, n, sizeof *members, compare_members);
	return n;
}

/* All but the member `without` (NULL: none is left out); returns how many bytes stand before where that would. */
static size_t write_members(const struct member *members, size_t count, const char *without, struct mxt_buf *buf)
{
	size_t start = buf->len, at = start;
	mxt_buf_putc(buf, '{');
	for (size_t i = 0; i < count; i++) {
		int order = without ? strcmp(members[i].key, without) : -1;
		if (order >= 0 && at == start)
			at = buf->len;
		if (order == 0)
			continue;
		if (buf->len > start + 1)
			mxt_buf_putc(buf, ',');
		write_string(members[i].key, members[i].len, buf);
		mxt_buf_putc(buf, ':');
		write_value(members[i].value, buf);
	}
	if (at == start)
		at = buf->len;
	mxt_buf_putc(buf, '}');
	return at - start;
}

static size_t write_object(const json_t *value, const char *without, struct mxt_buf *buf)
{
	struct member few[FEW_MEMBERS];
	MXT_CLEANUP_FREE struct member *many = NULL;
	struct member *members = few;
	if (json_object_size(value) > MXT_ARRAY_LEN(few))
		members = many = calloc(json_object_size(value), sizeof *many);
	if (!members) {
		buf->failed = true;
		return 0;
	}
	return write_members(members, sort_members(value, members), without, buf);
}

static void write_array(const json_t *value, struct mxt_buf *buf)
{
	mxt_buf_putc(buf, '[');
	for (size_t i = 0; i < json_array_size(value); i++) {
		if (i > 0)
			mxt_buf_putc(buf, ',');
		write_value(json_array_get(value, i), buf);
	}
	mxt_buf_putc(buf, ']');
}

static void write_value(const json_t *value, struct mxt_buf *buf)
{
	if (json_is_object(value))
		(void)write_object(value, NULL, buf);
	else if (json_is_array(value))
		write_array(value, buf);
	else if (json_is_string(value))
		write_string(json_string_value(value), json_string_length(value), buf);
	else if (json_is_integer(value))
		mxt_buf_printf(buf, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		mxt_buf_puts(buf, json_is_true(value) ? "true" : "false");
}

int mxt_json_canonical(const json_t *value, struct mxt_buf *buf, struct mxt_error *err)
{
	int rc = mxt_json_check(value, err);
	if (rc < 0)
		return rc;
	write_value(value, buf);
	return mxt_buf_status(buf, err);
}

int mxt_json_canonical_without(const json_t *object, const char *key, struct mxt_buf *buf, size_t *ret_at,
			       struct mxt_error *err)
{
	size_t at = write_object(object, key, buf);
	int rc = mxt_buf_status(buf, err);
	if (rc == 0)
		*ret_at = at;
	return rc;
}

/* Length of the well-formed UTF-8 sequence at `text` (RFC 3629: shortest form, no surrogates), 0 when there is none. */
static size_t utf8_len(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t len = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
	for (size_t i = 1; i < len; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
	bool outside = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f);
	return overlong || outside ? 0 : len;
}

bool mxt_json_is_text(const char *text)
{
	while (*text) {
		size_t len = control_len(text) == 0 ? utf8_len(text) : 0;
		if (len == 0)
			return false;
		text += len;
	}
	return true;
}

static void clean_text(const char *text, size_t max_bytes, struct mxt_buf *buf)
{
	while (*text && buf->len < max_bytes) {
		size_t control = control_len(text), len = utf8_len(text);
		if (control > 0) {
			if (buf->len > 0 && buf->data[buf->len - 1] != ' ')
				mxt_buf_putc(buf, ' ');
			text += control;
		} else if (len > 0) {
			mxt_buf_append(buf, text, len);
			text += len;
		} else {
			mxt_buf_puts(buf, "\xef\xbf\xbd");
			text++;
		}
	}
	while (buf->len > 0 && buf->data[buf->len - 1] == ' ')
		mxt_buf_truncate(buf, buf->len - 1);
	if (*text)
		mxt_buf_puts(buf, "...");
}

json_t *mxt_json_clean_text(const char *text, size_t max_bytes)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	clean_text(text, max_bytes, &buf);
	return buf.failed ? NULL : json_string(mxt_buf_text(&buf));
}
