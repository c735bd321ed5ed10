/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs that amdgpu's compute driver (KFD) shows under /sys/class/kfd, with their memory and their links. What HIP
 * can use is among them. Source: Linux drivers/gpu/drm/amd/amdkfd/kfd_topology.c.
 */
#ifndef MXT_HIP_KFD_TOPOLOGY_H
#define MXT_HIP_KFD_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kfd_properties.h"

struct mxt_error;
struct mxt_sysroot;

/* Eight cards of eight partitions and their processors are 72 nodes. */
#define MXT_KFD_MAX_NODES 256

/* A card, or a partition of one. */
struct mxt_kfd_gpu {
	uint32_t node; /* as links name it */
	struct mxt_kfd_node properties;
	uint64_t memory_bytes; /* of the card's own kind */
	uint64_t memory_bits, memory_mhz;
	struct mxt_kfd_link *links; /* owned: only those over xGMI */
	size_t n_links;
};

struct mxt_kfd_topology {
	bool present;             /* the driver is loaded and shows a topology */
	struct mxt_kfd_gpu *gpus; /* owned, by node */
	size_t n_gpus;
	uint32_t n_closed;  /* nodes that this process may not read: other jobs' cards in a container */
	uint32_t n_damaged; /* nodes whose files are no properties */
};

#define MXT_CLEANUP_KFD MXT_CLEANUP(mxt_kfd_topology_finish)

/* -ENOMEM is the only failure: what cannot be read is counted. */
int mxt_kfd_topology_read(const struct mxt_sysroot *root, struct mxt_kfd_topology *ret_topology,
			  struct mxt_error *err) MXT_WUR;
void mxt_kfd_topology_finish(struct mxt_kfd_topology *topology);

#endif
