/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device without hardware: inventory, candidates, times, noise and faults come from a scenario file
 * (fake_scenario.h). Times are computed, not spent, so that a whole run takes a moment.
 */
#ifndef MXT_DEVICE_FAKE_DEVICE_H
#define MXT_DEVICE_FAKE_DEVICE_H

#include "device_ops.h"

extern const struct mxt_device_ops mxt_fake_device;

#endif
