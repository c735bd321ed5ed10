/* SPDX-License-Identifier: Apache-2.0 */
#include "nvidia_ask.h"

#include <errno.h>

#include "buf.h"
#include "clock.h"
#include "device_inventory.h"
#include "error.h"
#include "json.h"
#include "nvidia_answer.h"
#include "sysroot.h"

#define RECORD   "/nvidia.json"
#define LIMIT_NS UINT64_C(5000000000)

static int no_facts(const char *status, const char *reason, json_t **ret_answer, struct mxt_error *err)
{
	json_t *answer = json_pack("{s:s, s:o}", "status", status, "reason", mxt_json_clean_text(reason, 500));
	if (!answer)
		return mxt_error_oom(err);
	*ret_answer = answer;
	return 0;
}

int mxt_nvidia_ask(char *const *environment, json_t **ret_answer, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	const struct mxt_survey_request request = {.environment = environment,
						   .clock = &mxt_clock_monotonic,
						   .deadline_ns = mxt_now_ns(&mxt_clock_monotonic) + LIMIT_NS,
						   .cancel_fd = -1};
	int rc = mxt_device_survey(&request, "nvml", ret_answer, &cause);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc == -ENODEV)
		return no_facts(MXT_NVIDIA_STATUS_ABSENT, mxt_error_text(&cause), ret_answer, err);
	if (rc == -ETIME)
		return no_facts(MXT_NVIDIA_STATUS_LATE, mxt_error_text(&cause), ret_answer, err);
	return rc < 0 ? no_facts(MXT_NVIDIA_STATUS_FAILED, mxt_error_text(&cause), ret_answer, err) : 0;
}

int mxt_nvidia_recall(const struct mxt_sysroot *root, json_t **ret_answer, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	json_t *answer = NULL;
	if (mxt_sysroot_exists(root, RECORD)) {
		int rc = mxt_sysroot_read(root, RECORD, MXT_JSON_MAX_BYTES, &text, err);
		if (rc == 0)
			rc = mxt_json_parse(RECORD, mxt_buf_text(&text), text.len, MXT_JSON_CANONICAL, &answer, err);
		if (rc < 0)
			return rc;
	}
	*ret_answer = answer;
	return 0;
}
