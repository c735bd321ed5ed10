/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fake device says that it is.
 */
#ifndef MXT_DEVICE_FAKE_INVENTORY_H
#define MXT_DEVICE_FAKE_INVENTORY_H

#include "device_ops.h"

/* From the scenario's "inventory" object; NULL: all defaults. */
int mxt_fake_inventory_parse(json_t *json, struct mxt_inventory *ret_inventory, struct mxt_error *err);

#endif
