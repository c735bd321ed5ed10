/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor_json.h"

#include <jansson.h>

#include "compiler.h"
#include "doctor.h"
#include "error.h"
#include "json.h"

static json_t *finding_json(const struct mxt_check_finding *finding)
{
	json_t *object =
	    json_pack("{s:s, s:s}", "status", mxt_check_status_name(finding->status), "what", finding->what);
	int rc = object ? 0 : -1;
	if (rc == 0 && finding->wrong)
		rc = json_object_set_new(object, "wrong", json_string(finding->wrong));
	if (rc == 0 && finding->todo)
		rc = json_object_set_new(object, "todo", json_string(finding->todo));
	if (rc == 0)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *check_json(const struct mxt_check_result *check)
{
	MXT_CLEANUP_JSON json_t *findings = json_array();
	for (size_t i = 0; i < check->n_findings; i++)
		if (json_array_append_new(findings, finding_json(&check->findings[i])) < 0)
			return NULL;
	return json_pack("{s:s, s:s, s:O, s:O, s:O}", "id", check->id, "status",
			 mxt_check_status_name(mxt_check_result_worst(check)), "facts", check->facts, "not_reported",
			 check->not_reported, "findings", findings);
}

static enum mxt_check_status worst_of(const struct mxt_doctor_report *report)
{
	enum mxt_check_status worst = MXT_CHECK_OK;
	for (size_t i = 0; i < report->n_checks; i++) {
		enum mxt_check_status status = mxt_check_result_worst(&report->checks[i]);
		worst = status > worst ? status : worst;
	}
	return worst;
}

int mxt_doctor_json(const struct mxt_doctor_report *report, bool recorded, struct mxt_buf *buf, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *checks = json_array();
	for (size_t i = 0; i < report->n_checks; i++)
		if (json_array_append_new(checks, check_json(&report->checks[i])) < 0)
			return mxt_error_oom(err);
	MXT_CLEANUP_JSON json_t *event =
	    json_pack("{s:s, s:i, s:s, s:b, s:O}", "event", "doctor", "v", 1, "status",
		      mxt_check_status_name(worst_of(report)), "recorded", (int)recorded, "checks", checks);
	return event ? mxt_json_canonical(event, buf, err) : mxt_error_oom(err);
}
