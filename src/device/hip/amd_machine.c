/* SPDX-License-Identifier: Apache-2.0 */
#include "amd_machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd_card.h"
#include "amd_fabric.h"
#include "amd_visible.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "kfd_topology.h"
#include "printable.h"
#include "sysroot.h"

_Static_assert(MXT_AMD_MAX_GPUS >= MXT_KFD_MAX_NODES, "every GPU can be chosen");

/* Which of all GPUs a job sees, in its order. */
static int choose_visible(const struct mxt_amd_gpu *all, size_t n, char *const *environment,
			  struct mxt_amd_machine *machine)
{
	uint64_t ids[MXT_AMD_MAX_GPUS];
	struct mxt_amd_choice choice;
	for (size_t i = 0; i < n; i++)
		ids[i] = all[i].unique_id;
	machine->hidden_by = mxt_amd_visible(environment, ids, n, &choice);
	machine->gpus = calloc(choice.count + 1, sizeof *machine->gpus);
	if (!machine->gpus)
		return -ENOMEM;
	for (size_t i = 0; i < choice.count; i++)
		machine->gpus[machine->n_gpus++] = all[choice.items[i]];
	return 0;
}

bool mxt_amd_gpu_is_partition(const struct mxt_amd_gpu *gpu)
{
	return gpu->compute_partition[0] != '\0' && strcmp(gpu->compute_partition, "SPX") != 0;
}

bool mxt_amd_machine_is_first(const struct mxt_amd_machine *machine, size_t place)
{
	for (size_t i = 0; i < place; i++)
		if (machine->gpus[i].card == machine->gpus[place].card)
			return false;
	return true;
}

static uint32_t count_cards(const struct mxt_amd_machine *machine)
{
	uint32_t n = 0;
	for (size_t i = 0; i < machine->n_gpus; i++)
		n += mxt_amd_machine_is_first(machine, i);
	return n;
}

static int read_gpus(const struct mxt_sysroot *root, char *const *environment, struct mxt_amd_machine *machine)
{
	MXT_CLEANUP_KFD struct mxt_kfd_topology topology = {.present = false};
	int rc = mxt_kfd_topology_read(root, &topology, NULL);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_FREE struct mxt_amd_gpu *all = calloc(topology.n_gpus + 1, sizeof *all);
	if (!all)
		return -ENOMEM;
	rc = mxt_amd_cards_read(root, &topology, all, &machine->shown_cards, NULL);
	if (rc == 0)
		rc = choose_visible(all, topology.n_gpus, environment, machine);
	if (rc < 0)
		return rc;
	machine->driver = topology.present;
	machine->n_closed = topology.n_closed;
	machine->n_damaged = topology.n_damaged;
	machine->shown_gpus = topology.n_gpus;
	machine->n_cards = count_cards(machine);
	mxt_amd_fabric_find(&topology, machine);
	return 0;
}

static int read_driver(const struct mxt_sysroot *root, struct mxt_amd_machine *machine)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char version[MXT_PRINTABLE_SIZE];
	int rc = mxt_sysroot_read(root, "/sys/module/amdgpu/version", 256, &text, NULL);
	if (rc == -ENOMEM)
		return rc;
	(void)snprintf(machine->driver_version, sizeof machine->driver_version, "%.*s", MXT_AMD_TEXT - 1,
		       mxt_printable(mxt_buf_text(&text), version));
	return mxt_device_file_access(root, "/dev/kfd", &machine->kfd);
}

static int read_balancing(const struct mxt_sysroot *root, struct mxt_amd_machine *machine)
{
	int rc = mxt_sysroot_read_u64(root, "/proc/sys/kernel/numa_balancing", &machine->numa_balancing.value, NULL);
	machine->numa_balancing.reported = rc == 0;
	return rc == -ENOMEM ? rc : 0;
}

int mxt_amd_machine_read(const struct mxt_sysroot *root, char *const *environment, struct mxt_amd_machine *ret_machine,
			 struct mxt_error *err)
{
	struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	int rc = read_gpus(root, environment, &machine);
	if (rc == 0)
		rc = read_driver(root, &machine);
	if (rc == 0)
		rc = read_balancing(root, &machine);
	if (rc < 0) {
		mxt_amd_machine_finish(&machine);
		return mxt_error_oom(err);
	}
	*ret_machine = machine;
	return 0;
}

void mxt_amd_machine_finish(struct mxt_amd_machine *machine)
{
	free(machine->gpus);
	*machine = (struct mxt_amd_machine)MXT_AMD_MACHINE_INIT;
}

const char *mxt_amd_access_remedy(enum mxt_device_access access)
{
	switch (access) {
	case MXT_DEVICE_ABSENT:
		return "it does not exist; in a container, start it with --device=/dev/kfd --device=/dev/dri; on the "
		       "host, load the driver: modprobe amdgpu";
	case MXT_DEVICE_DENIED:
		return "this user may not open it; put the user into the groups render and video (usermod -aG "
		       "render,video USER, then log in again), in a container add --group-add of the file's group";
	case MXT_DEVICE_FORBIDDEN:
		return "the container may not open it; start it with --device=/dev/kfd --device=/dev/dri, or give the "
		       "job this GPU";
	default:
		return NULL;
	}
}

static int refuse_none(const struct mxt_amd_machine *machine, struct mxt_error *err)
{
	if (machine->shown_gpus)
		return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE,
				     "%s hides all %zu AMD GPUs of this machine; unset it, or name one of them",
				     machine->hidden_by, machine->shown_gpus);
	if (machine->n_closed)
		return mxt_error_set(err, -ENODEV, MXT_E_AMD_ACCESS,
				     "this process may not use any of the %" PRIu32 " AMD GPUs of the machine: the "
				     "kernel hides them; start the container with --device=/dev/kfd --device=/dev/dri",
				     machine->n_closed);
	if (!machine->driver)
		return mxt_error_set(err, -ENODEV, MXT_E_AMD_DRIVER,
				     "no AMD GPU can be used: the kernel's driver amdgpu shows no topology "
				     "(/sys/class/kfd); install and load it: modprobe amdgpu");
	return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "the kernel's driver amdgpu shows no GPU");
}

int mxt_amd_machine_find(const struct mxt_amd_machine *machine, unsigned ordinal, const struct mxt_amd_gpu **ret_gpu,
			 struct mxt_error *err)
{
	if (machine->n_gpus == 0)
		return refuse_none(machine, err);
	if (ordinal >= machine->n_gpus)
		return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE,
				     "there is no GPU %u: HIP shows GPUs 0 to %zu to this job%s%s", ordinal,
				     machine->n_gpus - 1, machine->hidden_by ? ", by " : "",
				     machine->hidden_by ? machine->hidden_by : "");
	const struct mxt_amd_gpu *gpu = &machine->gpus[ordinal];
	const char *remedy = mxt_amd_access_remedy(machine->kfd);
	if (remedy)
		return mxt_error_set(err, -ENODEV, MXT_E_AMD_ACCESS, "/dev/kfd: %s", remedy);
	remedy = mxt_amd_access_remedy(gpu->render);
	if (remedy)
		return mxt_error_set(err, -ENODEV, MXT_E_AMD_ACCESS, "/dev/dri/renderD%" PRIu32 " of GPU %u: %s",
				     gpu->render_minor, ordinal, remedy);
	*ret_gpu = gpu;
	return 0;
}
