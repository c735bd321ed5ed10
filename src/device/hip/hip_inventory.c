/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_inventory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amd_machine.h"
#include "amd_model.h"
#include "amd_usage.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "hip_candidates.h"
#include "host_memory.h"
#include "host_pci.h"
#include "json.h"
#include "rocm_libraries.h"
#include "sysroot.h"
#include "torch_library.h"

#define GIB               ((uint64_t)1 << 30)
#define NOTABLE_USE_BYTES (2 * GIB) /* the driver itself takes some hundred MiB */

/* ---- platform ---- */

/* The words that plans have for it; the usual mode is not said. */
static int set_mode(json_t *platform, const char *key, const char *const *modes, const char *mode)
{
	for (; *modes; modes++)
		if (strcmp(*modes, mode) == 0)
			return json_object_set_new(platform, key, json_string(mode));
	return 0;
}

static json_t *platform_json(const struct mxt_amd_gpu *gpu)
{
	static const char *const compute[] = {"DPX", "TPX", "QPX", "CPX", NULL};
	static const char *const memory[] = {"NPS2", "NPS4", "NPS8", NULL};
	json_t *platform =
	    json_pack("{s:s, s:s, s:I, s:I}", "vendor", "amd", "arch", gpu->arch, "units", (json_int_t)gpu->units,
		      "memory_gib", (json_int_t)mxt_memory_class_gib(gpu->memory_bytes));
	if (platform && (set_mode(platform, "compute_partition", compute, gpu->compute_partition) < 0 ||
			 set_mode(platform, "memory_partition", memory, gpu->memory_partition) < 0)) {
		json_decref(platform);
		return NULL;
	}
	return platform;
}

/* ---- stack ---- */

static int set_library(json_t *stack, const struct mxt_rocm_library *library)
{
	char text[MXT_ROCM_TEXT];
	return *mxt_rocm_library_text(library, text) ? json_object_set_new(stack, library->name, json_string(text)) : 0;
}

/* What selects kernels. HIP by the version that torch was built for; RCCL selects none of one GPU's. */
static json_t *stack_json(const struct mxt_torch_version *version, const struct mxt_rocm_libraries *libraries, bool ck)
{
	json_t *stack = json_pack("{s:s, s:s}", "torch", version->version, "hip", version->hip);
	int rc = stack ? 0 : -1;
	if (rc == 0)
		rc = set_library(stack, &libraries->items[MXT_ROCM_HIPBLASLT]);
	if (rc == 0)
		rc = set_library(stack, &libraries->items[MXT_ROCM_ROCBLAS]);
	if (rc == 0 && ck)
		rc = json_object_set_new(stack, "capabilities", json_pack("[s]", MXT_HIP_CK_ATTENTION));
	if (rc == 0)
		return stack;
	json_decref(stack);
	return NULL;
}

/* The torch package's folder as a path of the machine. */
static const char *below_root(const struct mxt_sysroot *root, const char *folder)
{
	size_t len = strlen(root->prefix);
	return strncmp(folder, root->prefix, len) == 0 ? folder + len : folder;
}

static int find_libraries(const struct mxt_sysroot *root, const char *torch, const struct mxt_torch_version *version,
			  struct mxt_rocm_libraries *ret_libraries, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf site = MXT_BUF_INIT;
	mxt_buf_printf(&site, "%s/..", torch);
	int rc = mxt_buf_status(&site, err);
	if (rc < 0)
		return rc;
	const struct mxt_torch_install install = {.folder = mxt_buf_text(&site), .files = *version};
	const char *search_path = mxt_sysroot_is_live(root) ? getenv("LD_LIBRARY_PATH") : NULL;
	return mxt_rocm_libraries_find(root, &install, search_path, ret_libraries, err);
}

static int has_ck(const struct mxt_sysroot *root, const char *torch, bool *ret_ck, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf library = MXT_BUF_INIT;
	enum mxt_rocm_answer answer = MXT_ROCM_UNKNOWN;
	mxt_buf_printf(&library, "%s/lib/libtorch_hip.so", torch);
	int rc = mxt_buf_status(&library, err);
	if (rc == 0)
		rc = mxt_rocm_ck_attention(root, mxt_buf_text(&library), &answer, err);
	if (rc == 0)
		*ret_ck = answer == MXT_ROCM_YES;
	return rc;
}

static int read_stack(const struct mxt_sysroot *root, const struct mxt_device_target *target, json_t **ret_stack,
		      struct mxt_error *err)
{
	MXT_CLEANUP_ROCM_LIBRARIES struct mxt_rocm_libraries libraries = {{{.path = NULL}}};
	struct mxt_torch_version version;
	bool ck = false;
	int rc = mxt_torch_read_version(target->torch, &version, err);
	if (rc == 0)
		rc = find_libraries(root, below_root(root, target->torch), &version, &libraries, err);
	if (rc == 0)
		rc = has_ck(root, below_root(root, target->torch), &ck, err);
	if (rc < 0)
		return rc;
	*ret_stack = stack_json(&version, &libraries, ck);
	return *ret_stack ? 0 : mxt_error_oom(err);
}

/* ---- evidence ---- */

/* The GPU in use: a list of one; NULL when memory ran out. */
static json_t *devices_json(const struct mxt_amd_machine *machine, const struct mxt_amd_gpu *gpu,
			    const struct mxt_amd_usage *usage)
{
	json_t *device = json_pack("{s:I, s:s, s:I, s:I, s:I}", "ordinal", (json_int_t)gpu->ordinal, "name", gpu->name,
				   "memory_bytes", (json_int_t)gpu->memory_bytes, "device_id",
				   (json_int_t)gpu->device_id, "max_mhz", (json_int_t)gpu->max_mhz);
	const struct mxt_reading *cap = &usage->power_cap_watts;
	if (!device || mxt_json_set_known(device, "pci", gpu->pci) < 0 ||
	    (cap->reported && json_object_set_new(device, "power_cap_w", json_integer((json_int_t)cap->value)) < 0) ||
	    mxt_json_set_known(device, "driver", machine->driver_version) < 0) {
		json_decref(device);
		return NULL;
	}
	return json_pack("[o]", device);
}

