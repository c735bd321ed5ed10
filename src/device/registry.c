/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_device.h"
#include "cuda_device.h"
#include "device_ops.h"
#include "error.h"
#include "fake_device.h"
#include "hip_device.h"
#include "nvml_device.h"
#include "torch_cpu_device.h"

const struct mxt_device_ops *const mxt_devices[] = {
    &mxt_cpu_device, &mxt_torch_cpu_device, &mxt_cuda_device, &mxt_hip_device, &mxt_fake_device, &mxt_nvml_device, NULL,
};

const struct mxt_device_ops *mxt_device_find(const char *name)
{
	for (const struct mxt_device_ops *const *ops = mxt_devices; *ops; ops++)
		if (strcmp((*ops)->name, name) == 0)
			return *ops;
	return NULL;
}

int mxt_always_here(const struct mxt_sysroot *root, struct mxt_error *err)
{
	(void)root, (void)err;
	return 0;
}

int mxt_any_count(const struct mxt_sysroot *root, char *const *environment, int32_t gpus, struct mxt_error *err)
{
	(void)root, (void)environment, (void)gpus, (void)err;
	return 0;
}

/* NOLINTBEGIN(readability-non-const-parameter): the type is the table's */
int mxt_no_ranking(struct mxt_device *device, struct mxt_task *task, uint64_t limit_ns, struct mxt_ranking *ret_ranking,
		   struct mxt_error *err)
{
	(void)device, (void)task, (void)limit_ns, (void)ret_ranking;
	return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
			     "this device's library offers no algorithms to compare");
}
/* NOLINTEND(readability-non-const-parameter) */

void mxt_inventory_finish(struct mxt_inventory *inventory)
{
	json_decref(inventory->platform);
	json_decref(inventory->stack);
	json_decref(inventory->devices);
	json_decref(inventory->notes);
	free(inventory->lock);
	*inventory = (struct mxt_inventory){.platform = NULL};
}

void mxt_candidate_list_finish(struct mxt_candidate_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		json_decref(list->items[i].env);
		free(list->items[i].choice);
		free(list->items[i].ignored);
		free(list->items[i].skip);
	}
	free(list->items);
	free(list->bare_choice);
	*list = (struct mxt_candidate_list){.items = NULL};
}
