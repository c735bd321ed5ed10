/* SPDX-License-Identifier: Apache-2.0 */
/* AMD's driver and cards, as the kernel's files describe them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "amd_gpu_json.h"
#include "amd_machine.h"
#include "amd_model.h"
#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "gpu_rules.h"
#include "size_text.h"
#include "survey.h"
#include "sysroot.h"

/* "GPU 3", "GPU 3 (HIP 0)": as the kernel counts, and as HIP does where that differs. */
#define LABEL_SIZE 48
static const char *label_of(const struct mxt_amd_machine *machine, size_t place, char label[LABEL_SIZE])
{
	uint32_t ordinal = machine->gpus[place].ordinal;
	if (ordinal == place)
		(void)snprintf(label, LABEL_SIZE, "GPU %" PRIu32, ordinal);
	else
		(void)snprintf(label, LABEL_SIZE, "GPU %" PRIu32 " (HIP %zu)", ordinal, place);
	return label;
}

/* "191.9 GiB (a card of 192 GB)" */
static void list_memory(const struct mxt_amd_gpu *gpu, struct mxt_buf *text)
{
	char size[MXT_SIZE_TEXT];
	const struct mxt_amd_model *model = mxt_amd_model_find(gpu->device_id);
	if (gpu->card_memory_bytes)
		mxt_buf_printf(text, ", %s", mxt_size_text(size, gpu->card_memory_bytes));
	if (gpu->card_memory_bytes && model)
		mxt_buf_printf(text, " (a card of %" PRIu32 " GB)", model->memory_gb);
}

/* One line for each card, whatever it is divided into. */
static void find_card(const struct mxt_amd_machine *machine, size_t place, struct mxt_check_result *result)
{
	char label[LABEL_SIZE];
	const struct mxt_amd_gpu *gpu = &machine->gpus[place];
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "%s: %s", label_of(machine, place, label), gpu->name);
	if (gpu->arch[0])
		mxt_buf_printf(&text, ", %s", gpu->arch);
	list_memory(gpu, &text);
	if (gpu->card_units)
		mxt_buf_printf(&text, ", %" PRIu32 " compute units", gpu->card_units);
	if (gpu->card_xccs)
		mxt_buf_printf(&text, " in %" PRIu32 " XCDs", gpu->card_xccs);
	if (gpu->compute_partition[0])
		mxt_buf_printf(&text, ", %s", gpu->compute_partition);
	if (gpu->memory_partition[0])
		mxt_buf_printf(&text, "/%s", gpu->memory_partition);
	mxt_buf_printf(&text, ", PCI %s", gpu->pci);
	result->failed = result->failed || text.failed;
	mxt_find(result, MXT_CHECK_OK, "%s", mxt_buf_text(&text));
}

static void find_partitions(const struct mxt_amd_gpu *gpu, struct mxt_check_result *result)
{
	char size[MXT_SIZE_TEXT];
	mxt_find(result, MXT_CHECK_NOTE,
		 "%s%s%s: %" PRIu32 " GPUs are partitions of one card, each of %s and %" PRIu32 " compute units",
		 gpu->compute_partition, gpu->memory_partition[0] ? "/" : "", gpu->memory_partition, gpu->partitions,
		 gpu->memory_bytes ? mxt_size_text(size, gpu->memory_bytes) : "unknown memory", gpu->units);
	mxt_wrong(result, "times are per partition, not per card, and a plan from here fits such partitions only; "
			  "neighbours on the card share its memory bandwidth and power, and disturb every measurement");
	/* The driver takes SPX only where the memory is one. */
	bool divided_memory = gpu->memory_partition[0] && strcmp(gpu->memory_partition, "NPS1") != 0;
	mxt_todo(result,
		 "%samd-smi set --gpu all --compute-partition SPX (as root), if the card is not meant to be divided",
		 divided_memory ? "amd-smi set --gpu all --memory-partition NPS1, then " : "");
}

static bool differs(const struct mxt_amd_gpu *a, const struct mxt_amd_gpu *b)
{
	return a->device_id != b->device_id || a->units != b->units ||
	       strcmp(a->compute_partition, b->compute_partition) != 0 ||
	       strcmp(a->memory_partition, b->memory_partition) != 0;
}

static void find_differences(const struct mxt_amd_machine *machine, struct mxt_check_result *result)
{
	char a[LABEL_SIZE], b[LABEL_SIZE];
	for (size_t i = 1; i < machine->n_gpus; i++) {
		if (!differs(&machine->gpus[0], &machine->gpus[i]))
			continue;
		mxt_find(result, MXT_CHECK_WARN, "%s and %s differ in model or partition mode", label_of(machine, 0, a),
			 label_of(machine, i, b));
		mxt_wrong(result, "a job over both runs at the pace of the slower one, and one plan does not fit both");
		mxt_todo(result,
			 "put all cards into one mode (amd-smi set --gpu all --compute-partition, as root), or choose "
			 "those of one kind: HIP_VISIBLE_DEVICES");
		return;
	}
}

