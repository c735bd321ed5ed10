/* SPDX-License-Identifier: Apache-2.0 */
#include "nvidia_gpu_json.h"

#include "check_result.h"
#include "compiler.h"
#include "json.h"
#include "nvidia_survey.h"

static int put_number(json_t *out, const char *key, struct mxt_reading value)
{
	return value.reported ? json_object_set_new(out, key, json_integer((json_int_t)value.value)) : 0;
}

static int put_flag(json_t *out, const char *key, struct mxt_reading value)
{
	return value.reported ? json_object_set_new(out, key, json_boolean(value.value != 0)) : 0;
}

/* NULL and "" are left out. */
static int put_text(json_t *out, const char *key, const char *text)
{
	return text && *text ? json_object_set_new(out, key, mxt_json_clean_text(text, MXT_NVIDIA_REASON)) : 0;
}

static int put_numbers(json_t *out, const struct mxt_nvidia_gpu *gpu)
{
	int rc = 0;
#define MXT_NVIDIA_NUMBER(key, largest) rc = rc < 0 ? rc : put_number(out, #key, gpu->key);
#include "nvidia_numbers.def"
#undef MXT_NVIDIA_NUMBER
	if (rc == 0)
		rc = put_flag(out, "ecc", gpu->ecc);
	return rc < 0 ? rc : put_flag(out, "persistence", gpu->persistence);
}

static int put_texts(json_t *out, const struct mxt_nvidia_gpu *gpu)
{
	static const char *const compute_modes[] = {[MXT_NVIDIA_COMPUTE_DEFAULT] = "default",
						    [MXT_NVIDIA_COMPUTE_EXCLUSIVE] = "exclusive",
						    [MXT_NVIDIA_COMPUTE_PROHIBITED] = "prohibited"};
	static const char *const migs[] = {
	    [MXT_NVIDIA_MIG_OFF] = "off", [MXT_NVIDIA_MIG_ON] = "on", [MXT_NVIDIA_MIG_SLICE] = "slice"};
	const struct {
		const char *key, *text;
	} rows[] = {
	    {"fault", gpu->fault},
	    {"name", gpu->name},
	    {"uuid", gpu->uuid},
	    {"pci", gpu->pci},
	    {"compute_capability", gpu->compute_capability},
	    {"compute_mode", compute_modes[gpu->compute_mode]},
	    {"mig", migs[gpu->mig]},
	};
	int rc = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows) && rc == 0; i++)
		rc = put_text(out, rows[i].key, rows[i].text);
	return rc;
}

static int put_process(json_t *list, const struct mxt_nvidia_process *process)
{
	MXT_CLEANUP_JSON json_t *out = json_pack("{s:I}", "pid", (json_int_t)process->pid);
	int rc = put_number(out, "used_bytes", process->used_bytes);
	if (rc == 0)
		rc = put_text(out, "name", process->name);
	return rc < 0 ? rc : json_array_append(list, out);
}

static int put_processes(json_t *out, const struct mxt_nvidia_gpu *gpu)
{
	if (gpu->n_processes == 0)
		return 0;
	MXT_CLEANUP_JSON json_t *list = json_array();
	int rc = 0;
	for (size_t i = 0; i < gpu->n_processes && rc == 0; i++)
		rc = put_process(list, &gpu->processes[i]);
	return rc < 0 ? rc : json_object_set(out, "processes", list);
}

json_t *mxt_nvidia_gpu_json(const struct mxt_nvidia_gpu *gpu)
{
	json_t *out = json_object();
	if (out && put_numbers(out, gpu) == 0 && put_texts(out, gpu) == 0 && put_processes(out, gpu) == 0)
		return out;
	json_decref(out);
	return NULL;
}
