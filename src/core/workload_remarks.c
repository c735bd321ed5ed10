/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "workload_build.h"

static int add_sentence(char **list, size_t *count, char *sentence)
{
	for (size_t i = 0; i < *count; i++) {
		if (strcmp(list[i], sentence) != 0)
			continue;
		free(sentence);
		return 0;
	}
	if (*count < MXT_NOT_MODELLED_MAX - 1) {
		list[(*count)++] = sentence;
		return 0;
	}
	free(sentence);
	if (*count == MXT_NOT_MODELLED_MAX)
		return 0;
	list[*count] = strdup("and more, which this list has no room for");
	return list[*count] ? (++*count, 0) : -1;
}

static char *format_sentence(const char *fmt, va_list args) MXT_PRINTF(1, 0);
static char *format_sentence(const char *fmt, va_list args)
{
	va_list again;
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	char *text = len < 0 ? NULL : malloc((size_t)len + 1);
	if (text)
		(void)vsnprintf(text, (size_t)len + 1, fmt, args);
	return text;
}

int mxt_workload_note(struct mxt_workload *workload, struct mxt_error *err, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	char *text = format_sentence(fmt, args);
	va_end(args);
	if (!text || add_sentence(workload->notes, &workload->n_notes, text) < 0)
		return mxt_error_oom(err);
	return 0;
}

int mxt_workload_exclude(struct mxt_workload *workload, uint32_t parts, struct mxt_error *err, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	char *text = format_sentence(fmt, args);
	va_end(args);
	if (!text || add_sentence(workload->not_modelled, &workload->n_not_modelled, text) < 0)
		return mxt_error_oom(err);
	workload->excluded |= parts;
	return 0;
}
