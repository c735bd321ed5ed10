/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPUs as the PCI bus shows them: display controllers (class 03) and processing accelerators (class 12) of the vendors
 * that training runs on. No driver and no library is asked.
 */
#ifndef MXT_DEVICE_HOST_PCI_H
#define MXT_DEVICE_HOST_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mxt_error;
struct mxt_sysroot;

enum mxt_gpu_vendor { MXT_GPU_NVIDIA, MXT_GPU_AMD, MXT_GPU_VENDOR_COUNT };

const char *mxt_gpu_vendor_name(enum mxt_gpu_vendor vendor); /* "NVIDIA", "AMD" */

struct mxt_pci_gpus {
	bool reported; /* the bus could be listed; else nothing is known */
	uint32_t count[MXT_GPU_VENDOR_COUNT];
};

/* A bus that cannot be listed (none, or hidden by a sandbox) is no error. */
int mxt_pci_gpus_read(const struct mxt_sysroot *root, struct mxt_pci_gpus *ret_gpus, struct mxt_error *err);

/*
 * 0 when the bus shows a GPU of this vendor, or (where a sandbox hides the bus) the driver's device file is there;
 * else MXT_E_NO_DEVICE (-ENODEV).
 */
int mxt_pci_gpu_here(const struct mxt_sysroot *root, enum mxt_gpu_vendor vendor, const char *device_file,
		     struct mxt_error *err);

#endif
