/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One value out of /proc/meminfo, or out of a node's meminfo, whose lines begin with "Node 0 ".
 */
#ifndef MXT_DEVICE_MEMINFO_H
#define MXT_DEVICE_MEMINFO_H

#include "reading.h"

/* "MemTotal:  24684092 kB" in bytes, "HugePages_Total:  0" as it is. Any text will do. */
struct mxt_reading mxt_meminfo_find(const char *text, const char *key);

#endif
