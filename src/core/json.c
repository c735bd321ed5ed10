/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "affix.h"
#include "error.h"
#include "file.h"

struct source {
	const char *name;
	const char *text;
	size_t len;
};

/* Error at a byte of the text: line and column, both from 1; columns count characters. */
static int text_fault(const struct source *source, size_t at, enum mxt_error_id id, struct mxt_error *err,
		      const char *what)
{
	size_t line = 1, column = 1;
	for (size_t i = 0; i < at; i++) {
		if (source->text[i] == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)source->text[i] & 0xc0) != 0x80) {
			column++;
		}
	}
	return mxt_error_set(err, -EINVAL, id, "%s: line %zu, column %zu: %s", source->name, line, column, what);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* At least as many as there are: what stands in strings counts, too. */
static size_t count_values(const struct source *source)
{
	size_t count = 1;
	for (size_t i = 0; i < source->len; i++)
		count += source->text[i] == ',' || (source->text[i] | 0x20) == '{'; /* or '[' */
	return count;
}

static int refuse_unreadable(const struct source *source, enum mxt_json_dialect dialect, struct mxt_error *err)
{
	size_t max_bytes = dialect == MXT_JSON_LARGE ? MXT_JSON_MAX_LARGE_BYTES : MXT_JSON_MAX_BYTES;
	if (source->len > max_bytes)
		return mxt_error_set(err, -EFBIG, MXT_E_TOO_LARGE, "%s is larger than %zu bytes", source->name,
				     max_bytes);
	if (source->len >= MXT_JSON_MAX_VALUES && count_values(source) > MXT_JSON_MAX_VALUES)
		return mxt_error_set(err, -EFBIG, MXT_E_TOO_LARGE, "%s holds more than %zu values", source->name,
				     MXT_JSON_MAX_VALUES);
	if (source->len >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0)
		return text_fault(source, 0, MXT_E_JSON_TEXT, err,
				  "the text starts with a byte-order mark; save it as UTF-8 without one");
	size_t i = 0;
	while (i < source->len && is_blank(source->text[i]))
		i++;
	if (i == source->len)
		return mxt_error_set(err, -EINVAL, MXT_E_JSON_TEXT, "%s is empty; JSON is expected there",
				     source->name);
	return 0;
}

/* `at`: of a minus. */
static bool is_negative_zero(const struct source *source, size_t at)
{
	if (at + 1 >= source->len || source->text[at + 1] != '0')
		return false;
	if (at > 0 && (source->text[at - 1] == 'e' || source->text[at - 1] == 'E'))
		return false; /* an exponent */
	char next = at + 2 < source->len ? source->text[at + 2] : ' ';
	return next != '.' && next != 'e' && next != 'E'; /* fractions are refused by value, with their path */
}

/* Where the string that opens at `at` ends: its closing quote, or the end of the text. */
static size_t string_end(const struct source *source, size_t at)
{
	for (at++; at < source->len && source->text[at] != '"'; at++)
		if (source->text[at] == '\\')
			at++;
	return at;
}

/*
 * What must be seen in the text: jansson recurses, so depth is bounded before it starts, and it turns -0 into 0. Text
 * that is not JSON may pass; jansson refuses it afterwards.
 */
static int scan(const struct source *source, enum mxt_json_dialect dialect, struct mxt_error *err)
{
	size_t depth = 0;
	for (size_t at = 0; at < source->len; at++) {
		char c = source->text[at];
		if (c == '"')
			at = string_end(source, at);
		else if (c == '}' || c == ']')
			depth -= depth > 0 ? 1 : 0;
		else if ((c == '{' || c == '[') && ++depth > MXT_JSON_MAX_DEPTH)
			return text_fault(source, at, MXT_E_JSON_DEPTH, err, "nested deeper than 64 levels");
		else if (c == '-' && dialect != MXT_JSON_FOREIGN && is_negative_zero(source, at))
			return text_fault(source, at, MXT_E_JSON_VALUE, err, "-0 is not allowed here; write 0");
	}
	return 0;
}

/* How long the word at `at` is, if it is a number that Python writes and JSON does not have; else 0. */
static size_t non_finite_at(const struct source *source, size_t at)
{
	static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(words); i++) {
		size_t len = strlen(words[i]);
		if (len <= source->len - at && memcmp(source->text + at, words[i], len) == 0)
			return len;
	}
	return 0;
}

