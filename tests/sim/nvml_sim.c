/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for libnvidia-ml.so.1 (nvml_machine.h). Prototypes and statuses are those of nvml.h. Built twice: as it is,
 * and with SIM_OLD, which leaves out what drivers before 450 do not have.
 */
#include <stdio.h>
#include <string.h>

#include "nvml_api.h"
#include "nvml_machine.h"

#define MXT_DL_SYMBOL(type, symbol, arguments, required, since) MXT_SIM_EXPORT type symbol arguments;
#include "nvml.def"
#undef MXT_DL_SYMBOL

/* A handle points into one of these; what a process opened is never closed, as little as by the real one. */
struct mxt_nvml_device {
	const json_t *json;
	int gpu;
};

enum { MAX_HANDLES = 1024 };

static struct {
	json_t *machine;
	struct mxt_nvml_device handles[MAX_HANDLES];
	size_t n_handles;
} sim;

static const json_t *machine(void)
{
	if (!sim.machine)
		sim.machine = mxt_sim_machine_read();
	return sim.machine;
}

static struct mxt_nvml_device *make_handle(const json_t *json, int gpu)
{
	if (!json || sim.n_handles == MAX_HANDLES)
		return NULL;
	struct mxt_nvml_device *handle = &sim.handles[sim.n_handles++];
	*handle = (struct mxt_nvml_device){json, gpu};
	return handle;
}

/* True when a fault decides; `gpu` is MXT_SIM_NO_GPU where no card is meant. */
static bool faulty(const char *call, int gpu, enum mxt_nvml_status *ret_status)
{
	int status = 0;
	bool garbage = false;
	bool fault = mxt_sim_fault(machine(), call, gpu, &status, &garbage);
	*ret_status = (enum mxt_nvml_status)status;
	return fault;
}

static enum mxt_nvml_status give_text(const char *call, const json_t *object, int gpu, const char *key, char *text,
				      unsigned size)
{
	int status = 0;
	bool garbage = false;
	if (mxt_sim_fault(machine(), call, gpu, &status, &garbage))
		return (enum mxt_nvml_status)status;
	const char *value = json_string_value(json_object_get(object, key));
	if (garbage)
		mxt_sim_garbage(text, size);
	else if (!value)
		return MXT_NVML_NOT_SUPPORTED;
	else if (strlen(value) >= size)
		return MXT_NVML_INSUFFICIENT_SIZE;
	else
		memcpy(text, value, strlen(value) + 1);
	return MXT_NVML_SUCCESS;
}

static enum mxt_nvml_status give_number(const char *call, const struct mxt_nvml_device *device, const char *key,
					unsigned *number)
{
	enum mxt_nvml_status status = MXT_NVML_SUCCESS;
	if (faulty(call, device->gpu, &status))
		return status;
	const json_t *value = json_object_get(device->json, key);
	if (!value)
		return MXT_NVML_NOT_SUPPORTED;
	*number = json_is_boolean(value) ? json_is_true(value) : (unsigned)json_integer_value(value);
	return MXT_NVML_SUCCESS;
}

static enum mxt_nvml_status give_switch(const char *call, const struct mxt_nvml_device *device, const char *key,
					enum mxt_nvml_switch *on)
{
	unsigned value = 0;
	enum mxt_nvml_status status = give_number(call, device, key, &value);
	if (status == MXT_NVML_SUCCESS)
		*on = value ? MXT_NVML_ON : MXT_NVML_OFF;
	return status;
}

enum mxt_nvml_status nvmlInit_v2(void)
{
	enum mxt_nvml_status status = MXT_NVML_SUCCESS;
	(void)faulty(__func__, MXT_SIM_NO_GPU, &status);
	return status;
}

enum mxt_nvml_status nvmlShutdown(void)
{
	enum mxt_nvml_status status = MXT_NVML_SUCCESS;
	(void)faulty(__func__, MXT_SIM_NO_GPU, &status);
	return status;
}

