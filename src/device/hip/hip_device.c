/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_device.h"

#include <errno.h>

#include "amd_job.h"
#include "error.h"
#include "hip_candidates.h"
#include "hip_inventory.h"
#include "torch_device.h"

#define MAX_WORKERS 6

static int device_open(const struct mxt_device_target *target, struct mxt_device **ret_device, struct mxt_error *err)
{
	(void)target, (void)ret_device;
	return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "this version does not measure on AMD GPUs yet");
}

static void device_close(struct mxt_device *device)
{
	(void)device;
}

static int device_describe(struct mxt_device *device, json_t **ret_facts, struct mxt_error *err)
{
	(void)err;
	*ret_facts = mxt_torch_device_facts(device);
	return 0;
}

const struct mxt_device_ops mxt_hip_device = {
    .name = "hip",
    .max_workers = MAX_WORKERS,
    .simulated = false,
    .self_test = false,
    .stop_idle = false,
    .vendor = "amd",
    .needs_torch = true,
    .torch_backend = MXT_TORCH_HIP,
    .pins = true,
    .float32 = false,
    .scaled = false,
    .surveyor = NULL,
    .selectors = mxt_hip_selectors,
    .deterministic = NULL,
    .detect = mxt_hip_detect,
    .count = mxt_amd_count,
    .inventory = mxt_hip_inventory,
    .candidates = mxt_hip_candidates,
    .open = device_open,
    .close = device_close,
    .describe = device_describe,
    .prepare = mxt_torch_device_prepare,
    .release = mxt_torch_device_release,
    .time = mxt_torch_device_time,
    .check = mxt_torch_device_check,
    .rank = mxt_no_ranking,
};