/* The text with null in place of numbers that are not finite: they are no value that anyone here could use. */
static int replace_non_finite(const struct source *source, struct mxt_buf *text, struct mxt_error *err)
{
	size_t done = 0;
	for (size_t at = 0; at < source->len; at++) {
		size_t len = non_finite_at(source, at);
		if (source->text[at] == '"')
			at = string_end(source, at);
		if (len == 0)
			continue;
		mxt_buf_append(text, source->text + done, at - done);
		mxt_buf_puts(text, "null");
		at += len - 1;
		done = at + 1;
	}
	mxt_buf_append(text, source->text + done, source->len - done);
	return mxt_buf_status(text, err);
}

/* What jansson says of a whole string when memory ran out, and of none else: all that is wrong with one has a name. */
static bool ends_in_string(const struct source *source, const json_error_t *error)
{
	size_t read = error->position > 0 ? (size_t)error->position : 0;
	return read > 0 && read <= source->len && source->text[read - 1] == '"' &&
	       (mxt_has_prefix(error->text, "invalid token") || mxt_has_prefix(error->text, "string or '}' expected"));
}

/* jansson quotes the text at fault, raw; only its own words are kept, in printable ASCII. */
static int parser_fault(const struct source *source, const json_error_t *error, struct mxt_error *err)
{
	if (json_error_code(error) == json_error_out_of_memory || error->line < 0 || /* a syntax error has a line */
	    ends_in_string(source, error))
		return mxt_error_oom(err);
	static const char lead[] = "not valid JSON: ";
	char words[sizeof lead + JSON_ERROR_TEXT_LENGTH];
	memcpy(words, lead, sizeof lead);
	const char *near = strstr(error->text, " near ");
	size_t len = near ? (size_t)(near - error->text) : strlen(error->text);
	for (size_t i = 0; i < len; i++)
		words[sizeof lead - 1 + i] = error->text[i] >= ' ' && error->text[i] <= '~' ? error->text[i] : '?';
	words[sizeof lead - 1 + len] = '\0';
	size_t read = error->position > 0 ? (size_t)error->position : 1;
	return text_fault(source, (read < source->len ? read : source->len) - 1, MXT_E_JSON_TEXT, err, words);
}

int mxt_json_parse(const char *name, const char *text, size_t len, enum mxt_json_dialect dialect, json_t **ret_value,
		   struct mxt_error *err)
{
	struct source source = {name, text, len};
	MXT_CLEANUP_BUF struct mxt_buf finite = MXT_BUF_INIT;
	int rc = refuse_unreadable(&source, dialect, err);
	if (rc == 0)
		rc = scan(&source, dialect, err);
	if (rc == 0 && dialect == MXT_JSON_FOREIGN) {
		rc = replace_non_finite(&source, &finite, err);
		source = (struct source){name, mxt_buf_text(&finite), finite.len};
	}
	if (rc < 0)
		return rc;
	json_error_t error = {.line = 0}; /* jansson itself leaves the code unset when memory runs out early */
	MXT_CLEANUP_JSON json_t *value = json_loadb(source.text, source.len, JSON_REJECT_DUPLICATES, &error);
	if (!value)
		return parser_fault(&source, &error, err);
	if (dialect != MXT_JSON_FOREIGN)
		rc = mxt_json_check(value, err);
	if (rc < 0)
		return mxt_error_wrap(err, rc, "%s", name);
	*ret_value = json_incref(value);
	return 0;
}

int mxt_json_read_file(const char *path, enum mxt_json_dialect dialect, json_t **ret_value, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_file_read(path, MXT_JSON_MAX_BYTES, &buf, err);
	if (rc < 0)
		return rc;
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	return mxt_json_parse(name, mxt_buf_text(&buf), buf.len, dialect, ret_value, err);
}

const json_t *mxt_json_find(const json_t *value, const char *path)
{
	while (value && *path) {
		size_t len = strcspn(path, ".");
		value = json_object_getn(value, path, len);
		path += len;
		path += *path == '.' ? 1 : 0;
	}
	return value;
}

const char *mxt_json_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

int64_t mxt_json_integer(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

int64_t mxt_json_integer_or(const json_t *object, const char *key, int64_t omitted)
{
	const json_t *value = json_object_get(object, key);
	return json_is_integer(value) ? json_integer_value(value) : omitted;
}

json_t *mxt_json_hash(const uint8_t hash[MXT_HASH_SIZE])
{
	char hex[MXT_HASH_HEX_SIZE];
	mxt_hash_to_hex(hash, hex);
	return json_string(hex);
}

int mxt_json_set_known(json_t *object, const char *key, const char *text)
{
	return *text ? json_object_set_new(object, key, json_string(text)) : 0;
}
