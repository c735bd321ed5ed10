/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_inventory.h"

#include <errno.h>

#include "buf.h"
#include "cuda_libraries.h"
#include "error.h"
#include "host_memory.h"
#include "nvidia_survey.h"
#include "torch_library.h"

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
static json_t *stack_json(const struct mxt_torch_version *version, const struct mxt_cuda_libraries *libraries)
{
	static const enum mxt_cuda_library_kind kinds[] = {MXT_CUDA_CUDNN, MXT_CUDA_CUBLAS};
	json_t *stack = json_pack("{s:s, s:s}", "torch", version->version, "cuda", version->cuda);
	for (size_t i = 0; stack && i < MXT_ARRAY_LEN(kinds); i++) {
		const struct mxt_cuda_library *library = &libraries->items[kinds[i]];
		const char *wheel = library->version[0] ? library->version : library->other;
		if (*wheel && json_object_set_new(stack, library->name, json_string(wheel)) < 0) {
			json_decref(stack);
			return NULL;
		}
	}
	return stack;
}

static int read_stack(const struct mxt_sysroot *root, const struct mxt_device_target *target, json_t **ret_stack,
		      struct mxt_error *err)
{
	MXT_CLEANUP_CUDA_LIBRARIES struct mxt_cuda_libraries libraries = {{{.path = NULL}}};
	MXT_CLEANUP_BUF struct mxt_buf site = MXT_BUF_INIT;
	struct mxt_torch_install install = {.folder = NULL};
	if (!target->torch)
		return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE,
				     "no torch was found; name the Python that trains: --python DIR/bin/python3");
	mxt_buf_printf(&site, "%s/..", target->torch);
	install.folder = mxt_buf_text(&site);
	int rc = mxt_buf_status(&site, err);
	if (rc == 0)
		rc = mxt_torch_read_version(target->torch, &install.files, err);
	if (rc == 0)
		rc = mxt_cuda_libraries_find(root, &install, &libraries, err);
	if (rc < 0)
		return rc;
	*ret_stack = stack_json(&install.files, &libraries);
	return *ret_stack ? 0 : mxt_error_oom(err);
}

/* The cards as they were told, each with the driver that they ran under: new reference; NULL when memory ran out. */
static json_t *devices_json(const json_t *survey)
{
	json_t *driver = json_object_get(survey, "driver");
	json_t *devices = json_deep_copy(json_object_get(survey, "devices"));
	for (size_t i = 0; driver && i < json_array_size(devices); i++) {
		json_t *device = json_array_get(devices, i); /* those after the one in use may be anything */
		if (json_is_object(device) && json_object_set(device, "driver", driver) < 0) {
			json_decref(devices);
			return NULL;
		}
	}
	return devices;
}

int mxt_cuda_inventory(const struct mxt_sysroot *root, const struct mxt_device_target *target, const json_t *survey,
		       struct mxt_inventory *ret_inventory, struct mxt_error *err)
{
	struct mxt_nvidia_gpu gpu;
	json_t *stack = NULL;
	if (!survey)
		return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "no NVIDIA driver answers here");
	int rc = mxt_nvidia_gpu_find(survey, target->ordinal, &gpu, err);
	if (rc == 0)
		rc = read_stack(root, target, &stack, err);
	if (rc < 0)
		return rc;
	struct mxt_inventory inventory = {.platform = platform_json(&gpu),
					  .stack = stack,
					  .devices = devices_json(survey),
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
