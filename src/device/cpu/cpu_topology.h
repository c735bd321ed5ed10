/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cores and caches that this process may use, through hwloc; of a recorded machine, those of its process.
 */
#ifndef MXT_CPU_TOPOLOGY_H
#define MXT_CPU_TOPOLOGY_H

#include <stdint.h>

struct mxt_error;
struct mxt_sysroot;

struct mxt_cpu_topology {
	uint32_t threads;              /* logical processors in the affinity mask */
	uint32_t cores;                /* cores of these: siblings of one core count once */
	uint32_t packages, numa_nodes; /* that these cores belong to; 0 when not reported */
	uint64_t l1d_bytes, l2_bytes;  /* of one core; 0 when not reported */
	uint64_t llc_bytes;            /* all last-level caches of these cores together; 0 when not reported */
	uint32_t max_mhz;              /* highest clock that the kernel reports; 0 when it does not */
};

int mxt_cpu_topology_read(const struct mxt_sysroot *root, struct mxt_cpu_topology *ret_topology, struct mxt_error *err);

#endif
