/* SPDX-License-Identifier: Apache-2.0 */
#include "python_fields.h"

#include <stdbool.h>
#include <string.h>

#define MAX_CLASSES 16 /* inside of each other */
#define TAB_WIDTH   8

/* A class whose body is not over. */
struct open_class {
	struct mxt_python_text name;
	size_t indent; /* of its first line */
	size_t body;   /* of its body; 0: not seen yet */
};

struct scan {
	const char *at, *end;
	const struct mxt_python_fields_sink *sink;
	struct open_class classes[MAX_CLASSES];
	size_t n_classes;
	/* of the logical line that is being passed over */
	struct mxt_python_text owner; /* the class of its field; empty: it declares none */
	struct mxt_python_text type;  /* of its field */
	size_t depth;                 /* of brackets */
	bool alias;                   /* strings are names of the field, too */
	size_t alias_depth;
};

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_word(struct mxt_python_text text, const char *word)
{
	return text.len == strlen(word) && memcmp(text.at, word, text.len) == 0;
}

static bool is_one_of(struct mxt_python_text text, const char *const *words)
{
	for (; *words; words++)
		if (is_word(text, *words))
			return true;
	return false;
}

static char peek(const struct scan *scan, size_t ahead)
{
	return (size_t)(scan->end - scan->at) > ahead ? scan->at[ahead] : '\0';
}

static void skip_blanks(struct scan *scan)
{
	while (peek(scan, 0) == ' ' || peek(scan, 0) == '\t')
		scan->at++;
}

static struct mxt_python_text take_word(struct scan *scan)
{
	const char *begin = scan->at;
	while (scan->at < scan->end && is_word_char(*scan->at))
		scan->at++;
	return (struct mxt_python_text){begin, (size_t)(scan->at - begin)};
}

/* At a quote: passes over the string; what is inside. One that is not closed ends with its line, or with the file. */
static struct mxt_python_text take_string(struct scan *scan)
{
	char quote = *scan->at;
	bool triple = peek(scan, 1) == quote && peek(scan, 2) == quote;
	scan->at += triple ? 3 : 1;
	const char *begin = scan->at;
	for (; scan->at < scan->end; scan->at++) {
		if (*scan->at == '\\' && scan->at + 1 < scan->end) {
			scan->at++;
		} else if (!triple && *scan->at == '\n') {
			break;
		} else if (*scan->at == quote && (!triple || (peek(scan, 1) == quote && peek(scan, 2) == quote))) {
			struct mxt_python_text inside = {begin, (size_t)(scan->at - begin)};
			scan->at += triple ? 3 : 1;
			return inside;
		}
	}
	return (struct mxt_python_text){begin, (size_t)(scan->at - begin)};
}

static void skip_comment(struct scan *scan)
{
	while (scan->at < scan->end && *scan->at != '\n')
		scan->at++;
}

/* ---- the rest of a logical line ---- */

static int take_alias(struct scan *scan)
{
	struct mxt_python_text name = take_string(scan);
	if (!scan->alias || scan->owner.len == 0 || name.len == 0)
		return 0;
	return scan->sink->on_field(scan->sink->context, scan->owner, name, scan->type);
}

/* alias="x", validation_alias=AliasChoices("x", "y") */
static void look_for_alias(struct scan *scan)
{
	static const char *const words[] = {"alias", "validation_alias", NULL};
	struct mxt_python_text word = take_word(scan);
	skip_blanks(scan);
	if (scan->depth == 0 || peek(scan, 0) != '=' || !is_one_of(word, words))
		return;
	scan->alias = true;
	scan->alias_depth = scan->depth;
}

static void take_mark(struct scan *scan)
{
	char c = *scan->at++;
	if (c == '(' || c == '[' || c == '{')
		scan->depth++;
	if ((c == ')' || c == ']' || c == '}') && scan->depth > 0)
		scan->depth--;
	if (scan->depth < scan->alias_depth || (c == ',' && scan->depth == scan->alias_depth))
		scan->alias = false;
}

/* Passes over the rest of a logical line, with its strings, its brackets and the lines that they span. */
static int finish_line(struct scan *scan, struct mxt_python_text owner)
{
	int rc = 0;
	scan->owner = owner;
	scan->depth = scan->alias_depth = 0;
	scan->alias = false;
	while (rc == 0 && scan->at < scan->end && !(*scan->at == '\n' && scan->depth == 0)) {
		char c = *scan->at;
		if (c == '#')
			skip_comment(scan);
		else if (c == '\'' || c == '"')
			rc = take_alias(scan);
		else if (c == '\\' && peek(scan, 1) != '\0')
			scan->at += 2;
		else if (is_word_char(c))
			look_for_alias(scan);
		else
			take_mark(scan);
	}
	return rc;
}

