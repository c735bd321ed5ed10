/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_splice.h"

#include <string.h>

#include "buf.h"
#include "yaml_outline.h"
#include "yaml_strict.h"

/* ---- lines ---- */

static bool is_break(char c)
{
	return c == '\n' || c == '\r';
}

static size_t line_begin(const struct mxt_yaml_text *text, size_t at)
{
	size_t begin = text->lines[mxt_yaml_text_line(text, at) - 1];
	return begin > text->start ? begin : text->start;
}

/* At the line's break, or at the end of the text. */
static size_t line_end(const struct mxt_yaml_text *text, size_t at)
{
	while (at < text->len && !is_break(text->bytes[at]))
		at++;
	return at;
}

static size_t next_line(const struct mxt_yaml_text *text, size_t at)
{
	size_t line = mxt_yaml_text_line(text, at);
	return line < text->n_lines ? text->lines[line] : text->len;
}

static size_t skip_spaces(const struct mxt_yaml_text *text, size_t at)
{
	while (at < text->len && text->bytes[at] == ' ')
		at++;
	return at;
}

/* ---- writing ---- */

static void put(const struct mxt_yaml_text *text, size_t begin, size_t end, struct mxt_buf *out)
{
	if (end > begin)
		mxt_buf_append(out, text->bytes + begin, end - begin);
}

static void put_spaces(size_t count, struct mxt_buf *out)
{
	for (size_t i = 0; i < count; i++)
		mxt_buf_putc(out, ' ');
}

/* The break of the last line before `at` that has one; that of a first line follows it. */
static void put_break(const struct mxt_yaml_text *text, size_t at, struct mxt_buf *out)
{
	while (at > text->start && !is_break(text->bytes[at - 1]))
		at--;
	if (at == text->start)
		at = next_line(text, at);
	if (at == text->start || !is_break(text->bytes[at - 1])) {
		mxt_buf_putc(out, '\n');
		return;
	}
	bool both = text->bytes[at - 1] == '\n' && at - text->start > 1 && text->bytes[at - 2] == '\r';
	put(text, both ? at - 2 : at - 1, at, out);
}

/* Everything before `at`, which then starts a line. */
static void put_lines_before(const struct mxt_yaml_text *text, size_t at, struct mxt_buf *out)
{
	put(text, 0, at, out);
	if (at > text->start && !is_break(text->bytes[at - 1]))
		put_break(text, at, out);
}

/* The text with the bytes from `begin` to `end` replaced. */
static void replace(const struct mxt_yaml_text *text, size_t begin, size_t end, const char *by, struct mxt_buf *out)
{
	put(text, 0, begin, out);
	mxt_buf_puts(out, by);
	put(text, end, text->len, out);
}

/* ---- values ---- */

/* Behind anchor and tag. */
static size_t bare_begin(const struct mxt_yaml_text *text, const struct mxt_yaml_item *item)
{
	return mxt_yaml_strict_skip_properties(text, item->value_begin, item->value_end);
}

/* The header gives way to the value, its comment stays, and the lines of text go. */
static void replace_text_block(const struct mxt_yaml_text *text, const struct mxt_yaml_item *item, const char *value,
			       struct mxt_buf *out)
{
	size_t header_end = bare_begin(text, item);
	while (header_end < text->len && text->bytes[header_end] != ' ' && !is_break(text->bytes[header_end]))
		header_end++;
	size_t line = line_end(text, header_end);
	put(text, 0, item->value_begin, out);
	mxt_buf_puts(out, value);
	put(text, header_end, line, out);
	put(text, item->value_end > line ? item->value_end : line, text->len, out);
}