const char *nvmlErrorString(enum mxt_nvml_status status)
{
	switch ((int)status) {
	case MXT_NVML_NOT_SUPPORTED:
		return "Not Supported";
	case MXT_NVML_DRIVER_NOT_LOADED:
		return "Driver Not Loaded";
	case 15:
		return "GPU is lost";
	case MXT_NVML_VERSION_MISMATCH:
		return "Driver/library version mismatch";
	default:
		return "Unknown Error";
	}
}

enum mxt_nvml_status nvmlSystemGetDriverVersion(char *version, unsigned size)
{
	return give_text(__func__, machine(), MXT_SIM_NO_GPU, "driver", version, size);
}

enum mxt_nvml_status nvmlDeviceGetCount_v2(unsigned *count)
{
	enum mxt_nvml_status status = MXT_NVML_SUCCESS;
	*count = (unsigned)json_array_size(json_object_get(machine(), "gpus"));
	(void)faulty(__func__, MXT_SIM_NO_GPU, &status);
	return status;
}

enum mxt_nvml_status nvmlDeviceGetHandleByIndex_v2(unsigned index, struct mxt_nvml_device **device)
{
	enum mxt_nvml_status status = MXT_NVML_SUCCESS;
	if (faulty(__func__, (int)index, &status))
		return status;
	*device = make_handle(json_array_get(json_object_get(machine(), "gpus"), index), (int)index);
	return *device ? MXT_NVML_SUCCESS : MXT_NVML_UNKNOWN;
}

enum mxt_nvml_status nvmlDeviceGetName(struct mxt_nvml_device *device, char *name, unsigned size)
{
	return give_text(__func__, device->json, device->gpu, "name", name, size);
}

enum mxt_nvml_status nvmlDeviceGetUUID(struct mxt_nvml_device *device, char *uuid, unsigned size)
{
	return give_text(__func__, device->json, device->gpu, "uuid", uuid, size);
}

enum mxt_nvml_status nvmlDeviceGetMemoryInfo(struct mxt_nvml_device *device, struct mxt_nvml_memory *memory)
{
	enum mxt_nvml_status status = MXT_NVML_SUCCESS;
	if (faulty(__func__, device->gpu, &status))
		return status;
	memory->total = (unsigned long long)json_integer_value(json_object_get(device->json, "memory_bytes"));
	memory->used = (unsigned long long)json_integer_value(json_object_get(device->json, "memory_used_bytes"));
	memory->free = memory->total - memory->used;
	return MXT_NVML_SUCCESS;
}

enum mxt_nvml_status nvmlDeviceGetPciInfo_v3(struct mxt_nvml_device *device, struct mxt_nvml_pci *pci)
{
	return give_text(__func__, device->json, device->gpu, "pci", pci->bus_id, sizeof pci->bus_id);
}

enum mxt_nvml_status nvmlDeviceGetCudaComputeCapability(struct mxt_nvml_device *device, int *major, int *minor)
{
	char text[8] = "";
	enum mxt_nvml_status status =
	    give_text(__func__, device->json, device->gpu, "compute_capability", text, sizeof text);
	/* NOLINTNEXTLINE(cert-err34-c): the scenario is ours */
	if (status == MXT_NVML_SUCCESS && sscanf(text, "%d.%d", major, minor) != 2)
		return MXT_NVML_UNKNOWN;
	return status;
}

enum mxt_nvml_status nvmlDeviceGetClockInfo(struct mxt_nvml_device *device, enum mxt_nvml_clock clock, unsigned *mhz)
{
	return give_number(__func__, device, clock == MXT_NVML_CLOCK_SM ? "sm_mhz" : "memory_mhz", mhz);
}

enum mxt_nvml_status nvmlDeviceGetMaxClockInfo(struct mxt_nvml_device *device, enum mxt_nvml_clock clock, unsigned *mhz)
{
	return give_number(__func__, device, clock == MXT_NVML_CLOCK_SM ? "max_sm_mhz" : "max_memory_mhz", mhz);
}