/* ---- logical lines ---- */

static size_t take_indent(struct scan *scan)
{
	size_t indent = 0;
	for (; peek(scan, 0) == ' ' || peek(scan, 0) == '\t'; scan->at++)
		indent = *scan->at == ' ' ? indent + 1 : (indent / TAB_WIDTH + 1) * TAB_WIDTH;
	return indent;
}

/* Closes the classes that a line of this indent is no part of. The class whose body it is in; NULL: none. */
static const struct open_class *enter_line(struct scan *scan, size_t indent)
{
	while (scan->n_classes > 0) {
		struct open_class *top = &scan->classes[scan->n_classes - 1];
		if (top->body == 0 && indent > top->indent)
			top->body = indent;
		if (top->body > 0 && indent >= top->body)
			return indent == top->body ? top : NULL;
		scan->n_classes--;
	}
	return NULL;
}

/* Behind the word "class". */
static int take_class(struct scan *scan, size_t indent)
{
	static const struct mxt_python_text nobody = {"", 0};
	skip_blanks(scan);
	struct mxt_python_text name = take_word(scan), bases = {scan->at, 0};
	if (name.len == 0)
		return finish_line(scan, nobody);
	skip_blanks(scan);
	const char *begin = scan->at;
	bool bracket = peek(scan, 0) == '(';
	int rc = finish_line(scan, nobody);
	const char *close = scan->at;
	while (bracket && close > begin && close[-1] != ')')
		close--;
	if (close > begin + 1)
		bases = (struct mxt_python_text){begin + 1, (size_t)(close - begin) - 2};
	if (scan->n_classes < MAX_CLASSES)
		scan->classes[scan->n_classes++] = (struct open_class){name, indent, 0};
	return rc == 0 ? scan->sink->on_class(scan->sink->context, name, bases) : rc;
}

/* `word` stands at the start of a line in the body of a class. */
static bool is_field(struct scan *scan, struct mxt_python_text word)
{
	static const char *const others[] = {"else", "try", "finally", "except", "lambda", NULL};
	skip_blanks(scan);
	if (word.len == 0 || *word.at == '_' || peek(scan, 0) != ':' || is_one_of(word, others))
		return false;
	scan->at++;
	skip_blanks(scan);
	struct scan ahead = *scan;
	struct mxt_python_text type = take_word(&ahead);
	return peek(scan, 0) != '\n' && peek(scan, 0) != '\0' && !is_word(type, "ClassVar");
}

/* What stands behind the colon: up to the value, a comment, or the end of the line. */
static struct mxt_python_text type_text(const struct scan *scan)
{
	size_t len = 0;
	while (scan->at + len < scan->end && !strchr("=#\n", scan->at[len])) /* NUL ends it, too */
		len++;
	return (struct mxt_python_text){scan->at, len};
}

static int take_line(struct scan *scan)
{
	static const struct mxt_python_text nobody = {"", 0};
	size_t indent = take_indent(scan);
	char c = peek(scan, 0);
	if (c == '#')
		skip_comment(scan);
	if (c == '\n' || c == '\r' || c == '#' || c == '\0')
		return 0;
	const struct open_class *in = enter_line(scan, indent);
	struct mxt_python_text word = take_word(scan);
	if (is_word(word, "class"))
		return take_class(scan, indent);
	if (!in || !is_field(scan, word))
		return finish_line(scan, nobody);
	scan->type = type_text(scan);
	int rc = scan->sink->on_field(scan->sink->context, in->name, word, scan->type);
	return rc == 0 ? finish_line(scan, in->name) : rc;
}

int mxt_python_fields(const char *source, size_t len, const struct mxt_python_fields_sink *sink)
{
	struct scan scan = {.at = source, .end = source + len, .sink = sink};
	int rc = 0;
	while (rc == 0 && scan.at < scan.end) {
		rc = take_line(&scan);
		if (scan.at < scan.end && (*scan.at == '\n' || *scan.at == '\r' || *scan.at == '\0'))
			scan.at++;
	}
	return rc;
}
