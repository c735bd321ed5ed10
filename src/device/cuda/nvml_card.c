/* SPDX-License-Identifier: Apache-2.0 */
#include "nvml_card.h"

#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "clean_text.h"
#include "error.h"
#include "json.h"
#include "nvml_api.h"

#define MAX_PROCESSES 64
#define MAX_SLICES    8 /* a card is cut into at most seven; more is no count */

/* A card that is being described. */
struct card {
	const struct mxt_nvml *nvml;
	struct mxt_nvml_device *handle;
	json_t *out;
	bool no_memory;
};

json_t *mxt_nvml_text(const char *text, size_t size)
{
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT;
	mxt_clean_text(&clean, text, strnlen(text, size));
	for (size_t i = 0; i < clean.len; i++)
		if (clean.data[i] == '\n')
			clean.data[i] = ' ';
	return clean.failed ? NULL : json_string(mxt_buf_text(&clean));
}

/* Takes the reference; NULL is exhausted memory. */
static void put(struct card *card, const char *key, json_t *value)
{
	if (json_object_set_new(card->out, key, value) < 0)
		card->no_memory = true;
}

static void put_text(struct card *card, const char *key, const char *text, size_t size)
{
	put(card, key, mxt_nvml_text(text, size));
}

/* A number that JSON cannot hold exactly is none. */
static void put_number(struct card *card, const char *key, unsigned long long value)
{
	if (value <= (unsigned long long)MXT_JSON_MAX_INT)
		put(card, key, json_integer((json_int_t)value));
}

static void put_fault(struct card *card, const char *what, enum mxt_nvml_status status)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "%s: NVML status %d, %.80s", what, (int)status, mxt_nvml_status_text(card->nvml, status));
	put_text(card, "fault", mxt_buf_text(&text), text.len);
	card->no_memory = card->no_memory || text.failed;
}

/* Name, UUID and memory; false, with `fault`, when one of them is not told. */
static bool put_identity(struct card *card)
{
	const struct mxt_nvml_calls *call = &card->nvml->call;
	char name[MXT_NVML_NAME_SIZE] = "", uuid[MXT_NVML_UUID_SIZE] = "";
	struct mxt_nvml_memory memory = {0, 0, 0};
	enum mxt_nvml_status status = call->nvmlDeviceGetUUID(card->handle, uuid, sizeof uuid);
	if (status == MXT_NVML_SUCCESS) {
		put_text(card, "uuid", uuid, sizeof uuid);
		status = call->nvmlDeviceGetName(card->handle, name, sizeof name);
	}
	if (status == MXT_NVML_SUCCESS) {
		put_text(card, "name", name, sizeof name);
		status = call->nvmlDeviceGetMemoryInfo(card->handle, &memory);
	}
	if (status != MXT_NVML_SUCCESS) {
		put_fault(card, "it does not answer", status);
		return false;
	}
	put_number(card, "memory_bytes", memory.total);
	put_number(card, "memory_used_bytes", memory.used);
	return true;
}

static void put_place(struct card *card)
{
	const struct mxt_nvml_calls *call = &card->nvml->call;
	struct mxt_nvml_pci pci = {.bus_id = ""};
	int major = 0, minor = 0;
	if (call->nvmlDeviceGetPciInfo_v3 && call->nvmlDeviceGetPciInfo_v3(card->handle, &pci) == MXT_NVML_SUCCESS)
		put_text(card, "pci", pci.bus_id, sizeof pci.bus_id);
	if (!call->nvmlDeviceGetCudaComputeCapability ||
	    call->nvmlDeviceGetCudaComputeCapability(card->handle, &major, &minor) != MXT_NVML_SUCCESS)
		return;
	put(card, "compute_capability", json_sprintf("%d.%d", major, minor));
}

static void put_clocks(struct card *card)
{
	const struct mxt_nvml_calls *call = &card->nvml->call;
	const struct {
		const char *key;
		enum mxt_nvml_status (*get)(struct mxt_nvml_device *, enum mxt_nvml_clock, unsigned *);
		enum mxt_nvml_clock clock;
	} rows[] = {
	    {"max_sm_mhz", call->nvmlDeviceGetMaxClockInfo, MXT_NVML_CLOCK_SM},
	    {"sm_mhz", call->nvmlDeviceGetClockInfo, MXT_NVML_CLOCK_SM},
	    {"max_memory_mhz", call->nvmlDeviceGetMaxClockInfo, MXT_NVML_CLOCK_MEM},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		unsigned value = 0;
		if (rows[i].get && rows[i].get(card->handle, rows[i].clock, &value) == MXT_NVML_SUCCESS)
			put_number(card, rows[i].key, value);
	}
}

