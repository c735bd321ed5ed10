/* SPDX-License-Identifier: Apache-2.0 */
#include "nvml_device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_driver.h"
#include "cuda_inventory.h"
#include "error.h"
#include "json.h"
#include "nvml_api.h"
#include "nvml_card.h"

#define MAX_CARDS   64
#define MAX_DEVICES 256

struct mxt_device {
	struct mxt_nvml nvml;
	struct mxt_cuda_driver cuda;
	struct mxt_error cuda_error; /* why CUDA shows no device; unset when it does */
};

static void nvml_close(struct mxt_device *device)
{
	mxt_cuda_driver_close(&device->cuda);
	mxt_nvml_close(&device->nvml);
	mxt_error_clear(&device->cuda_error);
	free(device);
}

/* That CUDA shows no device is a fact about a machine that NVML can still describe. */
static int nvml_open(const struct mxt_device_target *target, struct mxt_device **ret_device, struct mxt_error *err)
{
	(void)target;
	struct mxt_device *device = calloc(1, sizeof *device);
	if (!device)
		return mxt_error_oom(err);
	int rc = mxt_nvml_open(&device->nvml, err);
	if (rc == 0 && mxt_cuda_driver_open(&device->cuda, &device->cuda_error) == -ENOMEM)
		rc = mxt_error_oom(err);
	if (rc < 0) {
		nvml_close(device);
		return rc;
	}
	*ret_device = device;
	return 0;
}

static int set_number(json_t *object, const char *key, struct mxt_reading value)
{
	return value.reported ? json_object_set_new(object, key, json_integer((json_int_t)value.value)) : 0;
}

static int add_driver(const struct mxt_device *device, json_t *facts)
{
	char version[MXT_NVML_VERSION_SIZE] = "";
	int rc = 0;
	if (device->nvml.call.nvmlSystemGetDriverVersion(version, sizeof version) == MXT_NVML_SUCCESS)
		rc = json_object_set_new(facts, "driver", mxt_nvml_text(version, sizeof version));
	if (rc == 0 && device->cuda.dl.handle)
		rc = set_number(facts, "cuda_driver_version", mxt_cuda_driver_version(&device->cuda));
	if (rc == 0 && device->cuda_error.status) {
		const char *reason = mxt_error_text(&device->cuda_error);
		rc = json_object_set_new(facts, "cuda_reason", mxt_nvml_text(reason, 512));
	}
	return rc;
}

/* NVML writes GPU- or MIG- in front of what CUDA gives as sixteen bytes. */
static json_t *find_uuid(json_t *devices, const char *uuid)
{
	size_t i;
	json_t *row;
	json_array_foreach(devices, i, row)
	{
		const char *text = json_string_value(json_object_get(row, "uuid"));
		if (text && strlen(text) > 4 && strcmp(text + 4, uuid) == 0)
			return row;
	}
	return NULL;
}

static int add_ordinal(const struct mxt_cuda_driver *cuda, int ordinal, json_t *devices)
{
	static const struct {
		const char *key;
		enum mxt_cuda_attribute attribute;
	} rows[] = {
	    {"sm_count", MXT_CUDA_MULTIPROCESSOR_COUNT},
	    {"memory_bus_bits", MXT_CUDA_MEMORY_BUS_BITS},
	    {"l2_bytes", MXT_CUDA_L2_BYTES},
	};
	char uuid[MXT_CUDA_UUID_TEXT];
	json_t *row = mxt_cuda_driver_uuid(cuda, ordinal, uuid) ? find_uuid(devices, uuid) : NULL;
	if (!row)
		return 0;
	int rc = json_object_set_new(row, "ordinal", json_integer(ordinal));
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows) && rc == 0; i++)
		rc = set_number(row, rows[i].key, mxt_cuda_driver_attribute(cuda, ordinal, rows[i].attribute));
	return rc;
}

