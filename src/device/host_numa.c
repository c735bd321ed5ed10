/* SPDX-License-Identifier: Apache-2.0 */
#include "host_numa.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "cpu_list.h"
#include "error.h"
#include "meminfo.h"
#include "sysroot.h"

#define NODES "/sys/devices/system/node"

/* A whole small file of a node; an empty text when it is not there. */
static int read_node_file(const struct mxt_sysroot *root, uint32_t id, const char *name, struct mxt_buf *text)
{
	char path[96];
	(void)snprintf(path, sizeof path, NODES "/node%" PRIu32 "/%s", id, name);
	int rc = mxt_sysroot_read(root, path, 65536, text, NULL);
	return rc == -ENOMEM ? rc : 0;
}

static int read_node(const struct mxt_sysroot *root, uint32_t id, struct mxt_numa_node *node)
{
	MXT_CLEANUP_BUF struct mxt_buf meminfo = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf processors = MXT_BUF_INIT;
	int rc = read_node_file(root, id, "meminfo", &meminfo);
	if (rc == 0)
		rc = read_node_file(root, id, "cpulist", &processors);
	if (rc < 0)
		return rc;
	*node = (struct mxt_numa_node){.id = id};
	node->total_bytes = mxt_meminfo_find(mxt_buf_text(&meminfo), "MemTotal");
	node->free_bytes = mxt_meminfo_find(mxt_buf_text(&meminfo), "MemFree");
	struct mxt_cpu_list list;
	if (processors.data && mxt_cpu_list_parse(processors.data, &list) == 0)
		node->processors = mxt_reading_of(mxt_cpu_list_count(&list));
	return 0;
}

static int read_nodes(const struct mxt_sysroot *root, const struct mxt_cpu_list *online, struct mxt_host_numa *numa)
{
	numa->nodes = calloc(mxt_cpu_list_count(online) + 1, sizeof *numa->nodes);
	if (!numa->nodes)
		return -ENOMEM;
	int rc = 0;
	for (uint32_t id = 0; rc == 0 && (id = mxt_cpu_list_next(online, id)) < MXT_CPU_LIST_MAX; id++)
		rc = read_node(root, id, &numa->nodes[numa->n_nodes++]);
	return rc;
}

int mxt_host_numa_read(const struct mxt_sysroot *root, struct mxt_host_numa *ret_numa, struct mxt_error *err)
{
	struct mxt_host_numa numa = {.nodes = NULL};
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct mxt_cpu_list online;
	int rc = mxt_sysroot_read(root, NODES "/online", 65536, &text, NULL);
	if (rc == 0 && mxt_cpu_list_parse(mxt_buf_text(&text), &online) == 0)
		rc = read_nodes(root, &online, &numa);
	if (rc != -ENOMEM) {
		rc = mxt_sysroot_read_u64(root, "/proc/sys/kernel/numa_balancing", &numa.balancing.value, NULL);
		numa.balancing.reported = rc == 0;
	}
	if (rc == -ENOMEM) {
		mxt_host_numa_finish(&numa);
		return mxt_error_oom(err);
	}
	*ret_numa = numa;
	return 0;
}

void mxt_host_numa_finish(struct mxt_host_numa *numa)
{
	free(numa->nodes);
	*numa = (struct mxt_host_numa){.nodes = NULL};
}