static void put_numbers(struct card *card)
{
	const struct mxt_nvml_calls *call = &card->nvml->call;
	const struct {
		const char *key;
		enum mxt_nvml_status (*get)(struct mxt_nvml_device *, unsigned *);
	} rows[] = {
	    {"memory_bus_bits", call->nvmlDeviceGetMemoryBusWidth},
	    {"power_limit_mw", call->nvmlDeviceGetPowerManagementLimit},
	    {"default_power_limit_mw", call->nvmlDeviceGetPowerManagementDefaultLimit},
	};
	unsigned value = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		if (rows[i].get && rows[i].get(card->handle, &value) == MXT_NVML_SUCCESS)
			put_number(card, rows[i].key, value);
	if (call->nvmlDeviceGetTemperature &&
	    call->nvmlDeviceGetTemperature(card->handle, MXT_NVML_SENSOR_GPU, &value) == MXT_NVML_SUCCESS)
		put_number(card, "temperature_c", value);
}

static void put_modes(struct card *card)
{
	static const char *const compute_modes[] = {
	    [MXT_NVML_COMPUTE_DEFAULT] = "default",
	    [MXT_NVML_COMPUTE_EXCLUSIVE_THREAD] = "exclusive_thread",
	    [MXT_NVML_COMPUTE_PROHIBITED] = "prohibited",
	    [MXT_NVML_COMPUTE_EXCLUSIVE_PROCESS] = "exclusive_process",
	};
	const struct mxt_nvml_calls *call = &card->nvml->call;
	enum mxt_nvml_switch on = MXT_NVML_OFF, pending = MXT_NVML_OFF;
	enum mxt_nvml_compute_mode mode = MXT_NVML_COMPUTE_DEFAULT;
	if (call->nvmlDeviceGetEccMode && call->nvmlDeviceGetEccMode(card->handle, &on, &pending) == MXT_NVML_SUCCESS)
		put(card, "ecc", json_boolean(on == MXT_NVML_ON));
	if (call->nvmlDeviceGetPersistenceMode &&
	    call->nvmlDeviceGetPersistenceMode(card->handle, &on) == MXT_NVML_SUCCESS)
		put(card, "persistence", json_boolean(on == MXT_NVML_ON));
	if (call->nvmlDeviceGetComputeMode && call->nvmlDeviceGetComputeMode(card->handle, &mode) == MXT_NVML_SUCCESS &&
	    (size_t)mode < MXT_ARRAY_LEN(compute_modes))
		put(card, "compute_mode", json_string(compute_modes[mode]));
}

static bool is_cut(const struct mxt_nvml *nvml, struct mxt_nvml_device *handle, bool *ret_cut)
{
	unsigned current = 0, pending = 0;
	if (!nvml->call.nvmlDeviceGetMigMode ||
	    nvml->call.nvmlDeviceGetMigMode(handle, &current, &pending) != MXT_NVML_SUCCESS)
		return false;
	*ret_cut = current == MXT_NVML_ON;
	return true;
}

/* Bit numbers of nvmlClocksEventReasons. */
static void put_throttle(struct card *card)
{
	static const char *const names[] = {"idle",        "application_clocks", "power_cap",
					    "hw_slowdown", "sync_boost",         "sw_thermal",
					    "hw_thermal",  "power_brake",        "display_clocks"};
	const struct mxt_nvml_calls *call = &card->nvml->call;
	enum mxt_nvml_status (*get)(struct mxt_nvml_device *, unsigned long long *) =
	    call->nvmlDeviceGetCurrentClocksEventReasons ? call->nvmlDeviceGetCurrentClocksEventReasons
							 : call->nvmlDeviceGetCurrentClocksThrottleReasons;
	unsigned long long bits = 0;
	if (!get || get(card->handle, &bits) != MXT_NVML_SUCCESS)
		return;
	json_t *reasons = json_array();
	for (size_t i = 0; i < MXT_ARRAY_LEN(names); i++)
		if (bits >> i & 1 && json_array_append_new(reasons, json_string(names[i])) < 0)
			card->no_memory = true;
	put(card, "throttle", reasons);
}

/* Only the program's own name: its folder and its arguments are nobody's business. */
static json_t *process_name(const struct mxt_nvml *nvml, unsigned pid)
{
	char name[256] = "";
	if (!nvml->call.nvmlSystemGetProcessName ||
	    nvml->call.nvmlSystemGetProcessName(pid, name, sizeof name) != MXT_NVML_SUCCESS)
		return NULL;
	name[sizeof name - 1] = '\0';
	name[strcspn(name, " ")] = '\0';
	const char *slash = strrchr(name, '/');
	return mxt_nvml_text(slash ? slash + 1 : name, 64);
}

/* NULL when memory ran out. Memory that NVML does not know is larger than any. */
static json_t *describe_process(const struct mxt_nvml *nvml, const struct mxt_nvml_process *process)
{
	bool sized = process->used_bytes <= (unsigned long long)MXT_JSON_MAX_INT;
	json_t *used = sized ? json_integer((json_int_t)process->used_bytes) : NULL;
	return json_pack("{s:I, s:o*, s:o*}", "pid", (json_int_t)process->pid, "used_bytes", used, "name",
			 process_name(nvml, process->pid));
}

