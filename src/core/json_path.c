/* SPDX-License-Identifier: Apache-2.0 */
#include "json_path.h"

#include <stdbool.h>
#include <string.h>

#include "error.h"

#define MAX_KEY_SHOWN 80

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool is_plain_key(const char *key)
{
	size_t len = 0;
	while (is_plain(key[len]))
		len++;
	return len > 0 && len <= MAX_KEY_SHOWN && key[len] == '\0';
}

static void append_quoted_key(const char *key, struct mxt_buf *buf)
{
	mxt_buf_puts(buf, "[\"");
	size_t i = 0;
	for (; i < MAX_KEY_SHOWN && key[i]; i++) {
		unsigned char c = (unsigned char)key[i];
		if (c < 0x20 || c > 0x7e)
			mxt_buf_printf(buf, "\\x%02x", c);
		else if (c == '"' || c == '\\')
			mxt_buf_printf(buf, "\\%c", c);
		else
			mxt_buf_putc(buf, key[i]);
	}
	mxt_buf_puts(buf, key[i] ? "...\"]" : "\"]");
}

static void append_frames(const struct mxt_json_path *path, struct mxt_buf *buf)
{
	if (!path->parent)
		return;
	append_frames(path->parent, buf);
	if (!path->key)
		mxt_buf_printf(buf, "[%zu]", path->index);
	else if (!is_plain_key(path->key))
		append_quoted_key(path->key, buf);
	else
		mxt_buf_printf(buf, "%s%s", path->parent->parent ? "." : "", path->key);
}

void mxt_json_path_text(const struct mxt_json_path *path, struct mxt_buf *buf)
{
	if (path->parent)
		append_frames(path, buf);
	else
		mxt_buf_puts(buf, "the top level");
}

int mxt_json_at(const struct mxt_json_path *path, int status, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_json_path_text(path, &buf);
	return mxt_error_wrap(err, status, "%s", mxt_buf_text(&buf));
}
