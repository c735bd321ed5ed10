/* SPDX-License-Identifier: Apache-2.0 */
#include "amd_usage.h"

#include <errno.h>
#include <inttypes.h>

#include "amd_machine.h"
#include "buf.h"
#include "error.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define PROCESSES     "/sys/class/kfd/kfd/proc"
#define MAX_PROCESSES 65536
#define MAX_SENSORS   64
#define MICROWATTS    1000000

/* The number in the file of that path. 0 or -ENOMEM. */
static int read_number(const struct mxt_sysroot *root, const struct mxt_buf *path, struct mxt_reading *reading)
{
	if (path->failed)
		return -ENOMEM;
	int rc = mxt_sysroot_read_u64(root, path->data, &reading->value, NULL);
	reading->reported = rc == 0;
	return rc == -ENOMEM ? rc : 0;
}

static int read_watts(const struct mxt_sysroot *root, const char *pci, const char *sensor, const char *file,
		      struct mxt_reading *watts)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "/sys/bus/pci/devices/%s/hwmon/%s/%s", pci, sensor, file);
	int rc = read_number(root, &path, watts);
	watts->value /= MICROWATTS;
	return rc;
}

static int read_power(const struct mxt_sysroot *root, const char *pci, struct mxt_amd_usage *usage)
{
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	MXT_CLEANUP_NAMES struct mxt_name_list sensors = MXT_NAME_LIST_INIT;
	mxt_buf_printf(&folder, "/sys/bus/pci/devices/%s/hwmon", pci);
	if (folder.failed || mxt_sysroot_list(root, folder.data, MAX_SENSORS, &sensors, NULL) == -ENOMEM)
		return -ENOMEM;
	if (sensors.count == 0)
		return 0;
	int rc = read_watts(root, pci, sensors.names[0], "power1_cap", &usage->power_cap_watts);
	return rc == 0 ? read_watts(root, pci, sensors.names[0], "power1_cap_max", &usage->power_most_watts) : rc;
}

static int read_memory(const struct mxt_sysroot *root, const char *pci, struct mxt_reading *used)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "/sys/bus/pci/devices/%s/mem_info_vram_used", pci);
	return read_number(root, &path, used);
}

static int count_process(const struct mxt_sysroot *root, const char *process, uint64_t gpu_id, uint32_t *count)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	struct mxt_reading bytes = {.reported = false};
	mxt_buf_printf(&path, PROCESSES "/%s/vram_%" PRIu64, process, gpu_id);
	int rc = read_number(root, &path, &bytes);
	*count += bytes.reported && bytes.value > 0;
	return rc;
}

static int count_processes(const struct mxt_sysroot *root, uint32_t node, uint32_t *count)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_NAMES struct mxt_name_list processes = MXT_NAME_LIST_INIT;
	struct mxt_reading gpu_id = {.reported = false};
	mxt_buf_printf(&path, "/sys/class/kfd/kfd/topology/nodes/%" PRIu32 "/gpu_id", node);
	int rc = read_number(root, &path, &gpu_id);
	if (rc < 0 || !gpu_id.reported)
		return rc;
	rc = mxt_sysroot_list(root, PROCESSES, MAX_PROCESSES, &processes, NULL) == -ENOMEM ? -ENOMEM : 0;
	for (size_t i = 0; i < processes.count && rc == 0; i++)
		rc = count_process(root, processes.names[i], gpu_id.value, count);
	return rc;
}

int mxt_amd_usage_read(const struct mxt_sysroot *root, const struct mxt_amd_gpu *gpu, struct mxt_amd_usage *ret_usage,
		       struct mxt_error *err)
{
	struct mxt_amd_usage usage = {.processes = 0};
	int rc = gpu->pci[0] ? read_memory(root, gpu->pci, &usage.memory_used_bytes) : 0;
	if (rc == 0 && gpu->pci[0])
		rc = read_power(root, gpu->pci, &usage);
	if (rc == 0)
		rc = count_processes(root, gpu->node, &usage.processes);
	if (rc < 0)
		return mxt_error_oom(err);
	*ret_usage = usage;
	return 0;
}
