/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_diff.h"
#include "plan_fit.h"
#include "remarks.h"
#include "workload_check.h"

static const json_t *training_of(const struct mxt_plan *plan)
{
	return json_object_get(json_object_get(mxt_plan_decision(plan), "workload"), "training");
}

/* ---- what it may be used for ---- */

/* A command that trains nothing may well want the settings of OpenBLAS or BLIS. */
static enum mxt_allowance allowance_of_use(const struct mxt_plan_check_request *request)
{
	return request->use == MXT_PLAN_RUN ? MXT_ALLOW_MISMATCH : MXT_ALLOW_NOTHING;
}

/* False: nothing else needs to be said of such a plan. */
static bool check_use(const struct mxt_plan_check_request *request, struct mxt_remarks *remarks)
{
	struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_plan_usable(request->plan, request->use, true, &err) < 0) {
		mxt_remark_refuse_error(remarks, allowance_of_use(request), &err);
		return (remarks->allowed & allowance_of_use(request)) != 0;
	}
	if (!mxt_plan_is_simulated(request->plan))
		return true;
	mxt_remark_refuse(
	    remarks, MXT_E_PLAN_SIMULATED, MXT_ALLOW_SIMULATED,
	    "the plan was made on simulated hardware: its times are not real; make a plan on real hardware");
	return (remarks->allowed & MXT_ALLOW_SIMULATED) != 0;
}

/* ---- platform, stack, contract ---- */

static const struct {
	const char *start, *whom, *remedy;
} parts[] = {
    {"contract.", "environment", "set this variable as the plan has it (nothing: unset it), or make a plan here"},
    {"workload.", "recording", "make a plan of it with autotune --shapes"},
    {"", "machine", "make a plan here"},
};

static void refuse_difference(const json_t *difference, struct mxt_remarks *remarks)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const char *path = mxt_json_text(difference, "path");
	size_t part = 0;
	while (strncmp(path, parts[part].start, strlen(parts[part].start)) != 0)
		part++;
	mxt_plan_difference_text(difference, "here", &text);
	if (text.failed)
		remarks->failed = true;
	mxt_remark_refuse(remarks, MXT_E_PLAN_MISMATCH, MXT_ALLOW_MISMATCH, "the plan does not fit this %s: %s; %s",
			  parts[part].whom, mxt_buf_text(&text), parts[part].remedy);
}

static void refuse(struct mxt_remarks *remarks, enum mxt_allowance allowance, int rc, struct mxt_error *cause)
{
	if (rc < 0)
		mxt_remark_refuse_error(remarks, allowance, cause);
}

static void check_machine(const struct mxt_plan_check_request *request, struct mxt_remarks *remarks)
{
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	MXT_CLEANUP(mxt_plan_fit_finish) struct mxt_plan_fit fit = MXT_PLAN_FIT_INIT;
	int rc = mxt_plan_fit(request->plan, request->machine, &fit, &cause);
	refuse(remarks, MXT_ALLOW_MISMATCH, rc, &cause);
	if (rc < 0)
		return;
	if (request->here && json_object_update(request->here, fit.here) < 0)
		remarks->failed = true;
	for (size_t i = 0; i < json_array_size(fit.differences); i++)
		refuse_difference(json_array_get(fit.differences, i), remarks);
	rc = mxt_plan_fit_count(&fit, request->plan, request->machine, &cause); /* whatever else differs */
	refuse(remarks, MXT_ALLOW_NOTHING, rc, &cause);
}

/* ---- nodes ---- */

/* A recording alone does not say it, but these settings of collectives are for one. */
static bool says_nodes(const struct mxt_plan *plan)
{
	const json_t *collective = json_object_get(mxt_plan_decision(plan), "collective");
	return training_of(plan) || strcmp(mxt_json_text(collective, "config"), "8gpu_xgmi") == 0;
}

static void check_nodes(const struct mxt_plan_check_request *request, struct mxt_remarks *remarks)
{
	int64_t planned = mxt_json_integer_or(training_of(request->plan), "nodes", 1);
	if (request->nodes == planned)
		return;
	if (says_nodes(request->plan))
		mxt_remark_refuse(remarks, MXT_E_LAUNCH_PLAN_NODES, MXT_ALLOW_NOTHING,
				  "the plan is for %" PRId64 " node%s, and %" PRId64
				  " take%s part; start it on as many as "
				  "the plan has, or make a plan for these",
				  planned, planned == 1 ? "" : "s", request->nodes, request->nodes == 1 ? "s" : "");
	else
		mxt_remark_warn(remarks,
				"the plan was made of a recording, which does not say for how many nodes; %" PRId64
				" take part",
				request->nodes);
}

/* ---- workload ---- */

static int check_config(const struct mxt_plan_check_request *request, struct mxt_remarks *remarks,
			struct mxt_error *err)
{
	const struct mxt_workload_check_request config = {.plan = request->plan,
							  .config = request->config,
							  .environment = request->machine->environment,
							  .packages = request->packages,
							  .torch = request->torch};
	return request->config ? mxt_workload_check(&config, remarks, err) : 0;
}

int mxt_plan_check(const struct mxt_plan_check_request *request, struct mxt_remarks *remarks, struct mxt_error *err)
{
	if (check_use(request, remarks))
		check_machine(request, remarks);
	check_nodes(request, remarks);
	int rc = check_config(request, remarks, err);
	return rc < 0 || !remarks->failed ? rc : mxt_error_oom(err);
}
