/* SPDX-License-Identifier: Apache-2.0 */
#include "b3_list.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "cleanup.h"
#include "error.h"

#define HEX_LEN    (MXT_HASH_HEX_SIZE - 1)
#define PREFIX_LEN (HEX_LEN + 2) /* and two blanks */

static void put_escaped(const char *path, mxt_b3_put put, void *sink)
{
	for (size_t len = strcspn(path, "\\"); path[len]; len = strcspn(path, "\\")) {
		put(sink, path, len + 1);
		put(sink, "\\", 1);
		path += len + 1;
	}
	put(sink, path, strlen(path));
}

void mxt_b3_line(const uint8_t hash[MXT_HASH_SIZE], const char *path, mxt_b3_put put, void *sink)
{
	char hex[MXT_HASH_HEX_SIZE];
	mxt_hash_to_hex(hash, hex);
	if (strchr(path, '\\'))
		put(sink, "\\", 1);
	put(sink, hex, HEX_LEN);
	put(sink, "  ", 2);
	put_escaped(path, put, sink);
	put(sink, "\n", 1);
}

bool mxt_b3_can_name(const char *path)
{
	static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
	size_t len = strlen(path);
	return len < PATH_MAX && strcmp(path, "-") != 0 && !strchr(path, '\r') && !strstr(path, replacement) &&
	       mxt_is_utf8(path, len);
}

static void put_in_buf(void *sink, const void *bytes, size_t len)
{
	mxt_buf_append(sink, bytes, len);
}

void mxt_b3_list_text(const struct mxt_file_list *list, struct mxt_buf *buf, size_t *ret_left_out)
{
	size_t left_out = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct mxt_file_entry *entry = &list->entries[i];
		if (entry->kind != MXT_ENTRY_FILE)
			continue;
		if (mxt_b3_can_name(entry->path))
			mxt_b3_line(entry->hash, entry->path, put_in_buf, buf);
		else
			left_out++;
	}
	*ret_left_out = left_out;
}

/* In place, only ever shorter. False: a backslash that stands for nothing that b3sum writes. */
static bool unescape(char *path)
{
	static const char escapes[] = "\\nr", meanings[] = "\\\n\r";
	char *to = path;
	for (const char *from = path; *from; from++) {
		char c = *from;
		if (c == '\\') {
			const char *escape = from[1] ? strchr(escapes, from[1]) : NULL;
			if (!escape)
				return false;
			c = meanings[escape - escapes];
			from++;
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}

struct line {
	const char *text;
	size_t len;
	bool escaped;
};

/* Why a line is not as b3sum writes it; NULL: it is. */
static const char *line_hash(const struct line *line, uint8_t ret_hash[MXT_HASH_SIZE])
{
	char hex[MXT_HASH_HEX_SIZE] = "";
	if (line->len == 0)
		return "the line is empty";
	if (memchr(line->text, '\0', line->len))
		return "the line holds a NUL";
	if (line->len <= PREFIX_LEN || memcmp(line->text + HEX_LEN, "  ", 2) != 0)
		return "the line is not a hash of 64 digits, two blanks and a path, as b3sum writes it";
	memcpy(hex, line->text, HEX_LEN);
	return mxt_hash_from_hex(hex, ret_hash) ? NULL : "the hash is not 64 lower-case hexadecimal digits";
}

static const char *line_path(const struct line *line, char *path)
{
	if (line->escaped && !unescape(path))
		return "a backslash stands before something else than a backslash, \"n\" or \"r\"";
	return mxt_is_utf8(path, strlen(path)) ? NULL : "the path is no UTF-8";
}

static int read_line(const struct line *line, struct mxt_file_list *list, struct mxt_error *err)
{
	struct mxt_file_entry entry = {.kind = MXT_ENTRY_FILE, .size = -1};
	const char *fault = line_hash(line, entry.hash);
	if (fault)
		return mxt_error_set(err, -EINVAL, MXT_E_LIST_FORM, "%s", fault);
	MXT_CLEANUP_FREE char *path = strndup(line->text + PREFIX_LEN, line->len - PREFIX_LEN);
	if (!path)
		return mxt_error_oom(err);
	fault = line_path(line, path);
	if (fault)
		return mxt_error_set(err, -EINVAL, MXT_E_LIST_FORM, "%s", fault);
	fault = mxt_entry_path_fault(path, strlen(path));
	if (fault)
		return mxt_error_set(err, -EINVAL, MXT_E_LIST_PATH, "the path may not be in a list: %s", fault);
	entry.path = mxt_steal_ptr(&path);
	return mxt_file_list_add(list, &entry, err);
}

static int read_lines(const char *name, const char *text, size_t len, struct mxt_file_list *list, struct mxt_error *err)
{
	const char *end = text + len;
	size_t number = 0;
	for (const char *at = text, *next; at < end; at = next) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		next = stop < end ? stop + 1 : end;
		bool escaped = *at == '\\';
		const struct line line = {at + escaped, (size_t)(stop - at) - escaped, escaped};
		number++;
		int rc = read_line(&line, list, err);
		if (rc < 0)
			return mxt_error_wrap(err, rc, "%s:%zu", name, number);
	}
	if (number == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_LIST_FORM, "%s: it lists no file; make it anew", name);
	int rc = mxt_file_list_sort(list, err);
	return rc < 0 ? mxt_error_wrap(err, rc, "%s", name) : 0;
}

int mxt_b3_list_read(const char *name, const char *text, size_t len, struct mxt_file_list *ret_list,
		     struct mxt_error *err)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	int rc = read_lines(name, text, len, &list, err);
	if (rc < 0)
		return rc;
	*ret_list = list;
	list = (struct mxt_file_list)MXT_FILE_LIST_INIT;
	return 0;
}
