/* SPDX-License-Identifier: Apache-2.0 */
#undef MXT_STATIC_ANALYSIS /* its macros would get in the way of the definitions */
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct error_row {
	enum mxt_error_id id;
	enum mxt_error_class class;
	const char *meaning;
};

static const struct error_row error_rows[] = {
#define MXT_ERROR(name, number, class, meaning) {MXT_E_##name, MXT_CLASS_##class, meaning},
#include "errors.def"
#undef MXT_ERROR
};

static const struct error_row *row_of(enum mxt_error_id id)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(error_rows); i++)
		if (error_rows[i].id == id)
			return &error_rows[i];
	return &error_rows[0];
}

/* vasprintf() without its undefined output on failure: NULL when memory ran out. */
static char *format_text(const char *fmt, va_list args) MXT_PRINTF(1, 0);
static char *format_text(const char *fmt, va_list args)
{
	va_list again;
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		return NULL;
	char *text = malloc((size_t)len + 1);
	if (text)
		(void)vsnprintf(text, (size_t)len + 1, fmt, args);
	return text;
}

int mxt_error_set(struct mxt_error *err, int status, enum mxt_error_id id, const char *fmt, ...)
{
	if (!err)
		return status;
	va_list args;
	va_start(args, fmt);
	char *text = format_text(fmt, args); /* before the old text goes: it may be an argument */
	va_end(args);
	mxt_error_clear(err);
	err->status = status;
	err->id = id;
	err->text = text;
	return status;
}

int mxt_error_wrap(struct mxt_error *err, int status, const char *fmt, ...)
{
	if (!err)
		return status;
	va_list args;
	va_start(args, fmt);
	char *context = format_text(fmt, args);
	va_end(args);
	if (context)
		mxt_error_set(err, status, err->id, "%s: %s", context, mxt_error_text(err));
	free(context);
	return status;
}

int mxt_error_oom(struct mxt_error *err)
{
	if (err) {
		mxt_error_clear(err);
		err->status = -ENOMEM;
		err->id = MXT_E_NO_MEMORY;
	}
	return -ENOMEM;
}

int mxt_error_errno(struct mxt_error *err, int errnum, const char *fmt, ...)
{
	if (!err)
		return -errnum;
	if (errnum == ENOMEM)
		return mxt_error_oom(err);
	va_list args;
	va_start(args, fmt);
	char *what = format_text(fmt, args);
	va_end(args);
	mxt_error_set(err, -errnum, MXT_E_IO, "%s: %s", what ? what : "system call", strerror(errnum));
	free(what);
	return -errnum;
}

void mxt_error_move(struct mxt_error *to, struct mxt_error *from)
{
	if (to) {
		mxt_error_clear(to);
		*to = *from;
		*from = (struct mxt_error)MXT_ERROR_INIT;
	} else {
		mxt_error_clear(from);
	}
}

void mxt_error_clear(struct mxt_error *err)
{
	if (!err)
		return;
	free(err->text);
	*err = (struct mxt_error)MXT_ERROR_INIT;
}

const char *mxt_error_text(const struct mxt_error *err)
{
	return err->text ? err->text : mxt_error_meaning(err->id);
}

const char *mxt_error_id_text(enum mxt_error_id id, char buf[12])
{
	(void)snprintf(buf, 12, "MXT-%03d", (int)id);
	return buf;
}

enum mxt_error_class mxt_error_class_of(enum mxt_error_id id)
{
	return row_of(id)->class;
}

const char *mxt_error_meaning(enum mxt_error_id id)
{
	return row_of(id)->meaning;
}
