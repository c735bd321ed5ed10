/* SPDX-License-Identifier: Apache-2.0 */
#include "report_text.h"

#include <string.h>

#include "compiler.h"

/* A line without its end; borrowed. */
struct slice {
	const char *at;
	size_t len;
};

static const char header[] = "config:";
#define HEADER_LEN (sizeof header - 1)

void mxt_report_text_drop(struct mxt_report_text *text)
{
	mxt_buf_finish(&text->body);
	text->collecting = text->torn = text->in_string = text->escaped = false;
	text->depth = 0;
	text->mark[0] = '\0';
}

void mxt_report_text_finish(struct mxt_report_text *text)
{
	mxt_report_text_drop(text);
	mxt_buf_finish(&text->line);
	text->overlong = false;
}

/* ---- what one line is ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct slice skip(struct slice line, size_t n)
{
	return (struct slice){line.at + n, line.len - n};
}

static bool starts_with(struct slice line, const char *text)
{
	size_t len = strlen(text);
	return line.len >= len && memcmp(line.at, text, len) == 0;
}

static size_t count_blanks(struct slice line)
{
	size_t n = 0;
	while (n < line.len && line.at[n] == ' ')
		n++;
	return n;
}

/*
 * Length of what a launcher writes in front of a line: "[default0]:" (torch's --tee), "[1,0]<stdout>:" (mpirun),
 * " 3: " (srun --label); 0: nothing.
 */
static size_t mark_length(struct slice line)
{
	size_t at = count_blanks(line), digits = at;
	if (at < line.len && line.at[at] == '[') {
		const char *close = memchr(line.at, ']', line.len < MXT_REPORT_MARK ? line.len : MXT_REPORT_MARK - 1);
		size_t end = close ? (size_t)(close - line.at) + 1 : 0;
		if (end > 0 && (starts_with(skip(line, end), "<stdout>") || starts_with(skip(line, end), "<stderr>")))
			end += strlen("<stdout>");
		return end > 0 && end < line.len && end < MXT_REPORT_MARK - 1 && line.at[end] == ':' ? end + 1 : 0;
	}
	while (digits < line.len && is_digit(line.at[digits]))
		digits++;
	bool label = digits > at && digits < MXT_REPORT_MARK - 2 && starts_with(skip(line, digits), ": ");
	return label ? digits + 2 : 0;
}

/* "2026-11-30 17:22:41," with any digits: what Python's logging begins a record with, behind its bracket. */
static bool is_timestamp(struct slice line)
{
	static const char form[] = "[0000-00-00 00:00:00,";
	if (line.len < sizeof form - 1)
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == '0' ? !is_digit(line.at[i]) : form[i] != line.at[i])
			return false;
	return true;
}

/* Where a record of another process begins in the line; its length: nowhere. */
static size_t find_record(struct slice line)
{
	for (size_t at = 0; at < line.len; at++) {
		const char *bracket = memchr(line.at + at, '[', line.len - at);
		if (!bracket)
			break;
		at = (size_t)(bracket - line.at);
		if (is_timestamp(skip(line, at)))
			return at;
	}
	return line.len;
}

/* Could json.dumps(indent=2) have written this line? */
static bool is_json_line(struct slice line)
{
	static const char *const literals[] = {"true", "false", "null", "NaN", "Infinity"};
	size_t blanks = count_blanks(line);
	if (line.len == 0)
		return false;
	if (blanks < 2)
		return line.at[0] == '}';
	struct slice rest = skip(line, blanks);
	if (rest.len > 0 && (is_digit(rest.at[0]) || strchr("\"{}[]-", rest.at[0])))
		return true;
	for (size_t i = 0; i < MXT_ARRAY_LEN(literals); i++)
		if (starts_with(rest, literals[i]))
			return true;
	return false;
}

/* ---- the object ---- */

/* How much of the line belongs to the object: up to its closing brace. *ret_whole: that is in it. */
static size_t measure(struct mxt_report_text *text, struct slice line, bool *ret_whole)
{
	for (size_t i = 0; i < line.len; i++) {
		char c = line.at[i];
		if (text->in_string) {
			text->in_string = text->escaped || c != '"';
			text->escaped = !text->escaped && c == '\\';
		} else if (c == '"') {
			text->in_string = true;
		} else if (c == '{' || c == '[') {
			text->depth++;
		} else if ((c == '}' || c == ']') && text->depth > 0 && --text->depth == 0) {
			*ret_whole = true;
			return i + 1;
		}
	}
	return line.len;
}

static enum mxt_report_found add(struct mxt_report_text *text, struct slice line)
{
	bool whole = false;
	size_t len = measure(text, line, &whole);
	if (text->body.len + len + 1 > MXT_REPORT_MAX_BYTES)
		return MXT_REPORT_BROKEN;
	mxt_buf_append(&text->body, line.at, len);
	if (!text->torn)
		mxt_buf_putc(&text->body, '\n');
	if (text->body.failed)
		return MXT_REPORT_BROKEN;
	return whole ? MXT_REPORT_OBJECT : MXT_REPORT_NOTHING;
}

/* One more line while the object is not whole; those of others are passed over. */
static enum mxt_report_found take_body(struct mxt_report_text *text, struct slice line)
{
	size_t mark = strlen(text->mark);
	if (!starts_with(line, text->mark))
		return MXT_REPORT_NOTHING;
	line = skip(line, mark);
	bool opens = starts_with(line, "{"), continues = text->torn;
	if (opens) { /* never inside of an object: what was there is one that broke off */
		mxt_buf_truncate(&text->body, 0);
		text->depth = 0;
		text->in_string = text->escaped = false;
	}
	size_t end = find_record(line);
	if (end == 0 || (!opens && !continues && (text->body.len == 0 || !is_json_line(line))))
		return MXT_REPORT_NOTHING;
	text->torn = end < line.len;
	line.len = end;
	return add(text, line);
}

