/* SPDX-License-Identifier: Apache-2.0 */
#include "amd_fabric.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "amd_machine.h"
#include "kfd_topology.h"

/*
 * Weights that amdgpu gives: 15 for each hop between cards, and 13 inside of each card that is partitioned. So 15 and
 * 41 are one hop, 30 and 56 two.
 */
#define HOP_WEIGHT    15
#define INSIDE_WEIGHT 13
#define LINK_IN_USE   1

#define NO_CARD UINT32_MAX

/* What the pairs are looked up in: of each GPU that the kernel shows, in its order, the card; NO_CARD: hidden. */
struct fabric {
	const struct mxt_kfd_topology *topology;
	uint32_t cards[MXT_KFD_MAX_NODES];
	bool partition[MXT_KFD_MAX_NODES]; /* it is a part of its card */
};

static void fabric_init(struct fabric *fabric, const struct mxt_kfd_topology *topology,
			const struct mxt_amd_machine *machine)
{
	fabric->topology = topology;
	for (size_t i = 0; i < MXT_KFD_MAX_NODES; i++)
		fabric->cards[i] = NO_CARD;
	for (size_t i = 0; i < machine->n_gpus; i++) {
		const struct mxt_amd_gpu *gpu = &machine->gpus[i];
		fabric->cards[gpu->ordinal] = gpu->card;
		fabric->partition[gpu->ordinal] = mxt_amd_gpu_is_partition(gpu);
	}
}

static int by_node(const void *key, const void *item)
{
	uint64_t node = *(const uint64_t *)key, other = ((const struct mxt_kfd_gpu *)item)->node;
	return (node > other) - (node < other);
}

static bool is_direct(const struct fabric *fabric, const struct mxt_kfd_link *link, size_t from, size_t to)
{
	unsigned inside = fabric->partition[from] + fabric->partition[to];
	return (link->flags & LINK_IN_USE) && link->weight < inside * INSIDE_WEIGHT + 2 * HOP_WEIGHT;
}

/* Whether a GPU has a direct link to any GPU of a card. */
static bool reaches(const struct fabric *fabric, size_t from, uint32_t card)
{
	const struct mxt_kfd_topology *topology = fabric->topology;
	const struct mxt_kfd_gpu *gpu = &topology->gpus[from];
	for (size_t i = 0; i < gpu->n_links; i++) {
		const struct mxt_kfd_gpu *peer =
		    bsearch(&gpu->links[i].node_to, topology->gpus, topology->n_gpus, sizeof *topology->gpus, by_node);
		size_t to = peer ? (size_t)(peer - topology->gpus) : 0;
		if (peer && fabric->cards[to] == card && is_direct(fabric, &gpu->links[i], from, to))
			return true;
	}
	return false;
}

/* Whether any GPU of one card has a direct link to any of the other. */
static bool has_link(const struct fabric *fabric, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < fabric->topology->n_gpus; i++)
		if (fabric->cards[i] == from && reaches(fabric, i, to))
			return true;
	return false;
}

static void break_mesh(struct mxt_amd_machine *machine, const struct mxt_amd_gpu *a, const struct mxt_amd_gpu *b,
		       const char *why)
{
	machine->mesh = MXT_AMD_MESH_BROKEN;
	if (machine->missing_links++ == 0)
		(void)snprintf(machine->mesh_reason, sizeof machine->mesh_reason,
			       "GPU %" PRIu32 " (%s) and GPU %" PRIu32 " (%s): %s", a->ordinal, a->pci, b->ordinal,
			       b->pci, why);
}

static void look_at_pair(const struct fabric *fabric, struct mxt_amd_machine *machine, struct mxt_amd_gpu *a,
			 struct mxt_amd_gpu *b)
{
	bool forth = has_link(fabric, a->card, b->card);
	bool back = has_link(fabric, b->card, a->card);
	a->xgmi_links += forth;
	b->xgmi_links += back;
	if (!forth || !back)
		break_mesh(machine, a, b, "no direct xGMI link");
	else if (a->hive_id == 0 || a->hive_id != b->hive_id)
		break_mesh(machine, a, b, "not in one xGMI hive");
}

void mxt_amd_fabric_find(const struct mxt_kfd_topology *topology, struct mxt_amd_machine *machine)
{
	struct fabric fabric = {.topology = NULL};
	fabric_init(&fabric, topology, machine);
	machine->mesh = machine->n_cards > 1 ? MXT_AMD_MESH_FULL : MXT_AMD_MESH_NONE;
	for (size_t i = 0; i < machine->n_gpus; i++) {
		for (size_t k = i + 1; mxt_amd_machine_is_first(machine, i) && k < machine->n_gpus; k++)
			if (mxt_amd_machine_is_first(machine, k))
				look_at_pair(&fabric, machine, &machine->gpus[i], &machine->gpus[k]);
	}
	for (size_t i = 0; i < machine->n_gpus; i++) /* partitions are connected as their card is */
		for (size_t k = 0; k < i; k++)
			if (machine->gpus[k].card == machine->gpus[i].card)
				machine->gpus[i].xgmi_links = machine->gpus[k].xgmi_links;
}
