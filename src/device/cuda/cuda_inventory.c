/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_inventory.h"

#include <errno.h>

#include "error.h"
#include "host_memory.h"
#include "nvidia_survey.h"
#include "torch_library.h"
#include "torch_packages.h"

static json_t *platform_json(const struct mxt_nvidia_gpu *gpu)
{
	json_t *platform = json_pack("{s:s, s:s, s:I, s:I}", "vendor", "nvidia", "arch", gpu->arch, "units",
				     (json_int_t)gpu->sm_count.value, "memory_gib",
				     (json_int_t)mxt_memory_class_gib(gpu->memory_bytes.value));
	if (platform && gpu->mig == MXT_NVIDIA_MIG_SLICE &&
	    json_object_set_new(platform, "partition", json_string("mig")) < 0) {
		json_decref(platform);
		return NULL;
	}
	return platform;
}

/* What selects kernels; a library that is no wheel of its own is part of torch's build. */
static json_t *stack_json(const struct mxt_torch_version *version, const struct mxt_torch_packages *packages)
{
	json_t *stack = json_pack("{s:s, s:s}", "torch", version->version, "cuda", version->cuda);
	const struct {
		const char *key, *value;
	} libraries[] = {{"cudnn", packages->cudnn}, {"cublas", packages->cublas}};
	for (size_t i = 0; stack && i < MXT_ARRAY_LEN(libraries); i++) {
		if (libraries[i].value[0] &&
		    json_object_set_new(stack, libraries[i].key, json_string(libraries[i].value)) < 0) {
			json_decref(stack);
			return NULL;
		}
	}
	return stack;
}

static int read_stack(const struct mxt_device_target *target, json_t **ret_stack, struct mxt_error *err)
{
	struct mxt_torch_version version;
	struct mxt_torch_packages packages;
	if (!target->torch)
		return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE,
				     "no torch was found; name the Python that trains: --python DIR/bin/python3");
	int rc = mxt_torch_read_version(target->torch, &version, err);
	if (rc == 0)
		rc = mxt_torch_packages_read(target->torch, &packages, err);
	if (rc < 0)
		return rc;
	*ret_stack = stack_json(&version, &packages);
	return *ret_stack ? 0 : mxt_error_oom(err);
}

int mxt_cuda_inventory(const struct mxt_sysroot *root, const struct mxt_device_target *target, const json_t *survey,
		       struct mxt_inventory *ret_inventory, struct mxt_error *err)
{
	(void)root;
	struct mxt_nvidia_gpu gpu;
	json_t *stack = NULL;
	if (!survey)
		return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "no NVIDIA driver answers here");
	int rc = mxt_nvidia_gpu_find(survey, target->ordinal, &gpu, err);
	if (rc == 0)
		rc = read_stack(target, &stack, err);
	if (rc < 0)
		return rc;
	struct mxt_inventory inventory = {.platform = platform_json(&gpu),
					  .stack = stack,
					  .devices = json_incref(json_object_get(survey, "devices")),
					  .units = (uint32_t)gpu.sm_count.value,
					  .memory_bytes = gpu.memory_bytes.value,
					  .llc_bytes = gpu.l2_bytes.value,
					  .peak_flops = gpu.peak_bf16_flops,
					  .peak_bytes = gpu.peak_bytes};
	if (!inventory.platform || !inventory.devices) {
		mxt_inventory_finish(&inventory);
		return mxt_error_oom(err);
	}
	*ret_inventory = inventory;
	return 0;
}
