/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's lists of processors and nodes: "0-3,8,10-11".
 */
#ifndef MXT_DEVICE_CPU_LIST_H
#define MXT_DEVICE_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MXT_CPU_LIST_MAX 8192 /* the kernel's own limit (NR_CPUS) */

struct mxt_cpu_list {
	uint64_t words[MXT_CPU_LIST_MAX / 64];
};

/*
 * 0, or -EINVAL for anything but a well-formed list of numbers below MXT_CPU_LIST_MAX. An empty text is an empty list.
 */
int mxt_cpu_list_parse(const char *text, struct mxt_cpu_list *ret_list);

bool mxt_cpu_list_has(const struct mxt_cpu_list *list, uint32_t cpu);
uint32_t mxt_cpu_list_count(const struct mxt_cpu_list *list);

/* The smallest member that is >= `from`; MXT_CPU_LIST_MAX when there is none. */
uint32_t mxt_cpu_list_next(const struct mxt_cpu_list *list, uint32_t from);

#endif
