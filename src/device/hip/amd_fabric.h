/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How cards are connected: on a board of eight, xGMI joins every card with every other by a link of its own.
 */
#ifndef MXT_HIP_AMD_FABRIC_H
#define MXT_HIP_AMD_FABRIC_H

struct mxt_amd_machine;
struct mxt_kfd_topology;

/*
 * Fills the mesh of the machine and xgmi_links of its GPUs. Two cards are joined when any node of one has a link to any
 * node of the other, and one back. Partitions of one card, which the driver joins by xGMI as well, are one.
 */
void mxt_amd_fabric_find(const struct mxt_kfd_topology *topology, struct mxt_amd_machine *machine);

#endif