/* Of more processes than fit only the number is told, and then none is listed. */
static void put_processes(struct card *card)
{
	const struct mxt_nvml_calls *call = &card->nvml->call;
	struct mxt_nvml_process rows[MAX_PROCESSES];
	unsigned count = MAX_PROCESSES;
	if (!call->nvmlDeviceGetComputeRunningProcesses_v3)
		return;
	enum mxt_nvml_status status = call->nvmlDeviceGetComputeRunningProcesses_v3(card->handle, &count, rows);
	if (status == MXT_NVML_INSUFFICIENT_SIZE)
		put_number(card, "process_count", count);
	if (status != MXT_NVML_SUCCESS || count > MAX_PROCESSES)
		return;
	json_t *processes = json_array();
	for (unsigned i = 0; i < count; i++)
		if (json_array_append_new(processes, describe_process(card->nvml, &rows[i])) < 0)
			card->no_memory = true;
	put(card, "processes", processes);
}

static void put_links(struct card *card)
{
	const struct mxt_nvml_calls *call = &card->nvml->call;
	unsigned active = 0, link = 0;
	enum mxt_nvml_switch on = MXT_NVML_OFF;
	for (; call->nvmlDeviceGetNvLinkState && link < MXT_NVML_MAX_LINKS &&
	       call->nvmlDeviceGetNvLinkState(card->handle, link, &on) == MXT_NVML_SUCCESS;
	     link++)
		active += on == MXT_NVML_ON;
	if (link == 0)
		return;
	put_number(card, "nvlinks", link);
	put_number(card, "nvlinks_active", active);
	struct mxt_nvml_field field = {.id = MXT_NVML_FIELD_NVLINK_MB_PER_S};
	if (active && call->nvmlDeviceGetFieldValues &&
	    call->nvmlDeviceGetFieldValues(card->handle, 1, &field) == MXT_NVML_SUCCESS &&
	    field.status == MXT_NVML_SUCCESS && field.type == MXT_NVML_TYPE_UNSIGNED && field.value.number)
		put_number(card, "nvlink_mb_per_s", field.value.number);
}

static void describe(struct card *card)
{
	bool cut = false;
	if (!put_identity(card))
		return;
	put_place(card);
	put_clocks(card);
	put_numbers(card);
	put_modes(card);
	put_throttle(card);
	put_processes(card);
	put_links(card);
	if (is_cut(card->nvml, card->handle, &cut))
		put(card, "mig", json_string(cut ? "on" : "off"));
}

int mxt_nvml_card(const struct mxt_nvml *nvml, unsigned index, json_t **ret_card, struct mxt_error *err)
{
	struct card card = {.nvml = nvml, .out = json_object()};
	if (!card.out)
		return mxt_error_oom(err);
	put_number(&card, "index", index);
	enum mxt_nvml_status status = nvml->call.nvmlDeviceGetHandleByIndex_v2(index, &card.handle);
	if (status == MXT_NVML_SUCCESS)
		describe(&card);
	else
		put_fault(&card, "it cannot be opened", status);
	if (card.no_memory) {
		json_decref(card.out);
		return mxt_error_oom(err);
	}
	*ret_card = card.out;
	return 0;
}

/* What NVML tells of a slice itself replaces what it shares with its card. */
static int add_slice(struct card *slice, const json_t *whole, json_t *devices)
{
	slice->out = json_deep_copy(whole);
	if (!slice->out)
		return -1;
	(void)json_object_del(slice->out, "processes");
	(void)json_object_del(slice->out, "process_count");
	put(slice, "card", json_incref(json_object_get(whole, "uuid")));
	put(slice, "mig", json_string("slice"));
	if (put_identity(slice))
		put_processes(slice);
	return json_array_append_new(devices, slice->out);
}

int mxt_nvml_slices(const struct mxt_nvml *nvml, unsigned index, const json_t *card, json_t *devices,
		    struct mxt_error *err)
{
	const struct mxt_nvml_calls *call = &nvml->call;
	struct mxt_nvml_device *handle = NULL;
	unsigned count = 0;
	bool cut = false;
	if (json_object_get(card, "fault") || !call->nvmlDeviceGetMaxMigDeviceCount ||
	    !call->nvmlDeviceGetMigDeviceHandleByIndex ||
	    call->nvmlDeviceGetHandleByIndex_v2(index, &handle) != MXT_NVML_SUCCESS || !is_cut(nvml, handle, &cut) ||
	    !cut || call->nvmlDeviceGetMaxMigDeviceCount(handle, &count) != MXT_NVML_SUCCESS)
		return 0;
	for (unsigned i = 0; i < count && i < MAX_SLICES; i++) {
		struct card slice = {.nvml = nvml};
		if (call->nvmlDeviceGetMigDeviceHandleByIndex(handle, i, &slice.handle) != MXT_NVML_SUCCESS)
			continue;
		if (add_slice(&slice, card, devices) < 0 || slice.no_memory)
			return mxt_error_oom(err);
	}
	return 0;
}
