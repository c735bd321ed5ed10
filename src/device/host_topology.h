/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many processors this machine has, and whether it is a guest: /proc/cpuinfo, or the processors' folders in
 * /sys/devices/system/cpu where cpuinfo does not say which socket a processor is in (Arm).
 */
#ifndef MXT_DEVICE_HOST_TOPOLOGY_H
#define MXT_DEVICE_HOST_TOPOLOGY_H

#include "reading.h"

struct mxt_error;
struct mxt_sysroot;

struct mxt_host_topology {
	struct mxt_reading threads; /* processors that the kernel schedules on */
	struct mxt_reading cores, sockets;
	struct mxt_reading guest; /* whether a hypervisor runs this machine; reported on x86 only */
};

/* Text of /proc/cpuinfo; any text parses. Returns 0 or -ENOMEM. */
int mxt_host_topology_parse(const char *text, struct mxt_host_topology *ret_topology);

/* What cannot be read is not reported. */
int mxt_host_topology_read(const struct mxt_sysroot *root, struct mxt_host_topology *ret_topology,
			   struct mxt_error *err);

#endif