/* Does the line end in "config:", or does an object begin behind it? *ret_rest: what is behind it. */
static bool is_header(struct slice line, struct slice *ret_rest)
{
	while (line.len >= HEADER_LEN) {
		const char *at = memmem(line.at, line.len, header, HEADER_LEN);
		if (!at)
			return false;
		bool word = at == line.at || at[-1] == ' ' || at[-1] == ':' || at[-1] == ']';
		line = skip(line, (size_t)(at - line.at) + HEADER_LEN);
		size_t blanks = count_blanks(line);
		if (word && (blanks == line.len || line.at[blanks] == '{')) {
			*ret_rest = skip(line, blanks);
			return true;
		}
	}
	return false;
}

static enum mxt_report_found take_line(struct mxt_report_text *text, struct slice line)
{
	struct slice rest;
	bool begins = text->body.len == 0 && is_header(line, &rest);
	if (!begins)
		return text->collecting ? take_body(text, line) : MXT_REPORT_NOTHING;
	size_t mark = mark_length(line);
	mxt_report_text_drop(text);
	text->collecting = true;
	memcpy(text->mark, line.at, mark);
	text->mark[mark] = '\0';
	return rest.len > 0 ? add(text, rest) : MXT_REPORT_NOTHING;
}

/* ---- lines out of bytes ---- */

/* Length of a terminal's control sequence (ESC [ ... letter); 0: there is none. */
static size_t escape_length(struct slice text)
{
	size_t n = 2;
	if (!starts_with(text, "\x1b["))
		return 0;
	while (n < text.len && text.at[n] >= 0x20 && text.at[n] < 0x40)
		n++;
	return n < text.len ? n + 1 : n;
}

/* Takes control sequences out of the line, in place. */
static void strip(struct mxt_buf *line)
{
	size_t kept = 0;
	for (size_t at = 0; at < line->len;) {
		size_t escape = escape_length((struct slice){line->data + at, line->len - at});
		if (escape == 0)
			line->data[kept++] = line->data[at++];
		at += escape;
	}
	mxt_buf_truncate(line, kept);
}

/* Colours stand around "config:", never in it. */
static bool matters(const struct mxt_report_text *text)
{
	const struct mxt_buf *line = &text->line;
	if (text->overlong || line->len == 0)
		return false;
	return text->collecting || memmem(line->data, line->len, header, HEADER_LEN) != NULL;
}

static enum mxt_report_found end_line(struct mxt_report_text *text)
{
	enum mxt_report_found found = text->line.failed ? MXT_REPORT_BROKEN : MXT_REPORT_NOTHING;
	if (!text->line.failed && matters(text)) {
		strip(&text->line);
		found = take_line(text, (struct slice){text->line.data, text->line.len});
	}
	mxt_buf_truncate(&text->line, 0);
	text->overlong = false;
	return found;
}

/* Where the byte is next, at `from` or behind; `end`: nowhere. `found`: what was found before. */
static const char *find_next(const char *found, const char *from, const char *end, char byte)
{
	if (found && found >= from)
		return found;
	found = memchr(from, byte, (size_t)(end - from));
	return found ? found : end;
}

/* The chunk that is being taken, with what is next in it; NULL: not looked for yet. */
struct chunk {
	const char *at, *end;
	const char *feed, *back, *word; /* a line feed, a carriage return, the header's word */
};

static void look_ahead(struct chunk *chunk)
{
	chunk->feed = find_next(chunk->feed, chunk->at, chunk->end, '\n');
	chunk->back = find_next(chunk->back, chunk->at, chunk->end, '\r');
	if (chunk->word && chunk->word >= chunk->at)
		return;
	chunk->word = memmem(chunk->at, (size_t)(chunk->end - chunk->at), header, HEADER_LEN);
	chunk->word = chunk->word ? chunk->word : chunk->end;
}

/* Lines that are whole and hold no header need not be looked at: most of a log. */
static void pass_over(struct chunk *chunk)
{
	look_ahead(chunk);
	if (chunk->feed >= chunk->word)
		return;
	const char *last = memrchr(chunk->feed, '\n', (size_t)(chunk->word - chunk->feed));
	chunk->at = (last ? last : chunk->feed) + 1;
}

static enum mxt_report_found take_piece(struct mxt_report_text *text, struct chunk *chunk)
{
	look_ahead(chunk);
	const char *stop = chunk->feed < chunk->back ? chunk->feed : chunk->back, *at = chunk->at;
	size_t n = (size_t)(stop - at);
	text->overlong = text->overlong || n > MXT_REPORT_MAX_LINE - text->line.len;
	if (!text->overlong)
		mxt_buf_append(&text->line, at, n);
	chunk->at = stop < chunk->end ? stop + 1 : stop;
	return stop < chunk->end ? end_line(text) : MXT_REPORT_NOTHING;
}

enum mxt_report_found mxt_report_text_take(struct mxt_report_text *text, const char **bytes, size_t *len)
{
	enum mxt_report_found found = MXT_REPORT_NOTHING;
	struct chunk chunk = {.at = *bytes, .end = *bytes + *len};
	while (chunk.at < chunk.end && found == MXT_REPORT_NOTHING) {
		if (!text->collecting && !text->overlong && !text->line.failed && text->line.len == 0)
			pass_over(&chunk);
		if (chunk.at < chunk.end)
			found = take_piece(text, &chunk);
	}
	*len = (size_t)(chunk.end - chunk.at);
	*bytes = chunk.at;
	return found;
}
