/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inventory of a device. What only a vendor's library can tell is asked of the device's surveyor, in a short-lived
 * worker of its own, so that no vendor library is ever loaded into the orchestrator.
 */
#ifndef MXT_WORKER_DEVICE_INVENTORY_H
#define MXT_WORKER_DEVICE_INVENTORY_H

#include <jansson.h>
#include <stdint.h>

#include "device_ops.h"

struct mxt_clock;
struct mxt_error;

/* All pointers are borrowed for the call. */
struct mxt_survey_request {
	const struct mxt_device_ops *ops;
	struct mxt_device_target target;
	char *const *environment; /* of the surveyor, NULL-ended */
	const struct mxt_clock *clock;
	uint64_t deadline_ns; /* on that clock */
	int cancel_fd;        /* -1 for none */
	const char *program;  /* as in struct mxt_worker_spec */
};

/*
 * MXT_E_NO_DEVICE with the reason when the surveyor finds nothing (-ENODEV) or fails (-EIO); statuses of
 * ops->inventory; -ECANCELED; -ETIME (MXT_E_BUDGET) when the deadline passed.
 */
int mxt_device_inventory(const struct mxt_survey_request *request, struct mxt_inventory *ret_inventory,
			 struct mxt_error *err) MXT_WUR;

/* The facts of a surveyor by its name: new reference. Statuses as above. */
int mxt_device_survey(const struct mxt_survey_request *request, const char *surveyor, json_t **ret_facts,
		      struct mxt_error *err) MXT_WUR;

#endif
