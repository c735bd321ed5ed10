/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's driver and cards, as its own libraries describe them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "compiler.h"
#include "json.h"
#include "nvidia_gpu_json.h"
#include "size_text.h"
#include "survey.h"

#define UNSEEN_BYTES (2 * MXT_GIB) /* more than what the driver keeps for itself */

/* "GPU 3", "GPU 3 (CUDA 0)", "slice of GPU 3 (CUDA 0)": as nvidia-smi counts, and as CUDA does where that differs. */
#define LABEL_SIZE 64
static const char *label_of(const struct mxt_nvidia_gpu *gpu, char label[LABEL_SIZE])
{
	const char *slice = gpu->mig == MXT_NVIDIA_MIG_SLICE ? "slice of " : "";
	int len = gpu->index.reported ? snprintf(label, LABEL_SIZE, "%sGPU %" PRIu64, slice, gpu->index.value)
				      : snprintf(label, LABEL_SIZE, "%sGPU", slice);
	if (gpu->ordinal.reported && (*slice || !mxt_reading_is(gpu->index, gpu->ordinal.value)))
		(void)snprintf(label + len, LABEL_SIZE - (size_t)len, " (CUDA %" PRIu64 ")", gpu->ordinal.value);
	return label;
}

/* Reasons say what is wrong and, after a semicolon, what to do. */
static void explain(struct mxt_check_result *result, const char *reason, const char *todo)
{
	const char *end = strstr(reason, "; ");
	mxt_wrong(result, "%.*s", end ? (int)(end - reason) : (int)strlen(reason), reason);
	mxt_todo(result, "%s", end ? end + 2 : todo);
}

static void find_identity(const struct mxt_nvidia_gpu *gpu, const char *label, struct mxt_check_result *result)
{
	char size[MXT_SIZE_TEXT];
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "%s: %s", label, gpu->name[0] ? gpu->name : "(name not reported)");
	if (gpu->memory_bytes.reported)
		mxt_buf_printf(&text, ", %s", mxt_size_text(size, gpu->memory_bytes.value));
	if (gpu->arch[0])
		mxt_buf_printf(&text, ", %s", gpu->arch);
	if (gpu->sm_count.reported)
		mxt_buf_printf(&text, ", %" PRIu64 " multiprocessors", gpu->sm_count.value);
	if (gpu->pci[0])
		mxt_buf_printf(&text, ", PCI %s", gpu->pci);
	if (gpu->uuid[0])
		mxt_buf_printf(&text, ", %s", gpu->uuid);
	if (!gpu->ordinal.reported && gpu->mig != MXT_NVIDIA_MIG_ON)
		mxt_buf_puts(&text, ", not shown by CUDA");
	result->failed = result->failed || text.failed;
	mxt_find(result, MXT_CHECK_OK, "%s", mxt_buf_text(&text));
}

static void find_state(const struct mxt_nvidia_gpu *gpu, const char *label, struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	if (gpu->sm_mhz.reported && gpu->max_sm_mhz.reported)
		mxt_buf_printf(&text, ", %" PRIu64 " of %" PRIu64 " MHz", gpu->sm_mhz.value, gpu->max_sm_mhz.value);
	if (gpu->power_limit_mw.reported)
		mxt_buf_printf(&text, ", up to %" PRIu64 " W", gpu->power_limit_mw.value / 1000);
	if (gpu->temperature_c.reported)
		mxt_buf_printf(&text, ", %" PRIu64 " degrees Celsius", gpu->temperature_c.value);
	if (gpu->ecc.reported)
		mxt_buf_printf(&text, ", ECC %s", gpu->ecc.value ? "on" : "off");
	if (gpu->nvlinks_active.reported) {
		mxt_buf_printf(&text, ", %" PRIu64 " NVLinks", gpu->nvlinks_active.value);
		if (gpu->nvlink_mb_per_s.reported)
			mxt_buf_printf(&text, " of %" PRIu64 " MB/s each way", gpu->nvlink_mb_per_s.value);
	}
	result->failed = result->failed || text.failed;
	if (text.len)
		mxt_find(result, MXT_CHECK_OK, "%s: %s", label, mxt_buf_text(&text) + 2);
}

