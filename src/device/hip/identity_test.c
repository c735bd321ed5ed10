/* SPDX-License-Identifier: Apache-2.0 */
#include "identity_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "amd_machine.h"
#include "first_contact.h"
#include "gpu_runtime.h"
#include "hip_identity.h"

#define PCI_BYTES 32

/* Both round as they like, and HIP may be told to leave some of it alone (GPU_MAX_HEAP_SIZE). */
static bool same_memory(uint64_t a, uint64_t b)
{
	uint64_t apart = a > b ? a - b : b - a;
	return apart <= (a > b ? a : b) / 50;
}

/* The function of the address says nothing: newer drivers count partitions in it. */
static void pci_text(const struct mxt_hip_identity *identity, char text[PCI_BYTES])
{
	(void)snprintf(text, PCI_BYTES, "%04x:%02x:%02x.", identity->pci_domain & 0xffff, identity->pci_bus & 0xff,
		       identity->pci_device & 0xff);
}

static bool at_address(const char *address, const char *text)
{
	return strncasecmp(address, text, strlen(text)) == 0;
}

/* Waves are 64 wide up to gfx9, which is CDNA, and 32 on RDNA (gfx10 and later). */
static int test_waves(const struct mxt_hip_identity *identity, struct mxt_error *err)
{
	uint32_t expected = strncmp(identity->arch, "gfx1", 4) == 0 ? 32 : 64;
	if (identity->warp_size == expected)
		return 0;
	return mxt_first_contact_failed(err, "waves are as wide as the architecture says",
					"%s (%s) has waves of %u, expected %u", identity->name, identity->arch,
					identity->warp_size, expected);
}

static int test_units(const struct mxt_gpu_runtime *runtime, const struct mxt_hip_identity *identity,
		      struct mxt_error *err)
{
	int units = mxt_gpu_attribute(runtime, runtime->dialect->units);
	if (units > 0 && identity->units == (uint32_t)units)
		return 0;
	return mxt_first_contact_failed(err, "HIP tells the same compute units in both of its ways",
					"%u in the properties of %s (layout %s), %d as attribute %d", identity->units,
					identity->name, identity->layout, units, (int)runtime->dialect->units);
}

static int test_memory(const struct mxt_gpu_runtime *runtime, const struct mxt_hip_identity *identity,
		       struct mxt_error *err)
{
	size_t left = 0, total = 0;
	int rc = mxt_gpu_result(runtime, runtime->call.memory_info(&left, &total), "tell its memory", err);
	if (rc < 0)
		return rc;
	if (same_memory(identity->memory_bytes, total) && left <= total)
		return 0;
	return mxt_first_contact_failed(
	    err, "HIP tells the same memory in both of its ways",
	    "%llu bytes in the properties of %s (layout %s), %zu by hipMemGetInfo, of which %zu are free",
	    (unsigned long long)identity->memory_bytes, identity->name, identity->layout, total, left);
}

static int test_address(const struct mxt_gpu_runtime *runtime, const struct mxt_hip_identity *identity,
			struct mxt_error *err)
{
	char expected[PCI_BYTES], told[PCI_BYTES] = "";
	pci_text(identity, expected);
	int rc = mxt_gpu_result(runtime, runtime->call.hip_pci_address(told, sizeof told, runtime->device),
				"tell the device's PCI address", err);
	if (rc < 0)
		return rc;
	told[sizeof told - 1] = '\0';
	if (at_address(told, expected))
		return 0;
	return mxt_first_contact_failed(err, "HIP tells the same PCI address in both of its ways",
					"%s0 in the properties of %s (layout %s), \"%s\" by hipDeviceGetPCIBusId",
					expected, identity->name, identity->layout, told);
}

int mxt_identity_test_runtime(const struct mxt_gpu_runtime *runtime, const struct mxt_hip_identity *identity,
			      struct mxt_error *err)
{
	int rc = test_waves(identity, err);
	if (rc == 0)
		rc = test_units(runtime, identity, err);
	if (rc == 0)
		rc = test_memory(runtime, identity, err);
	return rc < 0 ? rc : test_address(runtime, identity, err);
}

/* ---- the driver ---- */

static const struct mxt_amd_gpu *gpu_at(const struct mxt_amd_machine *machine, const char *address)
{
	for (size_t i = 0; i < machine->n_gpus; i++)
		if (at_address(machine->gpus[i].pci, address))
			return &machine->gpus[i];
	return NULL;
}

static bool same_arch(const char *hip, const char *driver)
{
	return strcspn(hip, ":") == strlen(driver) && strncmp(hip, driver, strlen(driver)) == 0;
}

/* How many of a card's GPUs share its memory depends on a mode that not every driver tells: then it is a bound. */
static bool memory_fits(uint64_t bytes, const struct mxt_amd_gpu *gpu)
{
	if (gpu->memory_bytes == 0 || (gpu->partitions <= 1 && same_memory(bytes, gpu->memory_bytes)))
		return true;
	return gpu->partitions > 1 && (bytes <= gpu->card_memory_bytes || same_memory(bytes, gpu->card_memory_bytes));
}

int mxt_identity_test_driver(const struct mxt_hip_identity *identity, const struct mxt_amd_machine *machine,
			     struct mxt_error *err)
{
	char address[PCI_BYTES];
	pci_text(identity, address);
	const struct mxt_amd_gpu *gpu = gpu_at(machine, address);
	if (!gpu)
		return mxt_first_contact_failed(
		    err, "HIP and the driver know the same cards",
		    "HIP's device is at %s0, and the driver shows none there (%s is the first of %zu)", address,
		    machine->gpus[0].pci, machine->n_gpus);
	if (gpu->arch[0] && !same_arch(identity->arch, gpu->arch))
		return mxt_first_contact_failed(
		    err, "HIP and the driver tell the same architecture",
		    "HIP says %s and the driver %s about %s (HSA_OVERRIDE_GFX_VERSION would do that)", identity->arch,
		    gpu->arch, gpu->pci);
	if (gpu->units && identity->units != gpu->units)
		return mxt_first_contact_failed(err, "HIP and the driver tell the same compute units",
						"HIP says %u and the driver %u about %s", identity->units, gpu->units,
						gpu->pci);
	if (!memory_fits(identity->memory_bytes, gpu))
		return mxt_first_contact_failed(
		    err, "HIP and the driver tell the same memory", "HIP says %llu bytes and the driver %llu about %s",
		    (unsigned long long)identity->memory_bytes, (unsigned long long)gpu->memory_bytes, gpu->pci);
	return 0;
}
