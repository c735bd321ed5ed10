/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing byte buffer that is always NUL-terminated once anything was appended. Appending never fails in place:
 * memory exhaustion sets `failed`, later appends do nothing, and mxt_buf_status() reports it once at the end.
 */
#ifndef MXT_BASE_BUF_H
#define MXT_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_error;

struct mxt_buf {
	char *data; /* owned, NUL-terminated; NULL while empty */
	size_t len; /* bytes, without the NUL */
	size_t capacity;
	bool failed;
};

#define MXT_BUF_INIT                                                                                                   \
	{                                                                                                              \
		NULL, 0, 0, false                                                                                      \
	}
#define MXT_CLEANUP_BUF MXT_CLEANUP(mxt_buf_finish)

void mxt_buf_finish(struct mxt_buf *buf);
void mxt_buf_append(struct mxt_buf *buf, const void *bytes, size_t len);
void mxt_buf_puts(struct mxt_buf *buf, const char *text);
void mxt_buf_putc(struct mxt_buf *buf, char c);
void mxt_buf_printf(struct mxt_buf *buf, const char *fmt, ...) MXT_PRINTF(2, 3);
void mxt_buf_truncate(struct mxt_buf *buf, size_t len);

/* The text, never NULL. */
const char *mxt_buf_text(const struct mxt_buf *buf);

/* 0, or -ENOMEM with *err filled when any append failed. */
int mxt_buf_status(const struct mxt_buf *buf, struct mxt_error *err);

/* Hands the bytes to the caller (free()); NULL when an append failed. The buffer is empty afterwards. */
char *mxt_buf_steal(struct mxt_buf *buf);

#endif
