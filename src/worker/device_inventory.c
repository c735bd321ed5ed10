/* SPDX-License-Identifier: Apache-2.0 */
#include "device_inventory.h"

#include <errno.h>

#include "error.h"
#include "json.h"
#include "sysroot.h"
#include "worker.h"

static int ask(const struct mxt_survey_request *request, const char *surveyor, struct mxt_worker *worker,
	       json_t **ret_facts, struct mxt_error *err)
{
	enum mxt_outcome outcome = MXT_FAILED;
	int rc = mxt_worker_ready(worker, request->deadline_ns, &outcome, err);
	if (rc < 0)
		return rc;
	if (outcome == MXT_TIMEOUT)
		return mxt_error_set(err, -ETIME, MXT_E_BUDGET, "no time left to ask %s what is here", surveyor);
	if (outcome != MXT_OK)
		return mxt_error_set(err, outcome == MXT_UNSUPPORTED ? -ENODEV : -EIO, MXT_E_NO_DEVICE, "%s: %s",
				     surveyor, mxt_worker_reason(worker));
	*ret_facts = json_deep_copy(mxt_worker_facts(worker));
	return *ret_facts ? 0 : mxt_error_oom(err);
}

int mxt_device_survey(const struct mxt_survey_request *request, const char *surveyor, json_t **ret_facts,
		      struct mxt_error *err)
{
	const struct mxt_worker_spec spec = {.label = "survey",
					     .device = surveyor,
					     .target = request->target,
					     .environment = request->environment,
					     .clock = request->clock,
					     .cancel_fd = request->cancel_fd,
					     .program = request->program};
	struct mxt_worker *worker = NULL;
	MXT_CLEANUP_JSON json_t *facts = NULL;
	int rc = mxt_worker_start(&spec, &worker, err);
	if (rc < 0)
		return rc;
	rc = ask(request, surveyor, worker, &facts, err);
	int ended = mxt_worker_destroy(worker, rc < 0 ? NULL : err);
	rc = rc < 0 ? rc : ended;
	if (rc == 0)
		*ret_facts = json_incref(facts);
	return rc;
}

int mxt_device_inventory(const struct mxt_survey_request *request, struct mxt_inventory *ret_inventory,
			 struct mxt_error *err)
{
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	const struct mxt_device_ops *ops = request->ops;
	MXT_CLEANUP_JSON json_t *facts = NULL;
	int rc = ops->surveyor ? mxt_device_survey(request, ops->surveyor, &facts, err) : 0;
	return rc < 0 ? rc : ops->inventory(&live, &request->target, facts, ret_inventory, err);
}
