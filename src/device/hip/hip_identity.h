/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What HIP tells about a device. It is read from a structure whose layout depends on the release and is known to us
 * from headers only (hip_layout.def), so nothing in it is believed before it looks like what it should be.
 */
#ifndef MXT_HIP_IDENTITY_H
#define MXT_HIP_IDENTITY_H

#include <stdint.h>

#include "compiler.h"

struct mxt_error;
struct mxt_gpu_runtime;

#define MXT_HIP_TEXT 256

struct mxt_hip_identity {
	const char *layout;      /* static: which one was read, "R0600" (ROCm 6 and later) or "R0000" */
	char name[MXT_HIP_TEXT]; /* "AMD Instinct MI300X", but "AMD Radeon Graphics" or that of its arch for want of a
				    list */
	char arch[MXT_HIP_TEXT]; /* "gfx942:sramecc+:xnack-" */
	uint64_t memory_bytes;
	uint32_t warp_size, units; /* work items of a wave; compute units */
	uint32_t major, minor;     /* 9.4 */
	uint32_t l2_bytes;         /* of one compute die: the Infinity Cache is not told */
	uint32_t pci_domain, pci_bus, pci_device;
};

/* MXT_E_FIRST_CONTACT (-EIO) when what is read cannot be what it should be; MXT_E_HIP_CALL when HIP refuses. */
int mxt_hip_identity_read(const struct mxt_gpu_runtime *runtime, struct mxt_hip_identity *ret_identity,
			  struct mxt_error *err) MXT_WUR;

/*
 * Bytes of the last cache before memory: of architectures with an Infinity Cache its size, which no call tells, else
 * l2_bytes.
 */
uint64_t mxt_hip_llc_bytes(const struct mxt_hip_identity *identity);

#endif
