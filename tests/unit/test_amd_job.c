/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "amd_job.h"
#include "amd_machine.h"
#include "cmocka_all.h"
#include "error.h"

#define MOST 64

/* Cards of MI300X as they should be. */
static void healthy(struct mxt_amd_machine *machine, struct mxt_amd_gpu *gpus, uint32_t n)
{
	*machine = (struct mxt_amd_machine){.driver = true,
					    .kfd = MXT_DEVICE_OPEN,
					    .gpus = gpus,
					    .n_gpus = n,
					    .n_cards = n,
					    .shown_gpus = n,
					    .shown_cards = n,
					    .mesh = n > 1 ? MXT_AMD_MESH_FULL : MXT_AMD_MESH_NONE};
	for (uint32_t i = 0; i < n; i++)
		gpus[i] = (struct mxt_amd_gpu){.ordinal = i,
					       .card = i,
					       .arch = "gfx942",
					       .name = "AMD Instinct MI300X",
					       .device_id = 0x74a1,
					       .units = 304,
					       .partitions = 1,
					       .compute_partition = "SPX",
					       .render = MXT_DEVICE_OPEN};
}

/* Every card split into `parts`. */
static void split(struct mxt_amd_machine *machine, uint32_t parts, const char *mode)
{
	machine->n_cards = (uint32_t)machine->n_gpus / parts;
	machine->mesh = machine->n_cards > 1 ? MXT_AMD_MESH_FULL : MXT_AMD_MESH_NONE;
	for (uint32_t i = 0; i < machine->n_gpus; i++) {
		struct mxt_amd_gpu *gpu = &machine->gpus[i];
		gpu->card = i / parts;
		gpu->partitions = parts;
		gpu->units /= parts;
		(void)snprintf(gpu->compute_partition, sizeof gpu->compute_partition, "%s", mode);
	}
}

static void one_per_card_in_cpx(struct mxt_amd_machine *machine)
{
	split(machine, 1, "CPX");
	for (uint32_t i = 0; i < machine->n_gpus; i++)
		machine->gpus[i].partitions = 8;
}

static void cpx(struct mxt_amd_machine *machine)
{
	split(machine, 8, "CPX");
}

static void dpx(struct mxt_amd_machine *machine)
{
	split(machine, 2, "DPX");
}

static void one_in_dpx(struct mxt_amd_machine *machine)
{
	machine->gpus[5].partitions = 2;
	(void)snprintf(machine->gpus[5].compute_partition, MXT_AMD_MODE, "DPX");
}

static void link_down(struct mxt_amd_machine *machine)
{
	machine->mesh = MXT_AMD_MESH_BROKEN;
	machine->missing_links = 2;
	(void)snprintf(machine->mesh_reason, sizeof machine->mesh_reason, "GPU 2 and GPU 5: no direct xGMI link");
}

static void another_model(struct mxt_amd_machine *machine)
{
	machine->gpus[3].device_id = 0x74a5;
	(void)snprintf(machine->gpus[3].name, MXT_AMD_TEXT, "AMD Instinct MI325X");
}

static void apus(struct mxt_amd_machine *machine)
{
	for (uint32_t i = 0; i < machine->n_gpus; i++) {
		machine->gpus[i].device_id = 0x74a0;
		(void)snprintf(machine->gpus[i].name, MXT_AMD_TEXT, "AMD Instinct MI300A");
	}
}

static void older(struct mxt_amd_machine *machine)
{
	for (uint32_t i = 0; i < machine->n_gpus; i++)
		(void)snprintf(machine->gpus[i].arch, MXT_AMD_ARCH, "gfx90a");
}

static void hidden(struct mxt_amd_machine *machine)
{
	machine->shown_gpus = machine->shown_cards = 8;
	machine->hidden_by = "ROCR_VISIBLE_DEVICES";
}

static void closed(struct mxt_amd_machine *machine)
{
	machine->n_closed = 7;
}

static void no_kfd(struct mxt_amd_machine *machine)
{
	machine->kfd = MXT_DEVICE_DENIED;
}

static void no_render_node(struct mxt_amd_machine *machine)
{
	machine->gpus[7].render = MXT_DEVICE_FORBIDDEN;
	machine->gpus[7].render_minor = 184;
}

