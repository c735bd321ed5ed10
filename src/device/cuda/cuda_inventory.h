/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_ops.inventory of an NVIDIA GPU: the card from the survey, the stack from torch's files.
 */
#ifndef MXT_CUDA_INVENTORY_H
#define MXT_CUDA_INVENTORY_H

#include "device_ops.h"

/* device_ops.detect */
int mxt_cuda_detect(const struct mxt_sysroot *root, struct mxt_error *err);

int mxt_cuda_inventory(const struct mxt_sysroot *root, const struct mxt_device_target *target, const json_t *survey,
		       struct mxt_inventory *ret_inventory, struct mxt_error *err);

#endif
