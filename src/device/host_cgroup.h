/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the control groups of this process allow it: CPU time and memory, versions 1 and 2 and both side by side, the
 * tightest limit between the process's own group and the mount point.
 */
#ifndef MXT_DEVICE_HOST_CGROUP_H
#define MXT_DEVICE_HOST_CGROUP_H

#include <stddef.h>
#include <stdint.h>

struct mxt_error;
struct mxt_sysroot;

struct mxt_cgroup_limit {
	uint64_t value; /* 0: no limit */
	char *file;     /* owned: the file that sets it; NULL without a limit */
};

struct mxt_host_cgroup {
	struct mxt_cgroup_limit cpu_milli;    /* thousandths of a processor: 1500 is one and a half */
	struct mxt_cgroup_limit memory_bytes; /* memory.max, memory.high or memory.limit_in_bytes */
};

/* Never fails for want of control groups: then nothing is limited. */
int mxt_host_cgroup_read(const struct mxt_sysroot *root, struct mxt_host_cgroup *ret_cgroup, struct mxt_error *err);
void mxt_host_cgroup_finish(struct mxt_host_cgroup *cgroup);

/* The folder of the process's group for one controller, and how much of it is the mount point. */
struct mxt_cgroup_place {
	unsigned version; /* 1, 2, or 0: the controller is not mounted */
	char *dir;        /* owned; NULL when version is 0 */
	size_t mount_len; /* dir[0 … mount_len) is the mount point */
};

/*
 * From the texts of /proc/self/cgroup and /proc/self/mountinfo; `controller` is "cpu" or "memory". Any text will do.
 * Returns 0 or -ENOMEM.
 */
int mxt_cgroup_locate(const char *membership, const char *mountinfo, const char *controller,
		      struct mxt_cgroup_place *ret_place);

/* "max 100000" or "150000 100000" (cpu.max) in thousandths of a processor; 0 for no limit and for anything else. */
uint64_t mxt_cgroup_parse_cpu_max(const char *text);

#endif
