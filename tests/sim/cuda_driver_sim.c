/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for libcuda.so.1 as far as it describes devices (nvml_machine.h): which ones CUDA_VISIBLE_DEVICES shows, in
 * its order. A card that is cut into slices shows its first one, or the one that the variable names. Built twice: as
 * it is, and with SIM_OLD, which leaves out cuDeviceGetUuid_v2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_driver.h"
#include "nvml_machine.h"

#define MXT_DL_SYMBOL(type, symbol, arguments, required, since) MXT_SIM_EXPORT type symbol arguments;
#include "cuda_driver.def"
#undef MXT_DL_SYMBOL

enum { MAX_DEVICES = 64 };

static struct {
	json_t *machine;
	struct {
		const json_t *json; /* the card or the slice */
		const json_t *card;
		int gpu;
	} devices[MAX_DEVICES];
	int count;
} sim;

static const json_t *is_cut(const json_t *gpu)
{
	const char *mig = json_string_value(json_object_get(gpu, "mig"));
	return mig && strcmp(mig, "on") == 0 ? json_object_get(gpu, "slices") : NULL;
}

static void show(const json_t *json, int gpu)
{
	const json_t *card = json_array_get(json_object_get(sim.machine, "gpus"), (size_t)gpu);
	if (!json || sim.count == MAX_DEVICES)
		return;
	sim.devices[sim.count].json = json;
	sim.devices[sim.count].card = card;
	sim.devices[sim.count++].gpu = gpu;
}

static void show_card(int gpu)
{
	const json_t *card = json_array_get(json_object_get(sim.machine, "gpus"), (size_t)gpu);
	if (card)
		show(is_cut(card) ? json_array_get(is_cut(card), 0) : card, gpu);
}

static bool starts(const json_t *json, const char *text, size_t len)
{
	const char *uuid = json_string_value(json_object_get(json, "uuid"));
	return uuid && strncmp(uuid, text, len) == 0;
}

/* A number, or the beginning of a UUID. False, and nothing more is shown, when it is neither. */
static bool show_named(const char *text, size_t len)
{
	const json_t *gpus = json_object_get(sim.machine, "gpus");
	int before = sim.count;
	for (int gpu = 0; gpu < (int)json_array_size(gpus); gpu++) {
		const json_t *card = json_array_get(gpus, (size_t)gpu);
		char number[16];
		(void)snprintf(number, sizeof number, "%d", gpu);
		bool numbered = strlen(number) == len && strncmp(number, text, len) == 0;
		if (numbered || (len >= 8 && starts(card, text, len)))
			show_card(gpu);
		for (size_t i = 0; i < json_array_size(is_cut(card)); i++)
			if (len >= 8 && starts(json_array_get(is_cut(card), i), text, len))
				show(json_array_get(is_cut(card), i), gpu);
	}
	return sim.count > before;
}

static void show_devices(void)
{
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");
	size_t n_gpus = json_array_size(json_object_get(sim.machine, "gpus"));
	for (int gpu = 0; !visible && gpu < (int)n_gpus; gpu++)
		show_card(gpu);
	while (visible && *visible) {
		size_t len = strcspn(visible, ",");
		if (!show_named(visible, len))
			return;
		visible += len + (visible[len] == ',');
	}
}

static bool faulty(const char *call, int gpu, enum mxt_cuda_status *ret_status)
{
	int status = 0;
	bool garbage = false;
	bool fault = mxt_sim_fault(sim.machine, call, gpu, &status, &garbage);
	*ret_status = (enum mxt_cuda_status)status;
	return fault;
}

enum mxt_cuda_status cuInit(unsigned flags)
{
	enum mxt_cuda_status status = MXT_CUDA_SUCCESS;
	(void)flags;
	if (!sim.machine) {
		sim.machine = mxt_sim_machine_read();
		show_devices();
	}
	if (faulty(__func__, MXT_SIM_NO_GPU, &status))
		return status;
	return sim.count ? MXT_CUDA_SUCCESS : MXT_CUDA_NO_DEVICE;
}

enum mxt_cuda_status cuDriverGetVersion(int *version)
{
	enum mxt_cuda_status status = MXT_CUDA_SUCCESS;
	*version = (int)json_integer_value(json_object_get(sim.machine, "cuda_driver_version"));
	(void)faulty(__func__, MXT_SIM_NO_GPU, &status);
	return status;
}

enum mxt_cuda_status cuDeviceGetCount(int *count)
{
	enum mxt_cuda_status status = MXT_CUDA_SUCCESS;
	*count = sim.count;
	(void)faulty(__func__, MXT_SIM_NO_GPU, &status);
	return status;
}

enum mxt_cuda_status cuDeviceGet(int *device, int ordinal)
{
	if (ordinal < 0 || ordinal >= sim.count)
		return (enum mxt_cuda_status)101; /* CUDA_ERROR_INVALID_DEVICE */
	*device = ordinal;
	return MXT_CUDA_SUCCESS;
}

enum mxt_cuda_status cuDeviceGetAttribute(int *value, enum mxt_cuda_attribute attribute, int device)
{
	static const struct {
		enum mxt_cuda_attribute attribute;
		const char *key;
	} rows[] = {{MXT_CUDA_MULTIPROCESSOR_COUNT, "sm_count"},
		    {MXT_CUDA_MEMORY_BUS_BITS, "memory_bus_bits"},
		    {MXT_CUDA_L2_BYTES, "l2_bytes"}};
	enum mxt_cuda_status status = MXT_CUDA_SUCCESS;
	if (faulty(__func__, sim.devices[device].gpu, &status))
		return status;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const json_t *own = json_object_get(sim.devices[device].json, rows[i].key);
		if (rows[i].attribute != attribute)
			continue;
		*value = (int)json_integer_value(own ? own : json_object_get(sim.devices[device].card, rows[i].key));
		return MXT_CUDA_SUCCESS;
	}
	return (enum mxt_cuda_status)1; /* CUDA_ERROR_INVALID_VALUE */
}

static enum mxt_cuda_status give_uuid(const char *call, const json_t *json, int gpu, struct mxt_cuda_uuid *uuid)
{
	enum mxt_cuda_status status = MXT_CUDA_SUCCESS;
	const char *text = json_string_value(json_object_get(json, "uuid"));
	if (faulty(call, gpu, &status))
		return status;
	size_t n = 0;
	for (text = text && strlen(text) > 4 ? text + 4 : ""; *text && n < sizeof uuid->bytes; text += 2) {
		char pair[3] = "";
		text += *text == '-';
		memcpy(pair, text, 2);
		uuid->bytes[n++] = (char)strtol(pair, NULL, 16);
	}
	return n == sizeof uuid->bytes ? MXT_CUDA_SUCCESS : (enum mxt_cuda_status)1;
}

/* That of the card, for a slice of it too. */
enum mxt_cuda_status cuDeviceGetUuid(struct mxt_cuda_uuid *uuid, int device)
{
	return give_uuid(__func__, sim.devices[device].card, sim.devices[device].gpu, uuid);
}

#ifndef SIM_OLD
enum mxt_cuda_status cuDeviceGetUuid_v2(struct mxt_cuda_uuid *uuid, int device)
{
	return give_uuid(__func__, sim.devices[device].json, sim.devices[device].gpu, uuid);
}
#endif
