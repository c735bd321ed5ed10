/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels that a worker is for, on something small: what they need once in a process is loaded, and on a device
 * that is new to us their results are looked at before anything is timed.
 */
#ifndef MXT_TORCH_TORCH_TRIAL_H
#define MXT_TORCH_TORCH_TRIAL_H

#include <stdbool.h>

#include "problem.h"

struct mxt_check;
struct mxt_device;
struct mxt_device_target;

/* Calls the kernels of target->probe once. What fails here fails again when it is asked for. */
void mxt_torch_device_warm_up(struct mxt_device *device, const struct mxt_device_target *target);

/*
 * The same for one kind, whose results are compared with the reference. False when the worker is not for it, or when
 * it fails.
 */
bool mxt_torch_device_try(struct mxt_device *device, const struct mxt_device_target *target, enum mxt_problem_kind kind,
			  struct mxt_check *ret_check);

#endif