/* Remedies say what is wrong and, after a semicolon, what to do. */
static void explain(struct mxt_check_result *result, const char *remedy)
{
	const char *end = strstr(remedy, "; ");
	mxt_wrong(result, "no job can use the GPU: %.*s", end ? (int)(end - remedy) : (int)strlen(remedy), remedy);
	mxt_todo(result, "%s", end ? end + 2 : "look at the permissions of the file");
}

static void find_access(const struct mxt_amd_machine *machine, struct mxt_check_result *result)
{
	char label[LABEL_SIZE];
	const char *remedy = mxt_amd_access_remedy(machine->kfd);
	if (remedy) {
		mxt_find(result, MXT_CHECK_WARN, "/dev/kfd: %s", mxt_device_access_name(machine->kfd));
		explain(result, remedy);
	}
	for (size_t i = 0; i < machine->n_gpus; i++) {
		const struct mxt_amd_gpu *gpu = &machine->gpus[i];
		const char *why = mxt_amd_access_remedy(gpu->render);
		if (!why)
			continue;
		mxt_find(result, MXT_CHECK_WARN, "/dev/dri/renderD%" PRIu32 " of %s: %s", gpu->render_minor,
			 label_of(machine, i, label), mxt_device_access_name(gpu->render));
		explain(result, why);
	}
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* Of a container that was given some GPUs, and of one that was given none. */
static void find_closed(const struct mxt_amd_machine *machine, struct mxt_check_result *result)
{
	bool none = machine->shown_gpus == 0;
	uint32_t n = machine->n_closed;
	if (n == 0)
		return;
	mxt_find(result, none ? MXT_CHECK_WARN : MXT_CHECK_NOTE,
		 "%" PRIu32 "%s GPU%s of the machine %s not accessible from here", n, none ? "" : " more", plural(n),
		 n == 1 ? "is" : "are");
	if (none) {
		mxt_wrong(result, "this container was given no GPU: nothing can be measured or trained on them");
		mxt_todo(result, "start it with --device=/dev/kfd --device=/dev/dri, or ask for a GPU for the job");
	} else {
		mxt_wrong(result, "this container was not given %s; what runs there shares processors and memory",
			  n == 1 ? "it" : "them");
	}
}

/* What is there and not usable: hidden by the kernel, by a variable, or lost. */
static void find_missing(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_amd_machine *machine = &survey->amd;
	uint32_t on_bus = survey->gpus.count[MXT_GPU_AMD], shown = machine->shown_cards + machine->n_closed;
	if (on_bus > shown) {
		mxt_find(result, MXT_CHECK_WARN, "%" PRIu32 " AMD GPU%s on the PCI bus, the driver shows %" PRIu32,
			 on_bus, plural(on_bus), shown);
		mxt_wrong(result, "no job can use the others: the driver does not drive them, or they did not start");
		mxt_todo(result, "see what dmesg says of amdgpu, and lspci -k which driver has them; a restart of the "
				 "machine may bring them back");
	}
	find_closed(machine, result);
	if (machine->n_damaged) {
		mxt_find(result, MXT_CHECK_WARN, "%" PRIu32 " node%s of the driver's topology cannot be understood",
			 machine->n_damaged, plural(machine->n_damaged));
		mxt_wrong(result, "a GPU may be missing here");
		mxt_todo(result,
			 "look at the files properties below /sys/class/kfd/kfd/topology/nodes, and report them");
	}
	if (machine->hidden_by) {
		mxt_find(result, MXT_CHECK_NOTE, "%s leaves %zu of %zu GPUs", machine->hidden_by, machine->n_gpus,
			 machine->shown_gpus);
		mxt_wrong(result, "a job under this environment sees no more");
	}
}

static void find_mesh(const struct mxt_amd_machine *machine, struct mxt_check_result *result)
{
	uint32_t n = machine->n_cards, pairs = n * (n - 1) / 2;
	if (machine->mesh == MXT_AMD_MESH_FULL)
		mxt_find(result, MXT_CHECK_OK, "xGMI: each of the %" PRIu32 " cards has a direct link to every other",
			 n);
	if (machine->mesh != MXT_AMD_MESH_BROKEN)
		return;
	mxt_find(result, MXT_CHECK_WARN, "xGMI: %s (%" PRIu32 " of %" PRIu32 " pairs)", machine->mesh_reason,
		 machine->missing_links, pairs);
	mxt_wrong(result, "what these two exchange takes another way, and collectives run at the pace of the slowest");
	mxt_todo(result, "see amd-smi xgmi, and what dmesg says of xgmi; a restart of the machine may train the link "
			 "again");
}

/* Between two and eight cards most links idle: one link joins each pair. */
static void find_count(const struct mxt_amd_machine *machine, struct mxt_check_result *result)
{
	uint32_t n = machine->n_cards;
	if (n <= 1 || n == MXT_XGMI_GPUS || strcmp(machine->gpus[0].arch, "gfx942") != 0)
		return;
	mxt_find(result, MXT_CHECK_NOTE, "%" PRIu32 " cards, neither 1 nor %d", n, MXT_XGMI_GPUS);
	mxt_wrong(result,
		  "one link joins each pair of cards, so a job over %" PRIu32 " of them leaves links idle, and its "
		  "collectives are slow; autotune takes 1 or %d GPUs",
		  n, MXT_XGMI_GPUS);
	mxt_todo(result, "train on 1 GPU, a job for each, or on all %d of a machine", MXT_XGMI_GPUS);
}

static void find_arch(const struct mxt_amd_machine *machine, struct mxt_check_result *result)
{
	const struct mxt_amd_gpu *gpu = &machine->gpus[0];
	if (strcmp(gpu->arch, "gfx942") == 0)
		return;
	mxt_find(result, MXT_CHECK_NOTE, "%s is not gfx942", gpu->arch[0] ? gpu->arch : "the architecture");
	mxt_wrong(result, "this version was made for the MI300 series; on others nothing of it has been tried");
}

static void find_gpus(const struct mxt_amd_machine *machine, struct mxt_check_result *result)
{
	for (size_t i = 0; i < machine->n_gpus; i++) {
		if (!mxt_amd_machine_is_first(machine, i))
			continue;
		find_card(machine, i, result);
		if (mxt_amd_gpu_is_partition(&machine->gpus[i]))
			find_partitions(&machine->gpus[i], result);
	}
	if (machine->n_gpus == 0)
		return;
	find_arch(machine, result);
	find_differences(machine, result);
	find_mesh(machine, result);
	find_count(machine, result);
	find_access(machine, result);
}

/* A record that was made before there was anything to record tells nothing of the driver. */
static bool is_unrecorded(const struct mxt_survey *survey)
{
	return !mxt_sysroot_is_live(survey->root) && survey->amd.kfd == MXT_DEVICE_NOT_RECORDED && !survey->amd.driver;
}

static void find_no_driver(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	uint32_t count = survey->gpus.count[MXT_GPU_AMD];
	if (is_unrecorded(survey)) {
		mxt_find(result, MXT_CHECK_OK, "AMD's driver: not recorded");
		return;
	}
	if (count == 0) {
		mxt_find(result, MXT_CHECK_OK, survey->amd.driver ? "AMD's driver shows no GPU" : "no AMD driver");
		return;
	}
	/* Many processors have graphics of their own beside the card that trains. */
	mxt_find(result, survey->gpus.count[MXT_GPU_NVIDIA] ? MXT_CHECK_NOTE : MXT_CHECK_WARN,
		 "no AMD driver for the %" PRIu32 " AMD GPU%s here", count, plural(count));
	mxt_wrong(result, "amdgpu is not loaded, or shows nothing to compute on (/sys/class/kfd): torch finds no GPU");
	mxt_todo(result,
		 "modprobe amdgpu (as root), and see what dmesg says of it; a virtual function needs the driver of "
		 "AMD's packages");
}

static void put_facts(const struct mxt_amd_machine *machine, struct mxt_check_result *result)
{
	static const char *const meshes[] = {
	    [MXT_AMD_MESH_NONE] = "", [MXT_AMD_MESH_FULL] = "full", [MXT_AMD_MESH_BROKEN] = "broken"};
	json_t *gpus = machine->driver ? json_array() : NULL;
	mxt_fact_text(result, "driver", machine->driver_version);
	mxt_fact_text(result, "kfd",
		      machine->kfd == MXT_DEVICE_NOT_RECORDED ? NULL : mxt_device_access_name(machine->kfd));
	mxt_fact_text(result, "mesh", meshes[machine->mesh]);
	mxt_fact_number(result, "cards", (struct mxt_reading){machine->n_cards, machine->driver});
	mxt_fact_number(result, "not_accessible", (struct mxt_reading){machine->n_closed, machine->driver});
	for (size_t i = 0; gpus && i < machine->n_gpus; i++)
		if (json_array_append_new(gpus, mxt_amd_gpu_json(&machine->gpus[i], i)) < 0)
			result->failed = true;
	if (machine->driver)
		mxt_fact_json(result, "gpus", gpus);
	else
		mxt_fact_text(result, "gpus", NULL); /* not reported */
}

void mxt_check_amd(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_amd_machine *machine = &survey->amd;
	put_facts(machine, result);
	if (machine->shown_gpus == 0 && machine->n_closed == 0 && machine->n_damaged == 0) {
		find_no_driver(survey, result);
		return;
	}
	mxt_find(result, MXT_CHECK_OK, "driver amdgpu %s",
		 machine->driver_version[0] ? machine->driver_version : "of the kernel");
	find_gpus(machine, result);
	find_missing(survey, result);
}
