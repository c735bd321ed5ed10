/* SPDX-License-Identifier: Apache-2.0 */
#include "nvidia_answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

static const struct {
	const char *status;
	enum mxt_nvidia_state state;
} states[] = {
    {MXT_NVIDIA_STATUS_ABSENT, MXT_NVIDIA_ABSENT},
    {MXT_NVIDIA_STATUS_FAILED, MXT_NVIDIA_FAILED},
    {MXT_NVIDIA_STATUS_LATE, MXT_NVIDIA_LATE},
};

static void set_reason(struct mxt_nvidia_answer *answer, const char *reason)
{
	(void)snprintf(answer->reason, sizeof answer->reason, "%s", reason);
}

/* Devices are parsed here once, so that whoever walks over them meets no error. */
static int parse_devices(const json_t *facts, struct mxt_nvidia_driver *driver, struct mxt_error *err)
{
	struct mxt_nvidia_gpu gpu;
	int rc = mxt_nvidia_driver_parse(facts, driver, err);
	for (size_t i = 0; rc == 0 && i < driver->n_devices; i++)
		rc = mxt_nvidia_gpu_parse(facts, i, &gpu, err);
	return rc;
}

void mxt_nvidia_answer_parse(const json_t *answer, struct mxt_nvidia_answer *ret_answer)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_nvidia_answer out = {.state = answer ? MXT_NVIDIA_TOLD : MXT_NVIDIA_NOT_ASKED, .facts = answer};
	const char *status = json_string_value(json_object_get(answer, "status"));
	const char *reason = json_string_value(json_object_get(answer, "reason"));
	for (size_t i = 0; status && reason && i < MXT_ARRAY_LEN(states); i++)
		if (strcmp(states[i].status, status) == 0) {
			out.state = states[i].state;
			set_reason(&out, reason);
		}
	if (out.state == MXT_NVIDIA_TOLD && parse_devices(answer, &out.driver, &err) < 0) {
		out.state = MXT_NVIDIA_UNREADABLE;
		out.driver = (struct mxt_nvidia_driver){.n_devices = 0};
		set_reason(&out, mxt_error_text(&err));
	}
	*ret_answer = out;
}

const char *mxt_nvidia_answer_cuda(const struct mxt_nvidia_answer *answer, char text[MXT_CUDA_TEXT])
{
	uint64_t version = answer->driver.cuda.value;
	text[0] = '\0';
	if (answer->state == MXT_NVIDIA_TOLD && answer->driver.cuda.reported)
		(void)snprintf(text, MXT_CUDA_TEXT, "%" PRIu64 ".%" PRIu64, version / 1000, version % 1000 / 10);
	return text;
}
