/* SPDX-License-Identifier: Apache-2.0 */
#include "nvidia_survey.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "json.h"
#include "json_path.h"
#include "number.h"
#include "nvidia_peak.h"
#include "printable.h"

static int refuse(const struct mxt_json_path *parent, const char *key, const char *wanted, struct mxt_error *err)
{
	const struct mxt_json_path path = {parent, key, 0};
	return mxt_json_at(&path,
			   mxt_error_set(err, -EINVAL, MXT_E_NVIDIA_SURVEY,
					 "what NVIDIA's driver told is %s here; take a survey anew", wanted),
			   err);
}

static int parse_number(const struct mxt_json_path *path, const json_t *object, const char *key, uint64_t max,
			struct mxt_reading *ret_number, struct mxt_error *err)
{
	const json_t *value = json_object_get(object, key);
	if (!value)
		return 0;
	json_int_t number = json_integer_value(value);
	if (!json_is_integer(value) || number < 0 || (uint64_t)number > max)
		return refuse(path, key, "no number in its range", err);
	*ret_number = mxt_reading_of((uint64_t)number);
	return 0;
}

/* Text that does not fit is refused, not cut: two UUIDs must not become one. */
static int parse_text(const struct mxt_json_path *path, const json_t *object, const char *key, char *out, size_t size,
		      struct mxt_error *err)
{
	const json_t *value = json_object_get(object, key);
	if (!value)
		return 0;
	const char *text = json_string_value(value);
	if (!text || strlen(text) >= size || !mxt_json_is_text(text))
		return refuse(path, key, "no short text", err);
	memcpy(out, text, strlen(text) + 1);
	return 0;
}

static int parse_flag(const struct mxt_json_path *path, const json_t *object, const char *key,
		      struct mxt_reading *ret_flag, struct mxt_error *err)
{
	const json_t *value = json_object_get(object, key);
	if (!value)
		return 0;
	if (!json_is_boolean(value))
		return refuse(path, key, "neither true nor false", err);
	*ret_flag = mxt_reading_of(json_is_true(value));
	return 0;
}

static int parse_numbers(const struct mxt_json_path *path, const json_t *device, struct mxt_nvidia_gpu *gpu,
			 struct mxt_error *err)
{
	const struct {
		const char *key;
		uint64_t max;
		struct mxt_reading *value;
	} rows[] = {
#define MXT_NVIDIA_NUMBER(key, largest) {#key, (largest), &gpu->key},
#include "nvidia_numbers.def"
#undef MXT_NVIDIA_NUMBER
	};
	int rc = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows) && rc == 0; i++)
		rc = parse_number(path, device, rows[i].key, rows[i].max, rows[i].value, err);
	if (rc == 0)
		rc = parse_flag(path, device, "ecc", &gpu->ecc, err);
	return rc < 0 ? rc : parse_flag(path, device, "persistence", &gpu->persistence, err);
}

static int parse_texts(const struct mxt_json_path *path, const json_t *device, struct mxt_nvidia_gpu *gpu,
		       struct mxt_error *err)
{
	const struct {
		const char *key;
		char *out;
		size_t size;
	} rows[] = {
	    {"fault", gpu->fault, sizeof gpu->fault},
	    {"name", gpu->name, sizeof gpu->name},
	    {"uuid", gpu->uuid, sizeof gpu->uuid},
	    {"pci", gpu->pci, sizeof gpu->pci},
	    {"compute_capability", gpu->compute_capability, sizeof gpu->compute_capability},
	};
	int rc = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows) && rc == 0; i++)
		rc = parse_text(path, device, rows[i].key, rows[i].out, rows[i].size, err);
	return rc;
}

struct word {
	const char *text;
	unsigned value;
};

/* A word of a later driver that is not known here means nothing to us: 0. */
static unsigned find_word(const struct word *words, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i].text, text) == 0)
			return words[i].value;
	return 0;
}

static int parse_modes(const struct mxt_json_path *path, const json_t *device, struct mxt_nvidia_gpu *gpu,
		       struct mxt_error *err)
{
	static const struct word compute_modes[] = {{"default", MXT_NVIDIA_COMPUTE_DEFAULT},
						    {"exclusive_thread", MXT_NVIDIA_COMPUTE_EXCLUSIVE},
						    {"exclusive_process", MXT_NVIDIA_COMPUTE_EXCLUSIVE},
						    {"prohibited", MXT_NVIDIA_COMPUTE_PROHIBITED}};
	static const struct word migs[] = {
	    {"off", MXT_NVIDIA_MIG_OFF}, {"on", MXT_NVIDIA_MIG_ON}, {"slice", MXT_NVIDIA_MIG_SLICE}};
	char text[MXT_NVIDIA_TEXT] = "";
	int rc = parse_text(path, device, "compute_mode", text, sizeof text, err);
	if (rc < 0)
		return rc;
	gpu->compute_mode = (enum mxt_nvidia_compute_mode)find_word(compute_modes, MXT_ARRAY_LEN(compute_modes), text);
	text[0] = '\0';
	rc = parse_text(path, device, "mig", text, sizeof text, err);
	if (rc == 0)
		gpu->mig = (enum mxt_nvidia_mig)find_word(migs, MXT_ARRAY_LEN(migs), text);
	return rc;
}

