/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AMD's GPUs of a machine of the fuzzer's making (fuzz_tree.h). Its file `environ`, one variable a line, is the job's
 * environment.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "amd_machine.h"
#include "amd_visible.h"
#include "buf.h"
#include "error.h"
#include "fuzz_tree.h"
#include "sysroot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_VARIABLES 8

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* Splits the text of `environ` in place. */
static void split(char *text, char *environment[MAX_VARIABLES + 1])
{
	size_t n = 0;
	for (char *line = strtok(text, "\n"); line && n < MAX_VARIABLES; line = strtok(NULL, "\n"))
		environment[n++] = line;
	environment[n] = NULL;
}

static void check_gpu(const struct mxt_amd_machine *machine, const struct mxt_amd_gpu *gpu)
{
	require(gpu->ordinal < machine->shown_gpus && gpu->card < machine->shown_cards);
	require(strlen(gpu->name) < sizeof gpu->name && strlen(gpu->pci) < sizeof gpu->pci);
	require(strlen(gpu->arch) < sizeof gpu->arch && strlen(gpu->memory_partition) < sizeof gpu->memory_partition);
	require(gpu->partitions >= 1 && gpu->card_units >= gpu->units && gpu->card_xccs >= gpu->xccs);
	require(gpu->card_memory_bytes >= gpu->memory_bytes);
	require(gpu->xgmi_links < machine->n_cards);
	require(isfinite(gpu->peak_bf16_flops) && isfinite(gpu->peak_fp32_flops) && isfinite(gpu->peak_bytes));
}

/* A job sees each GPU once; what HIP could open is found, anything else says why. */
static void check_machine(const struct mxt_amd_machine *machine)
{
	bool seen[MXT_AMD_MAX_GPUS] = {false};
	require(machine->n_gpus <= machine->shown_gpus && machine->shown_gpus <= MXT_AMD_MAX_GPUS);
	require(machine->n_cards <= machine->shown_cards && machine->n_cards <= machine->n_gpus);
	require((machine->mesh == MXT_AMD_MESH_BROKEN) == (machine->mesh_reason[0] != '\0'));
	require((machine->n_gpus < machine->shown_gpus) == (machine->hidden_by != NULL));
	for (size_t i = 0; i < machine->n_gpus; i++) {
		check_gpu(machine, &machine->gpus[i]);
		require(!seen[machine->gpus[i].ordinal]);
		seen[machine->gpus[i].ordinal] = true;
	}
	for (unsigned i = 0; i <= machine->n_gpus; i++) {
		const struct mxt_amd_gpu *gpu = NULL;
		struct mxt_error err = MXT_ERROR_INIT;
		if (mxt_amd_machine_find(machine, i, &gpu, &err) == 0)
			require(gpu == &machine->gpus[i]);
		else
			require(err.text && (err.id == MXT_E_NO_DEVICE || err.id == MXT_E_AMD_DRIVER ||
					     err.id == MXT_E_AMD_ACCESS));
		mxt_error_clear(&err);
	}
}

static void examine(const char *prefix)
{
	const struct mxt_sysroot root = {.prefix = prefix};
	char *environment[MAX_VARIABLES + 1] = {NULL};
	struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	if (mxt_sysroot_read(&root, "/environ", 4096, &text, NULL) == 0 && text.len)
		split(text.data, environment);
	require(mxt_amd_machine_read(&root, environment, &machine, NULL) == 0);
	check_machine(&machine);
	mxt_buf_finish(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char root[] = MXT_FUZZ_ROOT;
	if (!mxt_fuzz_tree_make(root, data, size))
		return 0;
	examine(root);
	mxt_fuzz_tree_remove(root);
	return 0;
}
