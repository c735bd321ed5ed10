/* SPDX-License-Identifier: Apache-2.0 */
#include "amd_card.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "amd_machine.h"
#include "amd_model.h"
#include "buf.h"
#include "error.h"
#include "kfd_topology.h"
#include "sysroot.h"

#define MEGA 1e6

static uint32_t at_most_32_bits(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* The place of a card on the PCI bus, without the function. */
static uint64_t slot_of(const struct mxt_kfd_node *node)
{
	return (node->domain << 13) | (node->location_id >> 3 & 0x1fff);
}

static uint32_t function_of(const struct mxt_kfd_node *node)
{
	return (uint32_t)(node->location_id & 7);
}

/* Functions of one slot that hold all dies of a card are cards of their own, as virtual functions are. */
static bool is_whole(const struct mxt_kfd_node *node)
{
	const struct mxt_amd_model *model = mxt_amd_model_find(node->device_id);
	return model && node->num_xcc >= model->xccs;
}

static bool is_same_card(const struct mxt_kfd_node *a, const struct mxt_kfd_node *b)
{
	return slot_of(a) == slot_of(b) && a->unique_id == b->unique_id && !is_whole(a) && !is_whole(b);
}

static void set_name(const struct mxt_kfd_node *node, struct mxt_amd_gpu *gpu)
{
	const struct mxt_amd_model *model = mxt_amd_model_find(node->device_id);
	gpu->known = model != NULL;
	if (model)
		(void)snprintf(gpu->name, sizeof gpu->name, "%s", model->name);
	else
		(void)snprintf(gpu->name, sizeof gpu->name, "AMD GPU 0x%04" PRIx32, gpu->device_id);
}

/* What the driver tells of memory can be less than the card has (a virtual function), and the bound errs upwards. */
static void set_peaks(const struct mxt_kfd_gpu *node, struct mxt_amd_gpu *gpu)
{
	const struct mxt_amd_model *model = mxt_amd_model_find(gpu->device_id);
	struct mxt_amd_rate rate = mxt_amd_rate(gpu->arch);
	double unit_clocks = (double)gpu->units * gpu->max_mhz * MEGA;
	double bus_bytes = (double)at_most_32_bits(node->memory_bits) / 8 * gpu->memory_mhz * MEGA;
	gpu->peak_bf16_flops = unit_clocks * rate.bf16;
	gpu->peak_fp32_flops = unit_clocks * rate.fp32;
	gpu->peak_bytes = bus_bytes * rate.memory;
	if (model && gpu->peak_bytes < model->bytes_per_s)
		gpu->peak_bytes = model->bytes_per_s;
}

static void describe(const struct mxt_kfd_gpu *node, uint32_t ordinal, struct mxt_amd_gpu *gpu)
{
	const struct mxt_kfd_node *told = &node->properties;
	gpu->ordinal = ordinal;
	gpu->node = node->node;
	mxt_kfd_arch(told->gfx_target_version, gpu->arch);
	gpu->device_id = at_most_32_bits(told->device_id);
	set_name(told, gpu);
	gpu->unique_id = told->unique_id;
	gpu->hive_id = told->hive_id;
	gpu->units = told->simd_per_cu ? at_most_32_bits(told->simd_count / told->simd_per_cu) : 0;
	gpu->xccs = at_most_32_bits(told->num_xcc);
	gpu->memory_bytes = node->memory_bytes;
	gpu->max_mhz = at_most_32_bits(told->max_engine_clk_fcompute);
	gpu->memory_mhz = at_most_32_bits(node->memory_mhz);
	gpu->render_minor = at_most_32_bits(told->drm_render_minor);
	set_peaks(node, gpu);
}

/* Numbers the cards, and what is summed over the partitions of each. */
static uint32_t join(const struct mxt_kfd_topology *topology, struct mxt_amd_gpu *gpus)
{
	uint32_t n_cards = 0;
	for (size_t i = 0; i < topology->n_gpus; i++) {
		size_t first = 0;
		while (first < i && !is_same_card(&topology->gpus[first].properties, &topology->gpus[i].properties))
			first++;
		gpus[i].card = first < i ? gpus[first].card : n_cards++;
	}
	return n_cards;
}

static uint32_t sum_32_bits(uint32_t a, uint32_t b)
{
	return at_most_32_bits((uint64_t)a + b);
}

static void sum_card(const struct mxt_kfd_topology *topology, struct mxt_amd_gpu *gpus, size_t place)
{
	struct mxt_amd_gpu *gpu = &gpus[place];
	const struct mxt_kfd_node *told = &topology->gpus[place].properties;
	uint32_t function = function_of(told);
	for (size_t i = 0; i < topology->n_gpus; i++) {
		if (gpus[i].card != gpu->card)
			continue;
		gpu->partitions++;
		gpu->card_units = sum_32_bits(gpu->card_units, gpus[i].units);
		gpu->card_xccs = sum_32_bits(gpu->card_xccs, gpus[i].xccs);
		if (gpus[i].memory_bytes <= UINT64_MAX - gpu->card_memory_bytes)
			gpu->card_memory_bytes += gpus[i].memory_bytes;
		if (function_of(&topology->gpus[i].properties) < function)
			function = function_of(&topology->gpus[i].properties);
	}
	uint32_t counted = (uint32_t)(told->location_id >> 28 & 15);
	gpu->partition = counted ? counted : function_of(told) - function;
	(void)snprintf(gpu->pci, sizeof gpu->pci, "%04" PRIx32 ":%02x:%02x.%" PRIx32, (uint32_t)told->domain & 0xffff,
		       (unsigned)(told->location_id >> 8 & 0xff), (unsigned)(told->location_id >> 3 & 0x1f), function);
}

/* "SPX" and the like; anything else is not told. */
static int read_mode(const struct mxt_sysroot *root, const char *pci, const char *name, char mode[MXT_AMD_MODE])
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&path, "/sys/bus/pci/devices/%s/%s", pci, name);
	int rc = mxt_buf_status(&path, NULL);
	if (rc == 0)
		rc = mxt_sysroot_read(root, mxt_buf_text(&path), 64, &text, NULL);
	const char *value = mxt_buf_text(&text);
	if (rc < 0 || strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != text.len || text.len >= MXT_AMD_MODE)
		return rc == -ENOMEM ? rc : 0;
	memcpy(mode, value, text.len + 1);
	return 0;
}

