/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From nodes of the driver to GPUs and cards: what a node is called, and which nodes are partitions of one card.
 */
#ifndef MXT_HIP_AMD_CARD_H
#define MXT_HIP_AMD_CARD_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_amd_gpu;
struct mxt_error;
struct mxt_kfd_topology;
struct mxt_sysroot;

/*
 * Describes all GPUs of a topology, in its order, in `gpus` (as many as the topology has, zeroed), and says how many
 * cards they are. Partitions are told apart by location_id: newer kernels count them in its bits 28 to 31, others in
 * the PCI function. -ENOMEM is the only failure.
 */
int mxt_amd_cards_read(const struct mxt_sysroot *root, const struct mxt_kfd_topology *topology,
		       struct mxt_amd_gpu *gpus, uint32_t *ret_n_cards, struct mxt_error *err) MXT_WUR;

#endif