static int parse_throttle(const struct mxt_json_path *path, const json_t *device, struct mxt_nvidia_gpu *gpu,
			  struct mxt_error *err)
{
	static const struct word reasons[] = {{"application_clocks", MXT_NVIDIA_THROTTLE_CLOCKS_SET},
					      {"power_cap", MXT_NVIDIA_THROTTLE_POWER_CAP},
					      {"hw_slowdown", MXT_NVIDIA_THROTTLE_HARDWARE},
					      {"power_brake", MXT_NVIDIA_THROTTLE_HARDWARE},
					      {"sw_thermal", MXT_NVIDIA_THROTTLE_HEAT},
					      {"hw_thermal", MXT_NVIDIA_THROTTLE_HEAT}};
	const json_t *list = json_object_get(device, "throttle");
	if (list && !json_is_array(list))
		return refuse(path, "throttle", "no list", err);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));
		if (!text)
			return refuse(path, "throttle", "no list of words", err);
		gpu->throttle |= find_word(reasons, MXT_ARRAY_LEN(reasons), text);
	}
	return 0;
}

static int parse_process(const struct mxt_json_path *path, const json_t *json, struct mxt_nvidia_process *process,
			 struct mxt_error *err)
{
	struct mxt_reading pid = {0, false};
	if (!json_is_object(json))
		return mxt_json_at(path,
				   mxt_error_set(err, -EINVAL, MXT_E_NVIDIA_SURVEY,
						 "what NVIDIA's driver told is no process here; take a survey anew"),
				   err);
	int rc = parse_number(path, json, "pid", UINT32_MAX, &pid, err);
	if (rc == 0)
		rc = parse_number(path, json, "used_bytes", MXT_JSON_MAX_INT, &process->used_bytes, err);
	if (rc == 0)
		rc = parse_text(path, json, "name", process->name, sizeof process->name, err);
	process->pid = pid.value;
	return rc;
}

static int parse_processes(const struct mxt_json_path *path, const json_t *device, struct mxt_nvidia_gpu *gpu,
			   struct mxt_error *err)
{
	const json_t *list = json_object_get(device, "processes");
	if (!list)
		return 0;
	if (!json_is_array(list))
		return refuse(path, "processes", "no list", err);
	const struct mxt_json_path list_path = {path, "processes", 0};
	gpu->process_count = mxt_reading_of(json_array_size(list));
	for (size_t i = 0; i < json_array_size(list) && i < MXT_NVIDIA_MAX_PROCESSES; i++) {
		const struct mxt_json_path row_path = {&list_path, NULL, i};
		int rc = parse_process(&row_path, json_array_get(list, i), &gpu->processes[i], err);
		if (rc < 0)
			return rc;
		gpu->n_processes++;
	}
	return 0;
}

/* "9.0" becomes 9 and 0; false when it is something else. */
static bool split_capability(const char *text, int *ret_major, int *ret_minor)
{
	uint64_t major = 0, minor = 0;
	const char *end = NULL;
	if (mxt_parse_u64(text, &end, &major) < 0 || *end != '.' || mxt_parse_u64(end + 1, &end, &minor) < 0 || *end ||
	    major > 99 || minor > 9)
		return false;
	*ret_major = (int)major;
	*ret_minor = (int)minor;
	return true;
}

static void derive(struct mxt_nvidia_gpu *gpu)
{
	int major = 0, minor = 0;
	if (split_capability(gpu->compute_capability, &major, &minor)) {
		const struct mxt_nvidia_rate rate = mxt_nvidia_rate(major, minor);
		double clocks = (double)gpu->sm_count.value * (double)gpu->max_sm_mhz.value * 1e6;
		(void)snprintf(gpu->arch, sizeof gpu->arch, "sm_%d%d", major, minor);
		gpu->peak_bf16_flops = clocks * rate.bf16;
		gpu->peak_fp32_flops = clocks * rate.fp32;
	}
	/* Two transfers a clock: what the driver calls the memory clock of HBM and GDDR alike. */
	gpu->peak_bytes = 2e6 * (double)gpu->max_memory_mhz.value * (double)gpu->memory_bus_bits.value / 8;
}

