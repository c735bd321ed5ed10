/* SPDX-License-Identifier: Apache-2.0 */
#include "env_policy.h"

#include <string.h>

#include "env_changes.h"
#include "env_launchers.h"
#include "env_remarks.h"
#include "environ.h"
#include "environment.h"
#include "error.h"
#include "job_tuning.h"
#include "plan.h"
#include "plan_handoff.h"
#include "remarks.h"

void mxt_env_outcome_finish(struct mxt_env_outcome *outcome)
{
	mxt_environment_destroy(outcome->environment);
	json_decref(outcome->changes);
	*outcome = (struct mxt_env_outcome)MXT_ENV_OUTCOME_INIT;
}

static int add_plan(const struct mxt_env_request *request, struct mxt_env_changes *changes, struct mxt_error *err)
{
	const struct mxt_plan *plan = request->plan;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < mxt_plan_env_count(plan); i++) {
		MXT_CLEANUP_BUF struct mxt_buf value = MXT_BUF_INIT;
		mxt_handoff_resolve(mxt_plan_env_value(plan, i), request->handoffs, &value);
		rc = mxt_buf_status(&value, err);
		if (rc == 0)
			rc = mxt_env_changes_add(changes, mxt_plan_env_name(plan, i), mxt_buf_text(&value),
						 MXT_ENV_BY_PLAN, err);
	}
	for (size_t i = 0; rc == 0 && i < mxt_plan_unset_count(plan); i++)
		rc = mxt_env_changes_add(changes, mxt_plan_unset_name(plan, i), NULL, MXT_ENV_BY_PLAN, err);
	return rc;
}

static int add_launch(const struct mxt_env_request *request, struct mxt_env_changes *changes, struct mxt_error *err)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)request->launch, name, value) /* jansson's iterators take no const */
	{
		int rc = mxt_env_changes_add(changes, name, json_string_value(value), MXT_ENV_BY_LAUNCH, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* What torch.compile times unasked. What the caller has set is the caller's, and is looked at afterwards. */
static int add_policy(const struct mxt_env_request *request, struct mxt_env_changes *changes, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && request->compiles && i < mxt_job_tuning_count(); i++) {
		const struct mxt_job_tuning *row = mxt_job_tuning_at(i);
		if (row->off[0] && !mxt_environ_get(request->caller, row->name))
			rc = mxt_env_changes_add(changes, row->name, row->off, MXT_ENV_BY_POLICY, err);
	}
	return rc;
}

/* The plan first, so that nobody takes from it what it wants. */
static int gather(const struct mxt_env_request *request, struct mxt_env_changes *changes, struct mxt_remarks *remarks,
		  struct mxt_error *err)
{
	int rc = add_plan(request, changes, err);
	if (rc == 0)
		rc = add_launch(request, changes, err);
	if (rc == 0)
		rc = add_policy(request, changes, err);
	if (rc == 0)
		rc = mxt_env_set_axolotl(request, changes, remarks, err);
	if (rc == 0)
		rc = mxt_env_remove_foreign(request, changes, remarks, err);
	return rc < 0 ? rc : mxt_env_remove_twins(request, changes, remarks, err);
}

int mxt_env_policy(const struct mxt_env_request *request, struct mxt_remarks *remarks,
		   struct mxt_env_outcome *ret_outcome, struct mxt_error *err)
{
	MXT_CLEANUP_ENV_CHANGES struct mxt_env_changes changes = MXT_ENV_CHANGES_INIT;
	MXT_CLEANUP_ENV_OUTCOME struct mxt_env_outcome outcome = MXT_ENV_OUTCOME_INIT;
	int rc = gather(request, &changes, remarks, err);
	if (rc == 0)
		rc = mxt_env_changes_apply(&changes, request->caller, &outcome.environment, err);
	if (rc == 0)
		rc = mxt_env_changes_json(&changes, request->caller, &outcome.changes, err);
	if (rc < 0)
		return rc;
	mxt_env_remarks(request, &changes, outcome.environment, remarks);
	*ret_outcome = outcome;
	outcome = (struct mxt_env_outcome)MXT_ENV_OUTCOME_INIT;
	return 0;
}
