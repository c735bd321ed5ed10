/* SPDX-License-Identifier: Apache-2.0 */
#include "buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

void mxt_buf_finish(struct mxt_buf *buf)
{
	free(buf->data);
	*buf = (struct mxt_buf)MXT_BUF_INIT;
}

/* Makes room for `more` bytes and the NUL. */
static bool reserve(struct mxt_buf *buf, size_t more)
{
	if (buf->failed || more > SIZE_MAX / 4 - buf->len) {
		buf->failed = true;
		return false;
	}
	size_t need = buf->len + more + 1;
	if (need <= buf->capacity)
		return true;
	size_t capacity = buf->capacity ? buf->capacity : 64;
	while (capacity < need)
		capacity *= 2;
	char *data = realloc(buf->data, capacity);
	if (!data) {
		buf->failed = true;
		return false;
	}
	buf->data = data;
	buf->capacity = capacity;
	return true;
}

void mxt_buf_append(struct mxt_buf *buf, const void *bytes, size_t len)
{
	if (!reserve(buf, len))
		return;
	if (len)
		memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void mxt_buf_puts(struct mxt_buf *buf, const char *text)
{
	mxt_buf_append(buf, text, strlen(text));
}

void mxt_buf_putc(struct mxt_buf *buf, char c)
{
	mxt_buf_append(buf, &c, 1);
}

void mxt_buf_printf(struct mxt_buf *buf, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	va_list again;
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		buf->failed = true;
	else if (reserve(buf, (size_t)len))
		buf->len += (size_t)vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, args);
	va_end(args);
}

void mxt_buf_truncate(struct mxt_buf *buf, size_t len)
{
	if (len >= buf->len)
		return;
	buf->len = len;
	buf->data[len] = '\0';
}

const char *mxt_buf_text(const struct mxt_buf *buf)
{
	return buf->data ? buf->data : "";
}

int mxt_buf_status(const struct mxt_buf *buf, struct mxt_error *err)
{
	return buf->failed ? mxt_error_oom(err) : 0;
}

char *mxt_buf_steal(struct mxt_buf *buf)
{
	if (!buf->failed)
		mxt_buf_append(buf, "", 0); /* an empty buffer still yields a string */
	char *data = buf->failed ? NULL : buf->data;
	if (data)
		*buf = (struct mxt_buf)MXT_BUF_INIT;
	return data;
}
