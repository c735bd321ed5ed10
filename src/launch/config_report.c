/* SPDX-License-Identifier: Apache-2.0 */
#include "config_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "printable.h"
#include "report_text.h"

/* Axolotl requires it, so that its report always has it; other programs log a "config:", too. */
#define OWN_KEY "base_model"

#define N_STREAMS 2

struct mxt_config_report {
	const json_t *expected; /* borrowed */
	enum mxt_config_state state;
	struct mxt_report_text streams[N_STREAMS];
	const char *key;  /* of `expected`: the one that differs */
	json_t *reported; /* owned: its value; NULL: it is absent */
};

int mxt_config_report_create(const json_t *expected, struct mxt_config_report **ret_report, struct mxt_error *err)
{
	struct mxt_config_report *report = calloc(1, sizeof *report);
	if (!report)
		return mxt_error_oom(err);
	report->expected = expected;
	report->state = MXT_CONFIG_AWAITED;
	*ret_report = report;
	return 0;
}

static void forget_text(struct mxt_config_report *report)
{
	for (size_t i = 0; i < N_STREAMS; i++)
		mxt_report_text_finish(&report->streams[i]);
}

void mxt_config_report_destroy(struct mxt_config_report *report)
{
	if (!report)
		return;
	forget_text(report);
	json_decref(report->reported);
	free(report);
}

/* Numbers are equal as numbers: 2 is 2.0. */
static bool is_equal(const json_t *planned, const json_t *reported)
{
	if (json_is_null(planned))
		return !reported || json_is_null(reported) || json_is_false(reported);
	if (json_is_number(planned) && json_is_number(reported))
		return !(fabs(json_number_value(planned) - json_number_value(reported)) > 0);
	return json_equal(planned, reported) != 0;
}

static enum mxt_config_state compare(struct mxt_config_report *report, const json_t *object)
{
	const char *key = NULL;
	json_t *planned = NULL;
	/* jansson iterates over mutable objects only; nothing is changed. */
	json_object_foreach((json_t *)report->expected, key, planned)
	{
		json_t *reported = json_object_get(object, key);
		if (is_equal(planned, reported))
			continue;
		report->key = key;
		report->reported = json_incref(reported);
		return MXT_CONFIG_DIFFERS;
	}
	return MXT_CONFIG_CONFIRMED;
}

static enum mxt_config_state judge(struct mxt_config_report *report, const struct mxt_buf *body)
{
	MXT_CLEANUP_JSON json_t *object = NULL;
	if (mxt_json_parse("config", mxt_buf_text(body), body->len, MXT_JSON_FOREIGN, &object, NULL) < 0 ||
	    !json_is_object(object))
		return MXT_CONFIG_UNREADABLE;
	return json_object_get(object, OWN_KEY) ? compare(report, object) : MXT_CONFIG_AWAITED;
}

enum mxt_config_state mxt_config_report_take(struct mxt_config_report *report, int stream, const char *bytes,
					     size_t len)
{
	struct mxt_report_text *text = &report->streams[stream == 1];
	while (len > 0 && report->state == MXT_CONFIG_AWAITED) {
		enum mxt_report_found found = mxt_report_text_take(text, &bytes, &len);
		if (found == MXT_REPORT_BROKEN)
			report->state = MXT_CONFIG_UNREADABLE;
		if (found == MXT_REPORT_OBJECT)
			report->state = judge(report, &text->body);
		if (found == MXT_REPORT_OBJECT)
			mxt_report_text_drop(text);
	}
	if (report->state != MXT_CONFIG_AWAITED)
		forget_text(report);
	return report->state;
}

enum mxt_config_state mxt_config_report_state(const struct mxt_config_report *report)
{
	return report->state;
}

static const char *show(const json_t *value, const char *absent, char shown[MXT_PRINTABLE_SIZE])
{
	if (!value || json_is_null(value))
		return absent;
	MXT_CLEANUP_FREE char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
	return mxt_printable(text ? text : "", shown);
}

int mxt_config_report_error(const struct mxt_config_report *report, struct mxt_error *err)
{
	char planned[MXT_PRINTABLE_SIZE], reported[MXT_PRINTABLE_SIZE];
	if (report->state != MXT_CONFIG_DIFFERS)
		return 0;
	return mxt_error_set(
	    err, -EPROTO, MXT_E_LAUNCH_READBACK,
	    "the plan needs %s: %s, but Axolotl reports %s: %s after reading its config; its version "
	    "may not know the key, or an argument or a plugin has changed it. --no-readback trains all "
	    "the same",
	    report->key, show(json_object_get(report->expected, report->key), "absent or false", planned), report->key,
	    show(report->reported, "absent", reported));
}