static void find_power(const struct mxt_nvidia_gpu *gpu, const char *label, struct mxt_check_result *result)
{
	uint64_t limit = gpu->power_limit_mw.value, usual = gpu->default_power_limit_mw.value;
	if (!gpu->power_limit_mw.reported || !gpu->default_power_limit_mw.reported || limit >= usual)
		return;
	mxt_find(result, MXT_CHECK_WARN, "%s: power limit %" PRIu64 " W, by default %" PRIu64 " W", label, limit / 1000,
		 usual / 1000);
	mxt_wrong(result, "clocks fall under load, and what is measured here holds for this limit only");
	mxt_todo(result, "nvidia-smi -i %" PRIu64 " -pl %" PRIu64 " (as root), if the limit is not meant",
		 gpu->index.value, usual / 1000);
}

static void find_throttle(const struct mxt_nvidia_gpu *gpu, const char *label, struct mxt_check_result *result)
{
	static const struct {
		enum mxt_nvidia_throttle bit;
		enum mxt_check_status status;
		const char *what, *wrong, *todo;
	} rows[] = {
	    {MXT_NVIDIA_THROTTLE_HEAT, MXT_CHECK_WARN, "held back by heat",
	     "it runs slower than it could, and slower still under load", "look after its cooling"},
	    {MXT_NVIDIA_THROTTLE_HARDWARE, MXT_CHECK_WARN, "held back by the board (slowdown or power brake)",
	     "it runs at a fraction of its speed",
	     "look after power supply and cooling; see nvidia-smi -q -d PERFORMANCE"},
	    {MXT_NVIDIA_THROTTLE_CLOCKS_SET, MXT_CHECK_NOTE, "clocks are fixed by somebody",
	     "what is measured here holds for these clocks only",
	     "nvidia-smi -rac; nvidia-smi -rgc (as root) frees them"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		if (!(gpu->throttle & rows[i].bit))
			continue;
		mxt_find(result, rows[i].status, "%s: %s", label, rows[i].what);
		mxt_wrong(result, "%s", rows[i].wrong);
		mxt_todo(result, "%s", rows[i].todo);
	}
}

/* ": 4242 python3 (12.3 GiB), 4243" */
static void list_processes(const struct mxt_nvidia_gpu *gpu, struct mxt_buf *text)
{
	char size[MXT_SIZE_TEXT];
	for (size_t i = 0; i < gpu->n_processes; i++) {
		const struct mxt_nvidia_process *process = &gpu->processes[i];
		mxt_buf_printf(text, "%s %" PRIu64, i ? "," : ":", process->pid);
		if (process->name[0])
			mxt_buf_printf(text, " %s", process->name);
		if (process->used_bytes.reported)
			mxt_buf_printf(text, " (%s)", mxt_size_text(size, process->used_bytes.value));
	}
}

static void find_company(const struct mxt_nvidia_gpu *gpu, const char *label, struct mxt_check_result *result)
{
	static const char todo[] = "end them, or choose another GPU: CUDA_VISIBLE_DEVICES";
	char size[MXT_SIZE_TEXT];
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	if (gpu->process_count.value > 0) {
		list_processes(gpu, &text);
		result->failed = result->failed || text.failed;
		mxt_find(result, MXT_CHECK_WARN, "%s: %" PRIu64 " other process%s on it%s", label,
			 gpu->process_count.value, gpu->process_count.value == 1 ? "" : "es", mxt_buf_text(&text));
	} else if (gpu->memory_used_bytes.value > UNSEEN_BYTES && gpu->mig != MXT_NVIDIA_MIG_ON) {
		mxt_find(result, MXT_CHECK_WARN, "%s: %s of its memory in use by processes that are not visible here",
			 label, mxt_size_text(size, gpu->memory_used_bytes.value));
	} else {
		return;
	}
	mxt_wrong(result, "they take memory and disturb every measurement");
	mxt_todo(result, todo);
}

static void find_modes(const struct mxt_nvidia_gpu *gpu, const char *label, struct mxt_check_result *result)
{
	if (gpu->compute_mode == MXT_NVIDIA_COMPUTE_EXCLUSIVE) {
		mxt_find(result, MXT_CHECK_NOTE, "%s: one process at a time (exclusive compute mode)", label);
		mxt_wrong(result, "candidates cannot wait side by side: each is started anew for its turn, which takes "
				  "more of the budget");
		mxt_todo(result, "nvidia-smi -i %" PRIu64 " -c DEFAULT (as root), if the mode is not meant",
			 gpu->index.value);
	}
	if (gpu->compute_mode == MXT_NVIDIA_COMPUTE_PROHIBITED) {
		mxt_find(result, MXT_CHECK_WARN, "%s: no process may compute on it (prohibited compute mode)", label);
		mxt_wrong(result, "nothing can be measured or trained on it");
		mxt_todo(result, "nvidia-smi -i %" PRIu64 " -c DEFAULT (as root)", gpu->index.value);
	}
	if (mxt_reading_is(gpu->persistence, 0)) {
		mxt_find(result, MXT_CHECK_NOTE, "%s: persistence mode is off", label);
		mxt_wrong(result, "the driver sets the card up anew for each first program, which takes seconds");
		mxt_todo(result, "start nvidia-persistenced, or nvidia-smi -pm 1 (as root)");
	}
	if (mxt_reading_is(gpu->ecc, 0)) {
		mxt_find(result, MXT_CHECK_NOTE, "%s: ECC is off", label);
		mxt_wrong(result, "bits that flip in its memory spoil a training without a word");
		mxt_todo(result, "nvidia-smi -i %" PRIu64 " -e 1 (as root), then reboot", gpu->index.value);
	}
}

static void find_slices(const struct mxt_nvidia_gpu *gpu, const char *label, struct mxt_check_result *result)
{
	if (gpu->mig == MXT_NVIDIA_MIG_SLICE) {
		mxt_find(result, MXT_CHECK_NOTE, "%s: a MIG slice of a card", label);
		mxt_wrong(result, "a plan from here fits slices of this size only; neighbours on the card share its "
				  "power and clocks");
	} else if (gpu->mig == MXT_NVIDIA_MIG_ON) {
		mxt_find(result, MXT_CHECK_NOTE, "%s: cut into MIG slices", label);
		mxt_wrong(result, "programs get one slice of it each, never the whole card");
		mxt_todo(result,
			 "nvidia-smi -L lists the slices: CUDA_VISIBLE_DEVICES=MIG-... chooses one; nvidia-smi "
			 "-i %" PRIu64 " -mig 0 (as root) makes the card whole",
			 gpu->index.value);
	}
}

/* A card that CUDA does not show to this process is only named: nothing here will run on it. */
static void find_gpu(const struct mxt_nvidia_gpu *gpu, struct mxt_check_result *result)
{
	char label[LABEL_SIZE];
	label_of(gpu, label);
	if (gpu->fault[0]) {
		mxt_find(result, MXT_CHECK_WARN, "%s: %s", label, gpu->name[0] ? gpu->name : "does not answer");
		mxt_wrong(result, "%s", gpu->fault);
		mxt_todo(result,
			 "look for Xid messages in dmesg; a reset (nvidia-smi -r) or a reboot may bring it back");
		return;
	}
	find_identity(gpu, label, result);
	if (gpu->mig == MXT_NVIDIA_MIG_ON)
		find_slices(gpu, label, result);
	if (!gpu->ordinal.reported)
		return;
	find_state(gpu, label, result);
	if (gpu->mig == MXT_NVIDIA_MIG_SLICE)
		find_slices(gpu, label, result);
	find_power(gpu, label, result);
	find_throttle(gpu, label, result);
	find_company(gpu, label, result);
	find_modes(gpu, label, result);
}

/* What a job over all of them must know: cards that are not alike. */
struct alike {
	struct mxt_nvidia_gpu first;
	size_t shown; /* by CUDA */
	bool names_differ, links_differ;
};

static void compare(struct alike *alike, const struct mxt_nvidia_gpu *gpu)
{
	if (!gpu->ordinal.reported)
		return;
	if (alike->shown++ == 0)
		alike->first = *gpu;
	alike->names_differ = alike->names_differ || strcmp(alike->first.name, gpu->name) != 0;
	alike->links_differ = alike->links_differ || alike->first.nvlinks_active.value != gpu->nvlinks_active.value;
}

static void find_differences(const struct alike *alike, struct mxt_check_result *result)
{
	if (alike->names_differ) {
		mxt_find(result, MXT_CHECK_NOTE, "the GPUs are of more than one model");
		mxt_wrong(result,
			  "a job over all of them runs at the pace of the slowest, and one plan does not fit them all");
		mxt_todo(result, "choose those of one model: CUDA_VISIBLE_DEVICES");
	} else if (alike->links_differ) {
		mxt_find(result, MXT_CHECK_WARN, "the GPUs do not have the same number of active NVLinks");
		mxt_wrong(result, "collectives run at the pace of the slowest link");
		mxt_todo(result, "see nvidia-smi nvlink --status, and dmesg for what took links down");
	}
}

static void find_driver(const struct mxt_nvidia_answer *answer, struct mxt_check_result *result)
{
	char cuda[MXT_CUDA_TEXT];
	const struct mxt_nvidia_driver *driver = &answer->driver;
	mxt_nvidia_answer_cuda(answer, cuda);
	mxt_find(result, MXT_CHECK_OK, "driver %s%s%s", driver->version[0] ? driver->version : "(version not reported)",
		 *cuda ? ", for CUDA up to " : "", cuda);
	if (!driver->reason[0])
		return;
	mxt_find(result, MXT_CHECK_WARN, "CUDA shows no GPU to this process");
	explain(result, driver->reason, "see what nvidia-smi and dmesg say");
}

static void find_told(const struct mxt_nvidia_answer *answer, struct mxt_check_result *result)
{
	struct alike alike = {.shown = 0};
	json_t *devices = json_array();
	find_driver(answer, result);
	for (size_t i = 0; i < answer->driver.n_devices; i++) {
		struct mxt_nvidia_gpu gpu;
		if (mxt_nvidia_gpu_parse(answer->facts, i, &gpu, NULL) < 0)
			continue; /* all of them parsed before */
		if (json_array_append_new(devices, mxt_nvidia_gpu_json(&gpu)) < 0)
			result->failed = true;
		find_gpu(&gpu, result);
		compare(&alike, &gpu);
	}
	find_differences(&alike, result);
	mxt_fact_json(result, "devices", devices);
}

static void find_absent(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	uint32_t count = survey->gpus.count[MXT_GPU_NVIDIA];
	if (count == 0) {
		mxt_find(result, MXT_CHECK_OK, "no NVIDIA driver");
		return;
	}
	mxt_find(result, MXT_CHECK_WARN, "no NVIDIA driver for the %" PRIu32 " NVIDIA GPU%s here", count,
		 count == 1 ? "" : "s");
	explain(result, survey->nvidia.reason,
		"install the driver, or start the container with the host's GPUs (--gpus all, compute and utility)");
}

static void find_no_facts(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	static const char todo[] = "see whether nvidia-smi answers, and what dmesg says of NVRM and Xid";
	switch (survey->nvidia.state) {
	case MXT_NVIDIA_ABSENT:
		find_absent(survey, result);
		return;
	case MXT_NVIDIA_FAILED:
		mxt_find(result, MXT_CHECK_WARN, "NVIDIA's driver libraries fail");
		explain(result, survey->nvidia.reason, todo);
		return;
	case MXT_NVIDIA_LATE:
		mxt_find(result, MXT_CHECK_WARN, "NVIDIA's driver libraries do not answer in time");
		mxt_wrong(result, "a card hangs, or the driver sets all cards up anew for each program");
		mxt_todo(result, "nvidia-smi -pm 1 (as root) keeps them set up; %s", todo);
		return;
	case MXT_NVIDIA_UNREADABLE:
		mxt_find(result, MXT_CHECK_WARN, "what NVIDIA's driver told cannot be read");
		explain(result, survey->nvidia.reason, todo);
		return;
	default:
		mxt_find(result, MXT_CHECK_OK, "NVIDIA's driver: not recorded");
	}
}

void mxt_check_nvidia(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_nvidia_answer *answer = &survey->nvidia;
	char cuda[MXT_CUDA_TEXT];
	mxt_fact_text(result, "driver", answer->driver.version);
	mxt_fact_text(result, "cuda", mxt_nvidia_answer_cuda(answer, cuda));
	if (answer->state == MXT_NVIDIA_TOLD) {
		find_told(answer, result);
		return;
	}
	mxt_fact_text(result, "devices", NULL); /* not reported */
	find_no_facts(survey, result);
}