enum mxt_nvml_status nvmlDeviceGetPowerManagementLimit(struct mxt_nvml_device *device, unsigned *limit_mw)
{
	return give_number(__func__, device, "power_limit_mw", limit_mw);
}

enum mxt_nvml_status nvmlDeviceGetPowerManagementDefaultLimit(struct mxt_nvml_device *device, unsigned *limit_mw)
{
	return give_number(__func__, device, "default_power_limit_mw", limit_mw);
}

enum mxt_nvml_status nvmlDeviceGetTemperature(struct mxt_nvml_device *device, enum mxt_nvml_sensor sensor,
					      unsigned *celsius)
{
	return sensor == MXT_NVML_SENSOR_GPU ? give_number(__func__, device, "temperature_c", celsius)
					     : MXT_NVML_NOT_SUPPORTED;
}

enum mxt_nvml_status nvmlDeviceGetEccMode(struct mxt_nvml_device *device, enum mxt_nvml_switch *current,
					  enum mxt_nvml_switch *pending)
{
	*pending = MXT_NVML_OFF;
	return give_switch(__func__, device, "ecc", current);
}

enum mxt_nvml_status nvmlDeviceGetPersistenceMode(struct mxt_nvml_device *device, enum mxt_nvml_switch *mode)
{
	return give_switch(__func__, device, "persistence", mode);
}

enum mxt_nvml_status nvmlDeviceGetComputeMode(struct mxt_nvml_device *device, enum mxt_nvml_compute_mode *mode)
{
	static const char *const names[] = {"default", "exclusive_thread", "prohibited", "exclusive_process"};
	char text[32] = "";
	enum mxt_nvml_status status = give_text(__func__, device->json, device->gpu, "compute_mode", text, sizeof text);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], text) == 0)
			*mode = (enum mxt_nvml_compute_mode)i;
	return status;
}

