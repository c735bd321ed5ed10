/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory nodes of this machine: /sys/devices/system/node.
 */
#ifndef MXT_DEVICE_HOST_NUMA_H
#define MXT_DEVICE_HOST_NUMA_H

#include <stddef.h>
#include <stdint.h>

#include "reading.h"

struct mxt_error;
struct mxt_sysroot;

struct mxt_numa_node {
	uint32_t id;
	struct mxt_reading total_bytes, free_bytes;
	struct mxt_reading processors; /* how many belong to it */
};

struct mxt_host_numa {
	struct mxt_numa_node *nodes;  /* owned; ascending ids */
	size_t n_nodes;               /* 0: not reported */
	struct mxt_reading balancing; /* kernel.numa_balancing: 0 off */
};

/* What cannot be read is not reported. */
int mxt_host_numa_read(const struct mxt_sysroot *root, struct mxt_host_numa *ret_numa, struct mxt_error *err);
void mxt_host_numa_finish(struct mxt_host_numa *numa);

#endif