/* Kernels without the file have cards that can be partitioned, too; the number of dies tells. */
static const char *mode_of_dies(const struct mxt_amd_gpu *gpu)
{
	static const char *const modes[] = {"", "SPX", "DPX", "TPX", "QPX"};
	const struct mxt_amd_model *model = mxt_amd_model_find(gpu->device_id);
	uint32_t all = model ? model->xccs : gpu->card_xccs;
	if (gpu->xccs == 0 || all < gpu->xccs)
		return "";
	if (gpu->xccs == 1 && all > 1)
		return "CPX";
	uint32_t parts = all / gpu->xccs;
	return parts < sizeof modes / sizeof modes[0] ? modes[parts] : "";
}

static int read_modes(const struct mxt_sysroot *root, struct mxt_amd_gpu *gpu)
{
	int rc = read_mode(root, gpu->pci, "current_compute_partition", gpu->compute_partition);
	if (rc == 0)
		rc = read_mode(root, gpu->pci, "current_memory_partition", gpu->memory_partition);
	gpu->compute_partition_told = gpu->compute_partition[0] != '\0';
	if (!gpu->compute_partition_told)
		(void)snprintf(gpu->compute_partition, sizeof gpu->compute_partition, "%s", mode_of_dies(gpu));
	return rc;
}

static int read_access(const struct mxt_sysroot *root, struct mxt_amd_gpu *gpu)
{
	char path[48];
	(void)snprintf(path, sizeof path, "/dev/dri/renderD%" PRIu32, gpu->render_minor);
	return mxt_device_file_access(root, path, &gpu->render);
}

int mxt_amd_cards_read(const struct mxt_sysroot *root, const struct mxt_kfd_topology *topology,
		       struct mxt_amd_gpu *gpus, uint32_t *ret_n_cards, struct mxt_error *err)
{
	for (size_t i = 0; i < topology->n_gpus; i++)
		describe(&topology->gpus[i], (uint32_t)i, &gpus[i]);
	uint32_t n_cards = join(topology, gpus);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < topology->n_gpus; i++) {
		sum_card(topology, gpus, i);
		rc = read_modes(root, &gpus[i]);
		if (rc == 0)
			rc = read_access(root, &gpus[i]);
	}
	if (rc < 0)
		return mxt_error_oom(err);
	*ret_n_cards = n_cards;
	return 0;
}
