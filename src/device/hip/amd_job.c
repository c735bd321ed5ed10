/* SPDX-License-Identifier: Apache-2.0 */
#include "amd_job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "amd_machine.h"
#include "buf.h"
#include "error.h"
#include "gpu_rules.h"

#define MI300A_ID 0x74a0 /* an APU: four of them make a machine, with two links for each pair */

/* Cards that come on boards of eight, as far as we know. */
static bool on_a_board(const struct mxt_amd_gpu *gpu)
{
	bool family = strcmp(gpu->arch, "gfx942") == 0 || strcmp(gpu->arch, "gfx950") == 0;
	return family && gpu->device_id != MI300A_ID;
}

static bool is_partition(const struct mxt_amd_gpu *gpu)
{
	return mxt_amd_gpu_is_partition(gpu) || gpu->partitions > 1;
}

static int refuse_unknown(const struct mxt_amd_gpu *gpu, int32_t gpus, struct mxt_error *err)
{
	return mxt_error_set(
	    err, -ENODEV, MXT_E_GPU_COUNT,
	    "%" PRId32 " GPUs are refused: it is not known to this version what joins several %s (%s); give --gpus 1",
	    gpus, gpu->name, gpu->arch);
}

static int refuse_partitions(const struct mxt_amd_machine *machine, const struct mxt_amd_gpu *gpu, int32_t gpus,
			     struct mxt_error *err)
{
	return mxt_error_set(
	    err, -ENODEV, MXT_E_GPU_COUNT,
	    "%" PRId32 " GPUs are refused: what HIP shows here are partitions (%s), %" PRIu32 " of a card, and %" PRIu32
	    " card%s; partitions of one card share its memory and its links. Give --gpus 1 to plan for one partition, "
	    "or make the cards whole again: amd-smi set --gpu all --compute-partition SPX, as root",
	    gpus, gpu->compute_partition[0] ? gpu->compute_partition : "their mode is not told", gpu->partitions,
	    machine->n_cards, machine->n_cards == 1 ? "" : "s");
}

/* The rule alone; where fewer cards are here than it asks for, the remedy is no use without that. */
static int check_number(const struct mxt_amd_machine *machine, int32_t gpus, struct mxt_error *err)
{
	int rc = mxt_gpu_count_check(gpus, err);
	if (rc == 0 || !err || machine->n_gpus == 0 || machine->n_cards >= MXT_XGMI_GPUS)
		return rc;
	return mxt_error_set(err, rc, err->id, "%s; this job sees %" PRIu32, mxt_error_text(err), machine->n_cards);
}

static int refuse_fewer(const struct mxt_amd_machine *machine, int32_t gpus, struct mxt_error *err)
{
	if (machine->hidden_by && machine->shown_cards > machine->n_cards)
		return mxt_error_set(err, -ENODEV, MXT_E_GPU_COUNT,
				     "%" PRId32 " GPUs are asked for, and %s leaves %" PRIu32 " of %" PRIu32
				     "; unset it, or give --gpus 1",
				     gpus, machine->hidden_by, machine->n_cards, machine->shown_cards);
	if (machine->n_closed)
		return mxt_error_set(
		    err, -ENODEV, MXT_E_GPU_COUNT,
		    "%" PRId32 " GPUs are asked for, and the kernel gives this process %" PRIu32 ": it hides %" PRIu32
		    " more; start the container with --device=/dev/kfd --device=/dev/dri, or give --gpus 1",
		    gpus, machine->n_cards, machine->n_closed);
	return mxt_error_set(
	    err, -ENODEV, MXT_E_GPU_COUNT,
	    "%" PRId32 " GPUs are asked for, and the kernel's driver shows %" PRIu32
	    ": a card is missing, or its driver gave it up (dmesg says why); give --gpus 1, or repair it",
	    gpus, machine->n_cards);
}

/* Plans are made on the first card, so all of a job's must be as it is. */
static int check_alike(const struct mxt_amd_machine *machine, int32_t gpus, struct mxt_error *err)
{
	const struct mxt_amd_gpu *first = &machine->gpus[0];
	for (int32_t i = 1; i < gpus; i++) {
		const struct mxt_amd_gpu *gpu = &machine->gpus[i];
		bool alike = strcmp(gpu->arch, first->arch) == 0 && gpu->device_id == first->device_id &&
			     gpu->units == first->units;
		if (!alike)
			return mxt_error_set(
			    err, -ENODEV, MXT_E_GPU_COUNT,
			    "%" PRId32 " GPUs are refused: they are not alike. GPU 0 is %s (%s, %" PRIu32
			    " compute units), GPU %" PRId32 " is %s (%s, %" PRIu32
			    "); give --gpus 1 and plan for each kind alone",
			    gpus, first->name, first->arch, first->units, i, gpu->name, gpu->arch, gpu->units);
	}
	return 0;
}

static int check_access(const struct mxt_amd_machine *machine, int32_t gpus, struct mxt_error *err)
{
	const struct mxt_amd_gpu *gpu = NULL;
	int rc = 0;
	for (int32_t i = 0; rc == 0 && i < gpus; i++)
		rc = mxt_amd_machine_find(machine, (unsigned)i, &gpu, err);
	return rc;
}

static int check_mesh(const struct mxt_amd_machine *machine, int32_t gpus, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf more = MXT_BUF_INIT;
	if (machine->mesh == MXT_AMD_MESH_FULL)
		return 0;
	if (machine->missing_links > 1)
		mxt_buf_printf(&more, ", and so for %" PRIu32 " more pair%s", machine->missing_links - 1,
			       machine->missing_links == 2 ? "" : "s");
	return mxt_error_set(err, -ENODEV, MXT_E_GPU_COUNT,
			     "%" PRId32 " GPUs are refused: every pair must have an xGMI link of its own. %s%s. Give "
			     "--gpus 1, or have the link repaired (dmesg and amd-smi xgmi say more)",
			     gpus, machine->mesh_reason, mxt_buf_text(&more));
}

static int check_several(const struct mxt_amd_machine *machine, int32_t gpus, struct mxt_error *err)
{
	if (machine->n_gpus > 0 && !on_a_board(&machine->gpus[0]))
		return refuse_unknown(&machine->gpus[0], gpus, err);
	for (size_t i = 0; i < machine->n_gpus; i++)
		if (is_partition(&machine->gpus[i]))
			return refuse_partitions(machine, &machine->gpus[i], gpus, err);
	int rc = check_number(machine, gpus, err);
	if (rc == 0 && machine->n_cards > 0 && machine->n_cards < (uint32_t)gpus)
		rc = refuse_fewer(machine, gpus, err);
	if (rc == 0)
		rc = check_access(machine, gpus, err);
	if (rc == 0)
		rc = check_alike(machine, gpus, err);
	return rc == 0 ? check_mesh(machine, gpus, err) : rc;
}

int mxt_amd_job_check(const struct mxt_amd_machine *machine, int32_t gpus, struct mxt_error *err)
{
	return gpus > 1 ? check_several(machine, gpus, err) : check_access(machine, 1, err);
}

int mxt_amd_count(const struct mxt_sysroot *root, char *const *environment, int32_t gpus, struct mxt_error *err)
{
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	int rc = mxt_amd_machine_read(root, environment, &machine, err);
	return rc < 0 ? rc : mxt_amd_job_check(&machine, gpus, err);
}
