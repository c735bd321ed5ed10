/* SPDX-License-Identifier: Apache-2.0 */
#include "json_fast.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"
#include "json.h"

struct reader {
	const char *at, *end;
	unsigned depth; /* containers that are open */
};

static void pass_blanks(struct reader *reader)
{
	while (reader->at < reader->end &&
	       (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\t' || *reader->at == '\r'))
		reader->at++;
}

/* Whether the next byte that is no blank is `c`, which is then passed. */
static bool take(struct reader *reader, char c)
{
	pass_blanks(reader);
	if (reader->at == reader->end || *reader->at != c)
		return false;
	reader->at++;
	return true;
}

static bool take_word(struct reader *reader, const char *word)
{
	size_t len = strlen(word);
	if ((size_t)(reader->end - reader->at) < len || memcmp(reader->at, word, len) != 0)
		return false;
	reader->at += len;
	return true;
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Passes one character of more than one byte. */
static bool take_wide(struct reader *reader)
{
	char bytes[5] = "";
	size_t left = (size_t)(reader->end - reader->at);
	memcpy(bytes, reader->at, left < 4 ? left : 4);
	size_t len = mxt_json_char_len(bytes);
	reader->at += len;
	return len > 1;
}

/* Passes one of the two escapes of the canonical form. */
static bool take_escape(struct reader *reader)
{
	if (reader->end - reader->at < 2 || (reader->at[1] != '"' && reader->at[1] != '\\'))
		return false;
	reader->at += 2;
	return true;
}

/* What stands between the quotes of a string, the first of which was passed. */
struct span {
	const char *text;
	size_t len;
	bool escaped, wide;
};

static bool take_string(struct reader *reader, struct span *ret_span)
{
	struct span span = {reader->at, 0, false, false};
	bool valid = true;
	while (valid && reader->at < reader->end && *reader->at != '"') {
		if (is_plain(*reader->at)) {
			reader->at++;
		} else if (*reader->at == '\\') {
			span.escaped = true;
			valid = take_escape(reader);
		} else {
			span.wide = true;
			valid = take_wide(reader);
		}
	}
	if (!valid || reader->at == reader->end)
		return false;
	span.len = (size_t)(reader->at - span.text);
	reader->at++;
	*ret_span = span;
	return true;
}

static json_t *unescaped(const struct span *span)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	for (size_t i = 0; i < span->len; i++) {
		i += span->text[i] == '\\';
		mxt_buf_putc(&buf, span->text[i]);
	}
	return buf.failed ? NULL : json_stringn_nocheck(buf.data, buf.len);
}

static json_t *read_string(struct reader *reader)
{
	struct span span;
	if (!take_string(reader, &span))
		return NULL;
	return span.escaped ? unescaped(&span) : json_stringn_nocheck(span.text, span.len);
}

static json_t *read_integer(struct reader *reader)
{
	bool negative = take_word(reader, "-");
	const char *digits = reader->at;
	int64_t value = 0;
	while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9' && value <= MXT_JSON_MAX_INT)
		value = value * 10 + (*reader->at++ - '0');
	bool is_zero = reader->at - digits == 1 && value == 0;
	if (reader->at == digits || value > MXT_JSON_MAX_INT || (digits[0] == '0' && !is_zero) || (is_zero && negative))
		return NULL;
	return json_integer(negative ? -value : value);
}

static json_t *read_value(struct reader *reader);

/* Passes `,` and says that there is more, or `close`, or fails. */
static bool goes_on(struct reader *reader, char close, bool *ret_failed)
{
	if (take(reader, ','))
		return true;
	*ret_failed = !take(reader, close);
	return false;
}

static bool add_member(struct reader *reader, json_t *object)
{
	struct span key;
	if (!take(reader, '"') || !take_string(reader, &key) || key.escaped || key.wide || !take(reader, ':'))
		return false;
	size_t before = json_object_size(object);
	return json_object_setn_new_nocheck(object, key.text, key.len, read_value(reader)) == 0 &&
	       json_object_size(object) > before;
}

static json_t *read_object(struct reader *reader)
{
	json_t *object = json_object();
	bool failed = !object;
	if (!failed && take(reader, '}'))
		return object;
	do
		failed = failed || !add_member(reader, object);
	while (!failed && goes_on(reader, '}', &failed));
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *read_array(struct reader *reader)
{
	json_t *array = json_array();
	bool failed = !array;
	if (!failed && take(reader, ']'))
		return array;
	do
		failed = failed || json_array_append_new(array, read_value(reader)) < 0;
	while (!failed && goes_on(reader, ']', &failed));
	if (!failed)
		return array;
	json_decref(array);
	return NULL;
}

static json_t *read_container(struct reader *reader, bool is_object)
{
	if (reader->depth == MXT_JSON_MAX_DEPTH)
		return NULL;
	reader->depth++;
	json_t *value = is_object ? read_object(reader) : read_array(reader);
	reader->depth--;
	return value;
}

static json_t *read_value(struct reader *reader)
{
	if (take(reader, '"'))
		return read_string(reader);
	if (take(reader, '{'))
		return read_container(reader, true);
	if (take(reader, '['))
		return read_container(reader, false);
	if (take_word(reader, "true"))
		return json_true();
	if (take_word(reader, "false"))
		return json_false();
	return read_integer(reader);
}

json_t *mxt_json_fast(const char *text, size_t len)
{
	struct reader reader = {text, text + len, 0};
	json_t *value = read_value(&reader);
	pass_blanks(&reader);
	if (value && reader.at == reader.end && (json_is_object(value) || json_is_array(value)))
		return value;
	json_decref(value);
	return NULL;
}
