/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_inventory.h"

#include <errno.h>

#include "error.h"
#include "host_pci.h"

int mxt_hip_detect(const struct mxt_sysroot *root, struct mxt_error *err)
{
	return mxt_pci_gpu_here(root, MXT_GPU_AMD, "/dev/kfd", err);
}

int mxt_hip_inventory(const struct mxt_sysroot *root, const struct mxt_device_target *target, const json_t *survey,
		      struct mxt_inventory *ret_inventory, struct mxt_error *err)
{
	(void)root, (void)target, (void)survey, (void)ret_inventory;
	return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "this version does not measure on AMD GPUs yet");
}