static void add_note(json_t *notes, json_t *sentence)
{
	(void)json_array_append_new(notes, sentence);
}

static void note_usage(const struct mxt_amd_usage *usage, json_t *notes)
{
	const struct mxt_reading *cap = &usage->power_cap_watts, *most = &usage->power_most_watts;
	if (usage->processes > 0)
		add_note(notes, json_sprintf("%" PRIu32 " other process%s on this GPU: times may be disturbed; see "
					     "mindxtrain doctor",
					     usage->processes, usage->processes == 1 ? "" : "es"));
	if (usage->memory_used_bytes.value > NOTABLE_USE_BYTES)
		add_note(notes, json_sprintf("%" PRIu64 " GiB of this card's memory are in use by others",
					     usage->memory_used_bytes.value / GIB));
	if (cap->reported && most->reported && cap->value < most->value)
		add_note(notes, json_sprintf("this card may draw %" PRIu64 " of %" PRIu64
					     " W: it computes more slowly than others of its kind",
					     cap->value, most->value));
}

/* New reference to what may disturb; NULL when memory ran out, and then nothing is said. */
static json_t *notes_json(const struct mxt_amd_machine *machine, const struct mxt_amd_gpu *gpu,
			  const struct mxt_amd_usage *usage)
{
	json_t *notes = json_array();
	if (!notes)
		return NULL;
	if (gpu->partitions > 1)
		add_note(notes, json_sprintf("%s: this GPU is one of %" PRIu32
					     " partitions of its card, and times are those of a partition",
					     gpu->compute_partition, gpu->partitions));
	note_usage(usage, notes);
	if (machine->numa_balancing.reported && machine->numa_balancing.value > 0)
		add_note(notes, json_string("kernel.numa_balancing is on: times may vary; AMD advises sysctl "
					    "kernel.numa_balancing=0"));
	return notes;
}

/* ---- the whole ---- */

/* What is free now. What others use of a card is taken from each of its partitions. */
static uint64_t free_memory(const struct mxt_amd_gpu *gpu, const struct mxt_amd_usage *usage)
{
	uint64_t used = usage->memory_used_bytes.value;
	return used < gpu->memory_bytes ? gpu->memory_bytes - used : 0;
}

/* A file of the kernel that everybody who sees the card can open. NULL when memory ran out: the host's has to do. */
static char *lock_of(const struct mxt_amd_gpu *gpu)
{
	char *path = NULL;
	if (!gpu->pci[0] || asprintf(&path, "/sys/bus/pci/devices/%s/vendor", gpu->pci) < 0)
		return NULL;
	return path;
}

static int describe(const struct mxt_amd_machine *machine, const struct mxt_amd_gpu *gpu,
		    const struct mxt_amd_usage *usage, json_t *stack, struct mxt_inventory *ret_inventory)
{
	struct mxt_inventory inventory = {.platform = platform_json(gpu),
					  .stack = stack,
					  .devices = devices_json(machine, gpu, usage),
					  .notes = notes_json(machine, gpu, usage),
					  .lock = lock_of(gpu),
					  .count = machine->n_cards, /* partitions of a card are no cards */
					  .units = gpu->units,
					  .memory_bytes = free_memory(gpu, usage),
					  /* to rotate over more than a smaller card has does no harm */
					  .llc_bytes = MXT_AMD_INFINITY_CACHE_BYTES,
					  .peak_flops = gpu->peak_bf16_flops,
					  .peak_bytes = gpu->peak_bytes};
	if (!inventory.platform || !inventory.devices) {
		mxt_inventory_finish(&inventory);
		return -ENOMEM;
	}
	if (inventory.count > 1)
		inventory.link = machine->mesh == MXT_AMD_MESH_FULL ? "xgmi" : "pcie";
	*ret_inventory = inventory;
	return 0;
}

int mxt_hip_detect(const struct mxt_sysroot *root, struct mxt_error *err)
{
	return mxt_pci_gpu_here(root, MXT_GPU_AMD, "/dev/kfd", err);
}

int mxt_hip_inventory(const struct mxt_sysroot *root, const struct mxt_device_target *target, const json_t *survey,
		      struct mxt_inventory *ret_inventory, struct mxt_error *err)
{
	(void)survey;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	const struct mxt_amd_gpu *gpu = NULL;
	struct mxt_amd_usage usage = {.processes = 0};
	json_t *stack = NULL;
	int rc = mxt_amd_machine_read(root, mxt_sysroot_is_live(root) ? environ : NULL, &machine, err);
	if (rc == 0)
		rc = mxt_amd_machine_find(&machine, target->ordinal, &gpu, err);
	if (rc == 0 && (!gpu->arch[0] || gpu->units == 0 || gpu->memory_bytes == 0))
		rc = mxt_error_set(err, -ENODEV, MXT_E_AMD_DRIVER,
				   "the kernel's driver does not tell what GPU %u is; update amdgpu", target->ordinal);
	if (rc == 0)
		rc = mxt_amd_usage_read(root, gpu, &usage, err);
	if (rc == 0)
		rc = read_stack(root, target, &stack, err);
	if (rc != 0)
		return rc;
	return describe(&machine, gpu, &usage, stack, ret_inventory) < 0 ? mxt_error_oom(err) : 0;
}