static enum mxt_nvml_status give_reasons(const char *call, const struct mxt_nvml_device *device,
					 unsigned long long *bits)
{
	static const char *const names[] = {"idle",        "application_clocks", "power_cap",
					    "hw_slowdown", "sync_boost",         "sw_thermal",
					    "hw_thermal",  "power_brake",        "display_clocks"};
	enum mxt_nvml_status status = MXT_NVML_SUCCESS;
	const json_t *reasons = json_object_get(device->json, "throttle");
	if (faulty(call, device->gpu, &status))
		return status;
	*bits = 0;
	for (size_t i = 0; i < json_array_size(reasons); i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (strcmp(json_string_value(json_array_get(reasons, i)), names[k]) == 0)
				*bits |= 1ULL << k;
	return reasons ? MXT_NVML_SUCCESS : MXT_NVML_NOT_SUPPORTED;
}

enum mxt_nvml_status nvmlDeviceGetCurrentClocksThrottleReasons(struct mxt_nvml_device *device, unsigned long long *bits)
{
	return give_reasons(__func__, device, bits);
}

static bool give_name(const json_t *processes, unsigned pid, char *name, unsigned size)
{
	for (size_t i = 0; i < json_array_size(processes); i++) {
		const json_t *process = json_array_get(processes, i);
		const char *text = json_string_value(json_object_get(process, "name"));
		if (json_integer_value(json_object_get(process, "pid")) != pid || !text)
			continue;
		(void)snprintf(name, size, "%s", text);
		return true;
	}
	return false;
}

enum mxt_nvml_status nvmlSystemGetProcessName(unsigned pid, char *name, unsigned size)
{
	const json_t *gpus = json_object_get(machine(), "gpus");
	enum mxt_nvml_status status = MXT_NVML_SUCCESS;
	if (faulty(__func__, MXT_SIM_NO_GPU, &status))
		return status;
	for (size_t i = 0; i < json_array_size(gpus); i++)
		if (give_name(json_object_get(json_array_get(gpus, i), "processes"), pid, name, size))
			return MXT_NVML_SUCCESS;
	return MXT_NVML_UNKNOWN;
}

#ifndef SIM_OLD
enum mxt_nvml_status nvmlDeviceGetMemoryBusWidth(struct mxt_nvml_device *device, unsigned *bits)
{
	return give_number(__func__, device, "memory_bus_bits", bits);
}

enum mxt_nvml_status nvmlDeviceGetCurrentClocksEventReasons(struct mxt_nvml_device *device, unsigned long long *bits)
{
	return give_reasons(__func__, device, bits);
}

enum mxt_nvml_status nvmlDeviceGetComputeRunningProcesses_v3(struct mxt_nvml_device *device, unsigned *count,
							     struct mxt_nvml_process *processes)
{
	enum mxt_nvml_status status = MXT_NVML_SUCCESS;
	unsigned room = *count;
	*count = (unsigned)json_array_size(json_object_get(device->json, "processes"));
	if (faulty(__func__, device->gpu, &status))
		return status;
	if (*count > room)
		return MXT_NVML_INSUFFICIENT_SIZE;
	for (unsigned i = 0; i < *count; i++) {
		const json_t *process = json_array_get(json_object_get(device->json, "processes"), i);
		const json_t *pid = json_object_get(process, "pid"), *used = json_object_get(process, "used_bytes");
		processes[i] = (struct mxt_nvml_process){
		    .pid = (unsigned)json_integer_value(pid),
		    .used_bytes = used ? (unsigned long long)json_integer_value(used) : ~0ULL};
	}
	return MXT_NVML_SUCCESS;
}

enum mxt_nvml_status nvmlDeviceGetNvLinkState(struct mxt_nvml_device *device, unsigned link,
					      enum mxt_nvml_switch *active)
{
	unsigned links = 0, lit = 0;
	enum mxt_nvml_status status = give_number(__func__, device, "nvlinks", &links);
	if (status != MXT_NVML_SUCCESS || link >= links)
		return MXT_NVML_NOT_SUPPORTED;
	lit = (unsigned)json_integer_value(json_object_get(device->json, "nvlinks_active"));
	*active = link < lit ? MXT_NVML_ON : MXT_NVML_OFF;
	return MXT_NVML_SUCCESS;
}

enum mxt_nvml_status nvmlDeviceGetFieldValues(struct mxt_nvml_device *device, int count, struct mxt_nvml_field *fields)
{
	for (int i = 0; i < count; i++) {
		fields[i].type = MXT_NVML_TYPE_UNSIGNED;
		fields[i].status = fields[i].id == MXT_NVML_FIELD_NVLINK_MB_PER_S
				       ? give_number(__func__, device, "nvlink_mb_per_s", &fields[i].value.number)
				       : MXT_NVML_NOT_SUPPORTED;
	}
	return MXT_NVML_SUCCESS;
}

enum mxt_nvml_status nvmlDeviceGetMigMode(struct mxt_nvml_device *device, unsigned *current, unsigned *pending)
{
	char text[8] = "";
	enum mxt_nvml_status status = give_text(__func__, device->json, device->gpu, "mig", text, sizeof text);
	*current = *pending = strcmp(text, "on") == 0;
	return status;
}

enum mxt_nvml_status nvmlDeviceGetMaxMigDeviceCount(struct mxt_nvml_device *device, unsigned *count)
{
	(void)device;
	*count = 7;
	return MXT_NVML_SUCCESS;
}

enum mxt_nvml_status nvmlDeviceGetMigDeviceHandleByIndex(struct mxt_nvml_device *device, unsigned index,
							 struct mxt_nvml_device **slice)
{
	enum mxt_nvml_status status = MXT_NVML_SUCCESS;
	if (faulty(__func__, device->gpu, &status))
		return status;
	*slice = make_handle(json_array_get(json_object_get(device->json, "slices"), index), device->gpu);
	return *slice ? MXT_NVML_SUCCESS : MXT_NVML_UNKNOWN;
}
#endif
