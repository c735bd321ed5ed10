/* SPDX-License-Identifier: Apache-2.0 */
#include "node_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define LETTERS     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
#define DIGITS      "0123456789"
#define MAX_DIGITS  9
#define MAX_BRACKET 8 /* brackets of one word */

/* Where in the text the reader is. */
struct reader {
	const char *text, *at;
};

/* "08-10" */
struct range {
	uint64_t low, high;
	int width; /* of the numbers, with zeros in front */
};

void mxt_node_list_finish(struct mxt_node_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct mxt_node_list)MXT_NODE_LIST_INIT;
}

static int wrong(const struct reader *reader, const char *what, struct mxt_error *err)
{
	return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES, "the list of nodes cannot be read at its byte %zu: %s",
			     (size_t)(reader->at - reader->text) + 1, what);
}

/* ---- names ---- */

/* The room doubles whenever it is full, so that the count alone tells how much there is. */
static int make_room(struct mxt_node_list *list)
{
	size_t count = list->count;
	if (count > 0 && (count & (count - 1)) != 0)
		return 0;
	char **grown = realloc(list->names, (count > 0 ? 2 * count : 1) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	list->names = grown;
	return 0;
}

/* Takes `name` over, also when it fails. */
static int add(const struct reader *reader, struct mxt_node_list *list, char *name, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *owned = name;
	if (!owned || make_room(list) < 0)
		return mxt_error_oom(err);
	if (list->count == MXT_NODE_LIST_MAX)
		return wrong(reader, "it names more than 65536 nodes", err);
	if (strlen(owned) > MXT_NODE_NAME_MAX)
		return wrong(reader, "a name has more than 253 letters", err);
	list->names[list->count++] = mxt_steal_ptr(&owned);
	return 0;
}

/* `list` keeps its first names; the others move to *ret_tail. */
static int split(struct mxt_node_list *list, size_t first, struct mxt_node_list *ret_tail, struct mxt_error *err)
{
	size_t count = list->count - first;
	char **names = calloc(count + 1, sizeof *names);
	if (!names)
		return mxt_error_oom(err);
	for (size_t i = 0; i < count; i++)
		names[i] = list->names[first + i];
	list->count = first;
	*ret_tail = (struct mxt_node_list){names, count};
	return 0;
}

static char *with_text(const char *start, const char *text, size_t len)
{
	char *name = NULL;
	return asprintf(&name, "%s%.*s", start, (int)len, text) < 0 ? NULL : name;
}

static char *with_number(const char *start, uint64_t number, int width)
{
	char *name = NULL;
	return asprintf(&name, "%s%0*llu", start, width, (unsigned long long)number) < 0 ? NULL : name;
}

/* ---- parts of a word ---- */

/* Letters: every name since `first` goes on with them. */
static int read_letters(struct reader *reader, struct mxt_node_list *list, size_t first, struct mxt_error *err)
{
	size_t len = strspn(reader->at, LETTERS);
	for (size_t i = first; i < list->count; i++) {
		if (len > MXT_NODE_NAME_MAX || strlen(list->names[i]) + len > MXT_NODE_NAME_MAX)
			return wrong(reader, "a name has more than 253 letters", err);
		char *longer = with_text(list->names[i], reader->at, len);
		if (!longer)
			return mxt_error_oom(err);
		free(list->names[i]);
		list->names[i] = longer;
	}
	reader->at += len;
	return 0;
}

static int read_number(struct reader *reader, uint64_t *ret_number, int *ret_width, struct mxt_error *err)
{
	size_t width = strspn(reader->at, DIGITS);
	if (width == 0)
		return wrong(reader, "a number was expected", err);
	if (width > MAX_DIGITS)
		return wrong(reader, "a number has more than 9 digits", err);
	*ret_number = 0;
	for (size_t i = 0; i < width; i++)
		*ret_number = *ret_number * 10 + (uint64_t)(*reader->at++ - '0');
	*ret_width = (int)width;
	return 0;
}

static int read_range(struct reader *reader, struct range *ret_range, struct mxt_error *err)
{
	struct range range = {0};
	int width = 0;
	int rc = read_number(reader, &range.low, &range.width, err);
	range.high = range.low;
	if (rc == 0 && *reader->at == '-') {
		reader->at++;
		rc = read_number(reader, &range.high, &width, err);
	}
	if (rc == 0 && range.high < range.low)
		rc = wrong(reader, "a range ends before it begins", err);
	if (rc == 0)
		*ret_range = range;
	return rc;
}

static int add_range(const struct reader *reader, struct mxt_node_list *list, const char *start,
		     const struct range *range, struct mxt_error *err)
{
	int rc = 0;
	for (uint64_t number = range->low; rc == 0 && number <= range->high; number++)
		rc = add(reader, list, with_number(start, number, range->width), err);
	return rc;
}

/* The inside of a bracket, for one name: what it begins with is `start`. */
static int read_ranges(struct reader *reader, struct mxt_node_list *list, const char *start, struct mxt_error *err)
{
	struct range range = {0};
	int rc = 0;
	do {
		reader->at++; /* the bracket or the comma */
		rc = read_range(reader, &range, err);
		if (rc == 0)
			rc = add_range(reader, list, start, &range, err);
	} while (rc == 0 && *reader->at == ',');
	if (rc == 0 && *reader->at != ']')
		rc = wrong(reader, "',' or ']' was expected", err);
	return rc;
}

/* A bracket: every name since `first` becomes one for each of its numbers. */
static int read_bracket(struct reader *reader, struct mxt_node_list *list, size_t first, struct mxt_error *err)
{
	MXT_CLEANUP_NODE_LIST struct mxt_node_list starts = MXT_NODE_LIST_INIT;
	int rc = split(list, first, &starts, err);
	struct reader inside = *reader;
	for (size_t i = 0; rc == 0 && i < starts.count; i++) {
		inside = *reader;
		rc = read_ranges(&inside, list, starts.names[i], err);
	}
	if (rc == 0)
		reader->at = inside.at + 1;
	return rc;
}

/* ---- words ---- */

static bool is_start_of_name(char c)
{
	return c != '-' && (c == '[' || (c && strchr(LETTERS, c)));
}

static int read_word(struct reader *reader, struct mxt_node_list *list, struct mxt_error *err)
{
	size_t first = list->count, brackets = 0;
	if (!is_start_of_name(*reader->at))
		return wrong(reader, "a name was expected", err);
	int rc = add(reader, list, strdup(""), err);
	while (rc == 0 && *reader->at && *reader->at != ',') {
		if (*reader->at != '[' && !strchr(LETTERS, *reader->at))
			return wrong(reader, "no name of a host has such a letter", err);
		if (*reader->at == '[' && ++brackets > MAX_BRACKET)
			return wrong(reader, "a name has more than 8 brackets", err);
		rc = *reader->at == '[' ? read_bracket(reader, list, first, err)
					: read_letters(reader, list, first, err);
	}
	return rc;
}

int mxt_node_list_parse(const char *text, struct mxt_node_list *ret_list, struct mxt_error *err)
{
	MXT_CLEANUP_NODE_LIST struct mxt_node_list list = MXT_NODE_LIST_INIT;
	struct reader reader = {text, text};
	int rc = read_word(&reader, &list, err);
	while (rc == 0 && *reader.at == ',') {
		reader.at++;
		rc = read_word(&reader, &list, err);
	}
	if (rc < 0)
		return rc;
	*ret_list = list;
	list = (struct mxt_node_list)MXT_NODE_LIST_INIT;
	return 0;
}
