/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_strict.h"

#include <errno.h>
#include <string.h>

#include "error.h"
#include "yaml_text.h"

static int refuse_tab(const struct mxt_yaml_text *text, size_t at, struct mxt_error *err)
{
	return mxt_error_set(err, -EINVAL, MXT_E_YAML_SYNTAX,
			     "%s:%zu: a tab outside of quotes, which the trainer's reader refuses; use spaces",
			     text->name, mxt_yaml_text_line(text, at));
}

static int refuse_question_mark(const struct mxt_yaml_text *text, size_t at, struct mxt_error *err)
{
	return mxt_error_set(err, -EINVAL, MXT_E_YAML_REFUSED,
			     "%s:%zu: a question mark that starts an explicit key or stands in a list or map in "
			     "brackets, which readers disagree on; quote the text",
			     text->name, mxt_yaml_text_line(text, at));
}

static int refuse_comment(const struct mxt_yaml_text *text, size_t at, struct mxt_error *err)
{
	return mxt_error_set(err, -EINVAL, MXT_E_YAML_SYNTAX, "%s:%zu: a comment that needs a space before its #",
			     text->name, mxt_yaml_text_line(text, at));
}

/* YAML 1.1 also ends lines, and so comments, at U+0085, U+2028 and U+2029. */
static bool is_break(const struct mxt_yaml_text *text, size_t at)
{
	const char *byte = text->bytes + at;
	if (*byte == '\n' || *byte == '\r')
		return true;
	size_t left = text->len - at;
	return (left >= 2 && memcmp(byte, "\xc2\x85", 2) == 0) ||
	       (left >= 3 && (memcmp(byte, "\xe2\x80\xa8", 3) == 0 || memcmp(byte, "\xe2\x80\xa9", 3) == 0));
}

static size_t line_end(const struct mxt_yaml_text *text, size_t at, size_t end)
{
	while (at < end && !is_break(text, at))
		at++;
	return at;
}

/* A comment behind a directive or a block text's header, unlike others, must not touch it. */
static bool touches(const struct mxt_yaml_text *text, size_t at)
{
	return at > text->start && text->bytes[at - 1] != ' ';
}

/* The space between two scalars: blanks, indicators, anchors, tags, comments, directives. */
static int check_gap(const struct mxt_yaml_text *text, size_t at, size_t end, struct mxt_error *err)
{
	bool directive = false;
	for (; at < end; at++) {
		if (text->bytes[at] == '%')
			directive = true;
		else if (text->bytes[at] == '#' && directive && touches(text, at))
			return refuse_comment(text, at, err);
		else if (text->bytes[at] == '#')
			at = line_end(text, at, end);
		else if (is_break(text, at))
			directive = false;
		else if (text->bytes[at] == '\t')
			return refuse_tab(text, at, err);
		else if (text->bytes[at] == '?')
			return refuse_question_mark(text, at, err);
	}
	return 0;
}

/* Only its header, up to a comment, is not text. */
static int check_block(const struct mxt_yaml_text *text, const struct mxt_yaml_span *span, struct mxt_error *err)
{
	size_t end = line_end(text, span->begin, span->end);
	const char *comment = memchr(text->bytes + span->begin, '#', end - span->begin);
	if (comment)
		end = (size_t)(comment - text->bytes);
	if (comment && touches(text, end))
		return refuse_comment(text, end, err);
	const char *tab = memchr(text->bytes + span->begin, '\t', end - span->begin);
	return tab ? refuse_tab(text, (size_t)(tab - text->bytes), err) : 0;
}

static int check_plain(const struct mxt_yaml_text *text, const struct mxt_yaml_span *span, struct mxt_error *err)
{
	const char *start = text->bytes + span->begin;
	const char *tab = memchr(start, '\t', span->end - span->begin);
	if (tab)
		return refuse_tab(text, (size_t)(tab - text->bytes), err);
	const char *mark = span->in_flow ? memchr(start, '?', span->end - span->begin) : NULL;
	return mark ? refuse_question_mark(text, (size_t)(mark - text->bytes), err) : 0;
}

static int check_span(const struct mxt_yaml_text *text, const struct mxt_yaml_span *span, struct mxt_error *err)
{
	switch (span->style) {
	case MXT_YAML_PLAIN:
		return check_plain(text, span, err);
	case MXT_YAML_BLOCK:
		return check_block(text, span, err);
	case MXT_YAML_QUOTED:
		break;
	}
	return 0;
}

int mxt_yaml_strict_check(const struct mxt_yaml_text *text, const struct mxt_yaml_span *spans, size_t count,
			  struct mxt_error *err)
{
	size_t at = text->start;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (spans[i].end <= at)
			continue; /* an empty value, which libyaml may place behind what follows it */
		rc = check_gap(text, at, spans[i].begin, err);
		if (rc == 0)
			rc = check_span(text, &spans[i], err);
		at = spans[i].end;
	}
	return rc == 0 ? check_gap(text, at, text->len, err) : rc;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

size_t mxt_yaml_strict_skip_properties(const struct mxt_yaml_text *text, size_t begin, size_t end)
{
	size_t at = begin;
	while (at < end && (text->bytes[at] == '&' || text->bytes[at] == '!')) {
		while (at < end && !is_blank(text->bytes[at]))
			at++;
		while (at < end && (is_blank(text->bytes[at]) || text->bytes[at] == '#'))
			at = text->bytes[at] == '#' ? line_end(text, at, end) : at + 1;
	}
	return at;
}
