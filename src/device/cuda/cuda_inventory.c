/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_inventory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "cuda_libraries.h"
#include "error.h"
#include "host_memory.h"
#include "host_pci.h"
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
	int rc = mxt_torch_read_version(target->torch, &install.files, err);
	if (rc < 0)
		return rc;
	mxt_buf_printf(&site, "%s/..", target->torch);
	install.folder = mxt_buf_text(&site);
	rc = mxt_buf_status(&site, err);
	if (rc == 0)
		rc = mxt_cuda_libraries_find(root, &install, &libraries, err);
	if (rc < 0)
		return rc;
	*ret_stack = stack_json(&install.files, &libraries);
	return *ret_stack ? 0 : mxt_error_oom(err);
}

/*
 * The card in use as it was told, with its driver: new reference; NULL when memory ran out. What other processes it
 * runs is nobody's business who reads the plan.
 */
static json_t *devices_json(const json_t *survey, unsigned ordinal)
{
	size_t i;
	json_t *card;
	json_array_foreach(json_object_get(survey, "devices"), i, card)
	{
		const json_t *number = json_object_get(card, "ordinal");
		if (!json_is_integer(number) || json_integer_value(number) != (json_int_t)ordinal)
			continue;
		json_t *copy = json_deep_copy(card);
		json_t *driver = json_object_get(survey, "driver");
		(void)json_object_del(copy, "processes");
		if (copy && driver && json_object_set(copy, "driver", driver) < 0) {
			json_decref(copy);
			return NULL;
		}
		return json_pack("[o]", copy);
	}
	return NULL;
}

/* New reference to what may disturb; NULL when memory ran out, and then nothing is said. */
static json_t *notes_json(const struct mxt_nvidia_gpu *gpu)
{
	uint64_t others = gpu->process_count.value; /* all of them: a long list is not told, or cut */
	json_t *notes = json_array();
	if (notes && others > 0)
		(void)json_array_append_new(
		    notes,
		    json_sprintf("%llu other process%s on this card: times may be disturbed; see mindxtrain doctor",
				 (unsigned long long)others, others == 1 ? "" : "es"));
	if (notes && gpu->compute_mode == MXT_NVIDIA_COMPUTE_EXCLUSIVE)
		(void)json_array_append_new(
		    notes, json_string("this card takes one process at a time: workers alternate by restart, which "
				       "takes long and leaves fewer blocks"));
	return notes;
}

/* What is free now; a little is used by the driver itself. */
static uint64_t free_memory(const struct mxt_nvidia_gpu *gpu)
{
	uint64_t used = gpu->memory_used_bytes.value, total = gpu->memory_bytes.value;
	return used < total ? total - used : 0;
}

static int check_mode(const struct mxt_nvidia_gpu *gpu, struct mxt_error *err)
{
	if (gpu->compute_mode != MXT_NVIDIA_COMPUTE_PROHIBITED)
		return 0;
	return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE,
			     "the compute mode of %s prohibits every process; see mindxtrain doctor", gpu->name);
}

#define ADDRESS "0000:00:00.0"

/* "00000000:1B:00.0", as NVML has it, is 0000:1b:00.0 of the kernel. False for what is no such address. */
static bool kernel_address(const char *pci, char address[sizeof ADDRESS])
{
	size_t len = strlen(pci), more = len - (sizeof ADDRESS - 1);
	if (len < sizeof ADDRESS - 1 || strspn(pci, "0") < more)
		return false;
	for (size_t i = 0; i < sizeof ADDRESS - 1; i++) {
		char c = pci[more + i];
		c = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
		bool digit = strchr("0123456789abcdef", c) != NULL;
		if (ADDRESS[i] == '0' ? !digit : c != ADDRESS[i])
			return false;
		address[i] = c;
	}
	address[sizeof ADDRESS - 1] = '\0';
	return true;
}

/*
 * A file of the kernel that everybody who sees the card can open. NULL when its address is not told, or memory ran out:
 * then the host's lock has to do.
 */
static char *lock_of(const struct mxt_nvidia_gpu *gpu)
{
	char address[sizeof ADDRESS], path[sizeof "/sys/bus/pci/devices/" ADDRESS "/vendor"];
	if (!kernel_address(gpu->pci, address))
		return NULL;
	(void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/vendor", address);
	return strdup(path);
}

/* How many cards CUDA shows, and whether NVLink joins them all. */
static void count_devices(const json_t *survey, struct mxt_inventory *inventory)
{
	bool linked = true;
	size_t n = json_array_size(json_object_get(survey, "devices"));
	for (size_t i = 0; i < n; i++) {
		struct mxt_nvidia_gpu gpu;
		if (mxt_nvidia_gpu_parse(survey, i, &gpu, NULL) < 0 || !gpu.ordinal.reported)
			continue; /* one that does not answer, or that is not shown, is none that a job could use */
		inventory->count++;
		linked = linked && gpu.nvlinks_active.value > 0;
	}
	if (inventory->count > 1)
		inventory->link = linked ? "nvlink" : "pcie";
}

int mxt_cuda_detect(const struct mxt_sysroot *root, struct mxt_error *err)
{
	return mxt_pci_gpu_here(root, MXT_GPU_NVIDIA, "/dev/nvidiactl", err);
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
		rc = check_mode(&gpu, err);
	if (rc == 0)
		rc = read_stack(root, target, &stack, err);
	if (rc < 0)
		return rc;
	struct mxt_inventory inventory = {.platform = platform_json(&gpu),
					  .stack = stack,
					  .devices = devices_json(survey, target->ordinal),
					  .notes = notes_json(&gpu),
					  .lock = lock_of(&gpu),
					  .one_process = gpu.compute_mode == MXT_NVIDIA_COMPUTE_EXCLUSIVE,
					  .units = (uint32_t)gpu.sm_count.value,
					  .memory_bytes = free_memory(&gpu),
					  .llc_bytes = gpu.l2_bytes.value,
					  .peak_flops = gpu.peak_bf16_flops,
					  .peak_bytes = gpu.peak_bytes};
	if (!inventory.platform || !inventory.devices) {
		mxt_inventory_finish(&inventory);
		return mxt_error_oom(err);
	}
	count_devices(survey, &inventory);
	*ret_inventory = inventory;
	return 0;
}
