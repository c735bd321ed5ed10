/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The orchestrator: races the candidates of every probe inside the budget, confirms what it chose on a replayed layer,
 * and seals the plan.
 */
#ifndef MXT_TUNE_TUNE_H
#define MXT_TUNE_TUNE_H

#include <jansson.h>
#include <stdint.h>

#include "budget.h"
#include "device_ops.h"
#include "workload.h"

struct mxt_error;
struct mxt_plan;
struct mxt_python_packages;
struct mxt_recording;
struct mxt_sysroot;
struct mxt_event_sink;
struct mxt_today;

struct mxt_tune_request {
	/*
	 * The machine that is recorded below, and what its surveyor told (NULL: nothing); only for an outlook. NULL:
	 * this machine.
	 */
	const struct mxt_sysroot *root;
	const json_t *survey;
	const struct mxt_device_ops *ops;
	struct mxt_device_target target;
	const char *program; /* what workers are started from; NULL: this binary itself */
	bool no_documented;  /* ship no rule that is documented only */
	bool simulated;      /* what computes stands in for hardware: known before any worker starts */
	const struct mxt_workload *workload;
	char *const *environment; /* the caller's, NULL-ended */
	const struct mxt_budget *budget;
	int cancel_fd; /* readable once the run must stop; -1 for none */
	uint64_t seed; /* of all random orders; recorded */
	uint32_t margin_ppm;
	const struct mxt_python_packages *packages; /* of target.python; NULL: not known */
	const struct mxt_today *today; /* what the config's attention comes to; NULL: what torch dispatches to */
	const struct mxt_recording *recording; /* its problems instead of the workload's; NULL: there is none */
	const struct mxt_plan *against;        /* confirm this plan instead of deciding anew; NULL: decide */
	const struct mxt_event_sink *sink;     /* told what happens as it happens */
};

/*
 * On success *ret_plan is the sealed plan document (new reference). Failures: MXT_E_BUDGET (names a budget that
 * should do), MXT_E_PROBE_FAILED (an incumbent could not be measured), MXT_E_WORKER_STUCK, MXT_E_BUSY,
 * MXT_E_DISAGREES (with `against`; *ret_plan is set then, too), -ECANCELED once cancel_fd is readable (whose signal the
 * caller must name: the id is MXT_E_CANCELLED or MXT_E_INTERRUPTED), or faults of ours.
 */
int mxt_tune(const struct mxt_tune_request *request, json_t **ret_plan, struct mxt_error *err) MXT_WUR;

/* What a run would time: the device described, the problems made. Owned by the caller; see the finish functions. */
int mxt_tune_preview(const struct mxt_tune_request *request, struct mxt_inventory *ret_inventory,
		     struct mxt_problem_set *ret_set, struct mxt_error *err) MXT_WUR;

#endif