static const struct {
	uint32_t here;
	void (*change)(struct mxt_amd_machine *machine);
	int32_t gpus;
	enum mxt_error_id id;
	const char *words; /* in the message */
} jobs[] = {
    {8, NULL, 1, MXT_E_NONE, ""},
    {8, NULL, 8, MXT_E_NONE, ""},
    {8, NULL, 2, MXT_E_GPU_COUNT, "48 GB/s (1 x 48) against 336"},
    {8, NULL, 4, MXT_E_GPU_COUNT, "144 GB/s (3 x 48) against 336"},
    {8, NULL, 7, MXT_E_GPU_COUNT, "a tenth"},
    {8, NULL, 9, MXT_E_GPU_COUNT, "9 GPUs on a node are refused"},
    {7, NULL, 8, MXT_E_GPU_COUNT, "8 GPUs are asked for, and the kernel's driver shows 7"},
    {7, NULL, 7, MXT_E_GPU_COUNT, "this job sees 7"},
    {2, NULL, 2, MXT_E_GPU_COUNT, "this job sees 2"},
    {4, hidden, 8, MXT_E_GPU_COUNT, "ROCR_VISIBLE_DEVICES leaves 4 of 8"},
    {1, closed, 8, MXT_E_GPU_COUNT, "gives this process 1: it hides 7 more"},
    {8, link_down, 8, MXT_E_GPU_COUNT, "GPU 2 and GPU 5: no direct xGMI link, and so for 1 more pair"},
    {8, link_down, 1, MXT_E_NONE, ""},
    {8, another_model, 8, MXT_E_GPU_COUNT, "not alike. GPU 0 is AMD Instinct MI300X"},
    {8, another_model, 8, MXT_E_GPU_COUNT, "GPU 3 is AMD Instinct MI325X"},
    {8, another_model, 1, MXT_E_NONE, ""},
    {8, cpx, 8, MXT_E_GPU_COUNT, "partitions (CPX), 8 of a card, and 1 card;"},
    {64, cpx, 8, MXT_E_GPU_COUNT, "partitions (CPX), 8 of a card, and 8 cards"},
    {8, cpx, 2, MXT_E_GPU_COUNT, "partitions (CPX)"},
    {8, cpx, 1, MXT_E_NONE, ""},
    {8, one_per_card_in_cpx, 8, MXT_E_GPU_COUNT, "partitions (CPX), 8 of a card, and 8 cards"},
    {16, dpx, 8, MXT_E_GPU_COUNT, "partitions (DPX), 2 of a card, and 8 cards"},
    {8, one_in_dpx, 8, MXT_E_GPU_COUNT, "partitions (DPX)"},
    {4, apus, 4, MXT_E_GPU_COUNT, "what joins several AMD Instinct MI300A"},
    {4, apus, 1, MXT_E_NONE, ""},
    {8, older, 8, MXT_E_GPU_COUNT, "(gfx90a); give --gpus 1"},
    {0, NULL, 4, MXT_E_GPU_COUNT, "144 GB/s"},
    {0, NULL, 8, MXT_E_NO_DEVICE, "shows no GPU"},
    {0, NULL, 1, MXT_E_NO_DEVICE, "shows no GPU"},
    {8, no_kfd, 1, MXT_E_AMD_ACCESS, "/dev/kfd"},
    {8, no_kfd, 2, MXT_E_GPU_COUNT, "48 GB/s"},
    {8, no_render_node, 8, MXT_E_AMD_ACCESS, "renderD184 of GPU 7"},
    {8, no_render_node, 1, MXT_E_NONE, ""},
};

static void jobs_and_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(jobs); i++) {
		struct mxt_amd_gpu gpus[MOST];
		struct mxt_amd_machine machine;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		healthy(&machine, gpus, jobs[i].here);
		if (jobs[i].change)
			jobs[i].change(&machine);
		int rc = mxt_amd_job_check(&machine, jobs[i].gpus, &err);
		if (err.id != jobs[i].id || !strstr(mxt_error_text(&err), jobs[i].words))
			fail_msg("row %zu: %s", i, mxt_error_text(&err));
		assert_int_equal(rc, jobs[i].id == MXT_E_NONE ? 0 : -ENODEV);
		assert_int_equal(mxt_amd_job_check(&machine, jobs[i].gpus, NULL), rc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_and_machines)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