/* The value goes behind the colon. Of the lines that it takes the place of, a comment behind the last one stays. */
static bool replace_lines(const struct mxt_yaml_text *text, const struct mxt_yaml_item *item, const char *value,
			  struct mxt_buf *out)
{
	size_t colon = skip_spaces(text, item->key_end);
	if (mxt_yaml_text_line(text, item->key_end) == mxt_yaml_text_line(text, item->value_begin))
		return false;
	size_t rest = skip_spaces(text, item->value_end);
	bool comment = rest < text->len && text->bytes[rest] == '#';
	put(text, 0, colon + 1, out);
	mxt_buf_putc(out, ' ');
	mxt_buf_puts(out, value);
	put(text, colon + 1, comment ? item->value_begin : line_begin(text, item->value_begin), out);
	put(text, comment ? rest : next_line(text, item->value_end), text->len, out);
	return true;
}

bool mxt_yaml_splice_value(const struct mxt_yaml_outline *outline, const struct mxt_yaml_item *item, const char *value,
			   struct mxt_buf *out)
{
	const struct mxt_yaml_text *text = &outline->text;
	switch (item->form) {
	case MXT_YAML_FORM_BLOCK_LIST:
	case MXT_YAML_FORM_BLOCK_MAP:
		return replace_lines(text, item, value, out);
	case MXT_YAML_FORM_TEXT:
		replace_text_block(text, item, value, out);
		return true;
	default:
		break;
	}
	put(text, 0, item->value_begin, out);
	if (item->value_begin == item->value_end)
		mxt_buf_putc(out, ' ');
	mxt_buf_puts(out, value);
	put(text, item->value_end, text->len, out);
	return true;
}

void mxt_yaml_splice_out(const struct mxt_yaml_outline *outline, const struct mxt_yaml_item *item, struct mxt_buf *out)
{
	const struct mxt_yaml_text *text = &outline->text;
	replace(text, line_begin(text, item->key_begin), next_line(text, item->value_end), "", out);
}

/* ---- new lines ---- */

/*
 * Behind everything, comments too. A text block without a line break at its end would gain one there, so that the new
 * line goes before its key.
 */
static size_t place_of_key(const struct mxt_yaml_outline *o)
{
	bool open = o->end > 0 && !is_break(o->text.bytes[o->end - 1]);
	return open && o->text_at_end ? line_begin(&o->text, o->items[o->count - 1].key_begin) : o->end;
}

void mxt_yaml_splice_key(const struct mxt_yaml_outline *outline, const char *key, const char *value, bool list,
			 struct mxt_buf *out)
{
	const struct mxt_yaml_text *text = &outline->text;
	size_t at = place_of_key(outline);
	put_lines_before(text, at, out);
	put_spaces(outline->column, out);
	mxt_buf_puts(out, key);
	mxt_buf_putc(out, ':');
	if (list) {
		put_break(text, at, out);
		put_spaces(outline->column + 2, out);
		mxt_buf_putc(out, '-');
	}
	mxt_buf_putc(out, ' ');
	mxt_buf_puts(out, value);
	put_break(text, at, out);
	put(text, at, text->len, out);
}

static void add_in_brackets(const struct mxt_yaml_text *text, const struct mxt_yaml_item *item, const char *element,
			    struct mxt_buf *out)
{
	size_t at = item->n_elements > 0 ? item->element_end : bare_begin(text, item) + 1;
	put(text, 0, at, out);
	if (item->n_elements > 0)
		mxt_buf_puts(out, ", ");
	mxt_buf_puts(out, element);
	put(text, at, text->len, out);
}

static void add_line(const struct mxt_yaml_text *text, const struct mxt_yaml_item *item, const char *element,
		     struct mxt_buf *out)
{
	size_t dash = bare_begin(text, item), at = item->element_end;
	if (!is_break(text->bytes[at - 1]))
		at = next_line(text, at);
	put_lines_before(text, at, out);
	put_spaces(dash - line_begin(text, dash), out);
	mxt_buf_puts(out, "- ");
	mxt_buf_puts(out, element);
	put_break(text, at, out);
	put(text, at, text->len, out);
}

void mxt_yaml_splice_element(const struct mxt_yaml_outline *outline, const struct mxt_yaml_item *item,
			     const char *element, struct mxt_buf *out)
{
	if (item->form == MXT_YAML_FORM_FLOW_LIST)
		add_in_brackets(&outline->text, item, element, out);
	else
		add_line(&outline->text, item, element, out);
}
