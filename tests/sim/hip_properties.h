/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipDeviceProp_t in both of its layouts, by offsets (hip_runtime_api.h of ROCm 5.7 and of 6.0 to 7.2).
 */
#ifndef MXT_SIM_HIP_PROPERTIES_H
#define MXT_SIM_HIP_PROPERTIES_H

struct mxt_sim_device;

#define MXT_SIM_R0600_BYTES 1472
#define MXT_SIM_R0000_BYTES 792

/* Where a card is in its machine. */
struct mxt_sim_pci {
	int domain, bus, device;
};
struct mxt_sim_pci mxt_sim_pci_of(const struct mxt_sim_device *device, int card);

/* Write the whole struct. */
void mxt_sim_properties_r0600(const struct mxt_sim_device *device, int card, void *to);
void mxt_sim_properties_r0000(const struct mxt_sim_device *device, int card, void *to);

#endif
