/* SPDX-License-Identifier: Apache-2.0 */
#include "check_result.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "clean_text.h"
#include "error.h"
#include "json.h"

#define MAX_TEXT     2048                       /* bytes of one text: nothing honest is longer */
#define MAX_JSON_INT UINT64_C(9007199254740991) /* the largest integer that plans and events may hold */

const char *mxt_check_status_name(enum mxt_check_status status)
{
	static const char *const names[MXT_CHECK_STATUS_COUNT] = {"ok", "note", "warn", "fail"};
	return names[status];
}

void mxt_check_result_init(struct mxt_check_result *result, const char *id, const char *title)
{
	*result =
	    (struct mxt_check_result){.id = id, .title = title, .facts = json_object(), .not_reported = json_array()};
	result->failed = !result->facts || !result->not_reported;
}

void mxt_check_result_finish(struct mxt_check_result *result)
{
	for (size_t i = 0; i < result->n_findings; i++) {
		free(result->findings[i].what);
		free(result->findings[i].wrong);
		free(result->findings[i].todo);
	}
	free(result->findings);
	json_decref(result->facts);
	json_decref(result->not_reported);
	*result = (struct mxt_check_result){.id = NULL};
}

int mxt_check_result_status(const struct mxt_check_result *result, struct mxt_error *err)
{
	return result->failed ? mxt_error_oom(err) : 0;
}

enum mxt_check_status mxt_check_result_worst(const struct mxt_check_result *result)
{
	enum mxt_check_status worst = MXT_CHECK_OK;
	for (size_t i = 0; i < result->n_findings; i++)
		if (result->findings[i].status > worst)
			worst = result->findings[i].status;
	return worst;
}

static void not_reported(struct mxt_check_result *result, const char *key)
{
	if (json_array_append_new(result->not_reported, json_string(key)) < 0)
		result->failed = true;
}

void mxt_fact_json(struct mxt_check_result *result, const char *key, json_t *value)
{
	if (json_object_set_new(result->facts, key, value) < 0)
		result->failed = true;
}

void mxt_fact_library(struct mxt_check_result *result, const struct mxt_fact_part *parts, size_t n_parts)
{
	MXT_CLEANUP_JSON json_t *row = json_object();
	int rc = row ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < n_parts; i++)
		if (parts[i].text && parts[i].text[0])
			rc = json_object_set_new(row, parts[i].key, mxt_json_clean_text(parts[i].text, PATH_MAX));
	if (rc < 0 || json_array_append(json_object_get(result->facts, "libraries"), row) < 0)
		result->failed = true;
}

/* A number that JSON readers cannot hold exactly is as good as none. */
void mxt_fact_number(struct mxt_check_result *result, const char *key, struct mxt_reading value)
{
	if (value.reported && value.value <= MAX_JSON_INT)
		mxt_fact_json(result, key, json_integer((json_int_t)value.value));
	else
		not_reported(result, key);
}

void mxt_fact_flag(struct mxt_check_result *result, const char *key, struct mxt_reading value)
{
	if (value.reported)
		mxt_fact_json(result, key, json_boolean(value.value != 0));
	else
		not_reported(result, key);
}

/*
 * One line of valid UTF-8 without control characters, cut when very long; NULL when memory ran out. The caller frees.
 */
static char *printable(const char *text)
{
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT;
	size_t len = strnlen(text, MAX_TEXT + 1);
	mxt_clean_text(&clean, text, len < MAX_TEXT ? len : MAX_TEXT);
	if (len > MAX_TEXT)
		mxt_buf_puts(&clean, "...");
	for (size_t i = 0; i < clean.len; i++)
		if (clean.data[i] == '\n')
			clean.data[i] = ' ';
	return mxt_buf_steal(&clean);
}

void mxt_fact_text(struct mxt_check_result *result, const char *key, const char *text)
{
	if (!text || !*text) {
		not_reported(result, key);
		return;
	}
	char *clean = printable(text);
	mxt_fact_json(result, key, clean ? json_string(clean) : NULL);
	free(clean);
}

/* As printable(). */
static char *format(const char *fmt, va_list args) MXT_PRINTF(1, 0);
static char *format(const char *fmt, va_list args)
{
	char *text = NULL;
	if (vasprintf(&text, fmt, args) < 0)
		return NULL;
	char *clean = printable(text);
	free(text);
	return clean;
}

static struct mxt_check_finding *push(struct mxt_check_result *result)
{
	struct mxt_check_finding *findings =
	    mxt_array_reserve(result->findings, result->n_findings, &result->capacity, sizeof *findings);
	if (!findings)
		return NULL;
	result->findings = findings;
	struct mxt_check_finding *finding = &findings[result->n_findings++];
	*finding = (struct mxt_check_finding){MXT_CHECK_OK, NULL, NULL, NULL};
	return finding;
}

void mxt_find(struct mxt_check_result *result, enum mxt_check_status status, const char *fmt, ...)
{
	struct mxt_check_finding *finding = result->failed ? NULL : push(result);
	if (!finding) {
		result->failed = true;
		return;
	}
	va_list args;
	va_start(args, fmt);
	finding->status = status;
	finding->what = format(fmt, args);
	va_end(args);
	result->failed = !finding->what;
}

/* Replaces one of the texts of the last finding. */
static void complete(struct mxt_check_result *result, char **slot, const char *fmt, va_list args) MXT_PRINTF(3, 0);
static void complete(struct mxt_check_result *result, char **slot, const char *fmt, va_list args)
{
	free(*slot);
	*slot = format(fmt, args);
	if (!*slot)
		result->failed = true;
}

void mxt_wrong(struct mxt_check_result *result, const char *fmt, ...)
{
	if (result->failed || result->n_findings == 0)
		return;
	va_list args;
	va_start(args, fmt);
	complete(result, &result->findings[result->n_findings - 1].wrong, fmt, args);
	va_end(args);
}

void mxt_todo(struct mxt_check_result *result, const char *fmt, ...)
{
	if (result->failed || result->n_findings == 0)
		return;
	va_list args;
	va_start(args, fmt);
	complete(result, &result->findings[result->n_findings - 1].todo, fmt, args);
	va_end(args);
}