static int parse_gpu(const struct mxt_json_path *path, const json_t *device, struct mxt_nvidia_gpu *gpu,
		     struct mxt_error *err)
{
	if (!json_is_object(device))
		return mxt_json_at(path,
				   mxt_error_set(err, -EINVAL, MXT_E_NVIDIA_SURVEY,
						 "what NVIDIA's driver told is no device here; take a survey anew"),
				   err);
	int rc = parse_texts(path, device, gpu, err);
	if (rc == 0)
		rc = parse_numbers(path, device, gpu, err);
	if (rc == 0)
		rc = parse_modes(path, device, gpu, err);
	if (rc == 0)
		rc = parse_throttle(path, device, gpu, err);
	if (rc == 0)
		rc = parse_processes(path, device, gpu, err);
	if (rc == 0)
		derive(gpu);
	return rc;
}

int mxt_nvidia_gpu_parse(const json_t *facts, size_t place, struct mxt_nvidia_gpu *ret_gpu, struct mxt_error *err)
{
	const struct mxt_json_path root = MXT_JSON_ROOT, list = {&root, "devices", 0}, row = {&list, NULL, place};
	struct mxt_nvidia_gpu gpu = {.name = ""};
	int rc = parse_gpu(&row, json_array_get(json_object_get(facts, "devices"), place), &gpu, err);
	if (rc == 0)
		*ret_gpu = gpu;
	return rc;
}

int mxt_nvidia_driver_parse(const json_t *facts, struct mxt_nvidia_driver *ret_driver, struct mxt_error *err)
{
	const struct mxt_json_path root = MXT_JSON_ROOT;
	struct mxt_nvidia_driver driver = {.version = ""};
	const json_t *devices = json_object_get(facts, "devices");
	if (!json_is_array(devices))
		return refuse(&root, "devices", "no list", err);
	driver.n_devices = json_array_size(devices);
	int rc = parse_text(&root, facts, "driver", driver.version, sizeof driver.version, err);
	if (rc == 0)
		rc = parse_number(&root, facts, "cuda_driver_version", 1000000, &driver.cuda, err);
	if (rc == 0)
		rc = parse_text(&root, facts, "cuda_reason", driver.reason, sizeof driver.reason, err);
	if (rc == 0)
		*ret_driver = driver;
	return rc;
}

/* "0: NVIDIA H200, 1: NVIDIA H200; not shown by CUDA: NVIDIA T400" */
static int no_such_ordinal(const json_t *facts, const struct mxt_nvidia_driver *driver, unsigned ordinal,
			   struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf hidden = MXT_BUF_INIT;
	char name[MXT_PRINTABLE_SIZE];
	for (size_t i = 0; i < driver->n_devices; i++) {
		struct mxt_nvidia_gpu gpu = {.name = ""};
		int rc = mxt_nvidia_gpu_parse(facts, i, &gpu, err);
		if (rc < 0)
			return rc;
		mxt_printable(gpu.name[0] ? gpu.name : "a card that does not answer", name);
		if (gpu.ordinal.reported)
			mxt_buf_printf(&shown, "%s%" PRIu64 ": %s", shown.len ? ", " : "", gpu.ordinal.value, name);
		else
			mxt_buf_printf(&hidden, "%s%s", hidden.len ? ", " : "", name);
	}
	return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "there is no NVIDIA GPU %u; CUDA shows %s%s%s%s%s", ordinal,
			     shown.len ? mxt_buf_text(&shown) : "none", hidden.len ? "; not shown: " : "",
			     mxt_buf_text(&hidden), driver->reason[0] ? "; " : "", driver->reason);
}

int mxt_nvidia_gpu_find(const json_t *facts, unsigned ordinal, struct mxt_nvidia_gpu *ret_gpu, struct mxt_error *err)
{
	struct mxt_nvidia_driver driver = {.n_devices = 0};
	int rc = mxt_nvidia_driver_parse(facts, &driver, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < driver.n_devices; i++) {
		struct mxt_nvidia_gpu gpu = {.name = ""};
		rc = mxt_nvidia_gpu_parse(facts, i, &gpu, err);
		if (rc < 0)
			return rc;
		if (mxt_reading_is(gpu.ordinal, ordinal)) {
			*ret_gpu = gpu;
			return 0;
		}
	}
	return no_such_ordinal(facts, &driver, ordinal, err);
}