static int add_devices(const struct mxt_device *device, json_t *devices, struct mxt_error *err)
{
	unsigned count = 0;
	enum mxt_nvml_status status = device->nvml.call.nvmlDeviceGetCount_v2(&count);
	if (status != MXT_NVML_SUCCESS)
		return mxt_error_set(err, -EIO, MXT_E_NVIDIA_DRIVER,
				     "NVML cannot tell how many cards there are (status %d); see what nvidia-smi and "
				     "dmesg say",
				     (int)status);
	int rc = 0;
	for (unsigned i = 0; i < count && i < MAX_CARDS && rc == 0; i++) {
		json_t *card = NULL;
		rc = mxt_nvml_card(&device->nvml, i, &card, err);
		if (rc == 0 && json_array_append_new(devices, card) < 0)
			rc = mxt_error_oom(err);
		if (rc == 0)
			rc = mxt_nvml_slices(&device->nvml, i, card, devices, err);
	}
	for (int i = 0; i < device->cuda.count && i < MAX_DEVICES && rc == 0; i++)
		if (add_ordinal(&device->cuda, i, devices) < 0)
			rc = mxt_error_oom(err);
	return rc;
}

static int nvml_describe(struct mxt_device *device, json_t **ret_facts, struct mxt_error *err)
{
	json_t *devices = json_array();
	MXT_CLEANUP_JSON json_t *facts = json_pack("{s:o}", "devices", devices);
	if (!facts || add_driver(device, facts) < 0)
		return mxt_error_oom(err);
	int rc = add_devices(device, devices, err);
	if (rc == 0)
		*ret_facts = json_incref(facts);
	return rc;
}

/* ---- what a surveyor does not do ---- */

static int refuse(struct mxt_error *err)
{
	return mxt_error_set(err, -ENOTSUP, MXT_E_NO_DEVICE, "nvml only tells what is here; it computes nothing");
}

static int nvml_inventory(const struct mxt_sysroot *root, const struct mxt_device_target *target, const json_t *survey,
			  struct mxt_inventory *ret_inventory, struct mxt_error *err)
{
	(void)root, (void)target, (void)survey, (void)ret_inventory;
	return refuse(err);
}

static int nvml_candidates(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
			   enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
			   struct mxt_error *err)
{
	(void)root, (void)inventory, (void)probe, (void)environment, (void)ret_list;
	return refuse(err);
}

static int nvml_prepare(struct mxt_device *device, const struct mxt_problem *problem, struct mxt_task **ret_task,
			struct mxt_error *err)
{
	(void)device, (void)problem, (void)ret_task;
	return refuse(err);
}

static void nvml_release(struct mxt_device *device, struct mxt_task *task)
{
	(void)device, (void)task;
}

/* NOLINTBEGIN(readability-non-const-parameter): the type is the table's */
static int nvml_time(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps, uint32_t repeats,
		     uint64_t *ret_ns, struct mxt_error *err)
{
	(void)device, (void)steps, (void)n_steps, (void)repeats, (void)ret_ns;
	return refuse(err);
}
/* NOLINTEND(readability-non-const-parameter) */

static int nvml_check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check,
		      struct mxt_error *err)
{
	(void)device, (void)task, (void)ret_check;
	return refuse(err);
}

static const char *const no_selectors[] = {NULL};

const struct mxt_device_ops mxt_nvml_device = {
    .name = "nvml",
    .max_workers = 0,
    .simulated = false,
    .self_test = false,
    .stop_idle = false,
    .vendor = "nvidia",
    .needs_torch = false,
    .torch_backend = MXT_TORCH_CPU,
    .ramp_ns = 0,
    .pins = false,
    .float32 = false,
    .scaled = false,
    .surveyor = NULL,
    .selectors = no_selectors,
    .deterministic = NULL,
    .detect = mxt_cuda_detect,
    .count = mxt_any_count,
    .inventory = nvml_inventory,
    .candidates = nvml_candidates,
    .open = nvml_open,
    .close = nvml_close,
    .describe = nvml_describe,
    .prepare = nvml_prepare,
    .release = nvml_release,
    .time = nvml_time,
    .check = nvml_check,
    .rank = mxt_no_ranking,
};
