/* SPDX-License-Identifier: Apache-2.0 */
#include "kfd_topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "number.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define NODES          "/sys/class/kfd/kfd/topology/nodes"
#define MAX_PROPERTIES 16384
#define PATH_SIZE      128

/* Heap types of memory banks (hsakmttypes.h): the card's memory that the host reaches, and the rest of it. */
#define HEAP_PUBLIC  1
#define HEAP_PRIVATE 2

/* The folders of a list that are numbers, as a sorted, owned array. */
struct numbers {
	uint32_t *items;
	size_t count;
};

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* "1" and "01" are one. */
static void drop_repeats(struct numbers *numbers)
{
	size_t kept = 0;
	for (size_t i = 0; i < numbers->count; i++)
		if (kept == 0 || numbers->items[kept - 1] != numbers->items[i])
			numbers->items[kept++] = numbers->items[i];
	numbers->count = kept;
}

/* An absent folder has none. */
static int list_numbers(const struct mxt_sysroot *root, const char *path, size_t max, struct numbers *ret_numbers)
{
	MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
	int rc = mxt_sysroot_list(root, path, max, &names, NULL);
	if (rc < 0 && rc != -ENOMEM)
		rc = 0;
	struct numbers numbers = {calloc(names.count + 1, sizeof *numbers.items), 0};
	if (rc < 0 || !numbers.items) {
		free(numbers.items);
		return -ENOMEM;
	}
	for (size_t i = 0; i < names.count; i++) {
		int64_t value = 0;
		if (mxt_parse_i64_in(names.names[i], 0, UINT32_MAX, &value) == 0)
			numbers.items[numbers.count++] = (uint32_t)value;
	}
	qsort(numbers.items, numbers.count, sizeof *numbers.items, by_value);
	drop_repeats(&numbers);
	*ret_numbers = numbers;
	return 0;
}

/* "" of a file that is not there or may not be read. -ENOMEM. */
static int read_text(const struct mxt_sysroot *root, const char *path, struct mxt_buf *text)
{
	int rc = mxt_sysroot_read(root, path, MAX_PROPERTIES, text, NULL);
	return rc == -ENOMEM ? rc : 0;
}

static int read_bank(const struct mxt_sysroot *root, const char *path, struct mxt_kfd_gpu *gpu)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct mxt_kfd_bank bank;
	int rc = read_text(root, path, &text);
	if (rc < 0 || mxt_kfd_bank_parse(mxt_buf_text(&text), &bank) < 0)
		return rc;
	if (bank.heap_type != HEAP_PUBLIC && bank.heap_type != HEAP_PRIVATE)
		return 0;
	if (bank.size_in_bytes <= UINT64_MAX - gpu->memory_bytes)
		gpu->memory_bytes += bank.size_in_bytes;
	gpu->memory_bits = bank.width;
	gpu->memory_mhz = bank.mem_clk_max;
	return 0;
}

static int read_link(const struct mxt_sysroot *root, const char *path, struct mxt_kfd_gpu *gpu)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct mxt_kfd_link link;
	int rc = read_text(root, path, &text);
	if (rc == 0 && mxt_kfd_link_parse(mxt_buf_text(&text), &link) == 0 && link.type == MXT_KFD_XGMI)
		gpu->links[gpu->n_links++] = link;
	return rc;
}

typedef int read_part(const struct mxt_sysroot *root, const char *path, struct mxt_kfd_gpu *gpu);

/* The `properties` of the numbered folders under KIND of a node. */
static int read_parts(const struct mxt_sysroot *root, const char *kind, const struct numbers *parts, read_part *read,
		      struct mxt_kfd_gpu *gpu)
{
	char path[PATH_SIZE];
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < parts->count; i++) {
		(void)snprintf(path, sizeof path, NODES "/%" PRIu32 "/%s/%" PRIu32 "/properties", gpu->node, kind,
			       parts->items[i]);
		rc = read(root, path, gpu);
	}
	return rc;
}

static int list_parts(const struct mxt_sysroot *root, const char *kind, const struct mxt_kfd_gpu *gpu,
		      struct numbers *ret_parts)
{
	char folder[PATH_SIZE];
	(void)snprintf(folder, sizeof folder, NODES "/%" PRIu32 "/%s", gpu->node, kind);
	return list_numbers(root, folder, MXT_KFD_MAX_NODES, ret_parts);
}

static int read_memory(const struct mxt_sysroot *root, struct mxt_kfd_gpu *gpu)
{
	struct numbers banks = {NULL, 0};
	int rc = list_parts(root, "mem_banks", gpu, &banks);
	if (rc == 0)
		rc = read_parts(root, "mem_banks", &banks, read_bank, gpu);
	free(banks.items);
	return rc;
}

static int read_links(const struct mxt_sysroot *root, struct mxt_kfd_gpu *gpu)
{
	struct numbers links = {NULL, 0};
	int rc = list_parts(root, "io_links", gpu, &links);
	if (rc == 0) {
		gpu->links = calloc(links.count + 1, sizeof *gpu->links);
		rc = gpu->links ? read_parts(root, "io_links", &links, read_link, gpu) : -ENOMEM;
	}
	free(links.items);
	return rc;
}

/* The kernel refuses the properties of a card whose device file the container may not open, or shows none. */
static int read_node(const struct mxt_sysroot *root, uint32_t node, struct mxt_kfd_topology *topology)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char path[PATH_SIZE];
	struct mxt_kfd_gpu gpu = {.node = node};
	(void)snprintf(path, sizeof path, NODES "/%" PRIu32 "/properties", node);
	int rc = read_text(root, path, &text);
	if (rc < 0)
		return rc;
	if (text.len == 0) {
		topology->n_closed++;
		return 0;
	}
	if (mxt_kfd_node_parse(mxt_buf_text(&text), &gpu.properties) < 0) {
		topology->n_damaged++;
		return 0;
	}
	if (gpu.properties.simd_count == 0)
		return 0; /* a CPU */
	struct mxt_kfd_gpu *place = &topology->gpus[topology->n_gpus++];
	*place = gpu;
	rc = read_memory(root, place);
	return rc < 0 ? rc : read_links(root, place);
}

static int read_nodes(const struct mxt_sysroot *root, const struct numbers *nodes, struct mxt_kfd_topology *topology)
{
	topology->gpus = calloc(nodes->count + 1, sizeof *topology->gpus);
	int rc = topology->gpus ? 0 : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < nodes->count; i++)
		rc = read_node(root, nodes->items[i], topology);
	return rc;
}

int mxt_kfd_topology_read(const struct mxt_sysroot *root, struct mxt_kfd_topology *ret_topology, struct mxt_error *err)
{
	struct mxt_kfd_topology topology = {.present = false};
	struct numbers nodes = {NULL, 0};
	int rc = list_numbers(root, NODES, MXT_KFD_MAX_NODES, &nodes);
	topology.present = nodes.count > 0;
	if (rc == 0)
		rc = read_nodes(root, &nodes, &topology);
	free(nodes.items);
	if (rc < 0) {
		mxt_kfd_topology_finish(&topology);
		return mxt_error_oom(err);
	}
	*ret_topology = topology;
	return 0;
}

void mxt_kfd_topology_finish(struct mxt_kfd_topology *topology)
{
	for (size_t i = 0; i < topology->n_gpus; i++)
		free(topology->gpus[i].links);
	free(topology->gpus);
	*topology = (struct mxt_kfd_topology){.present = false};
}
