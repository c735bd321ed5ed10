/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory this machine has: /proc/meminfo.
 */
#ifndef MXT_DEVICE_HOST_MEMORY_H
#define MXT_DEVICE_HOST_MEMORY_H

#include <stdint.h>

struct mxt_error;
struct mxt_sysroot;

struct mxt_host_memory {
	uint64_t total_bytes;     /* 0 when not reported */
	uint64_t available_bytes; /* what can be used without swapping; 0 when not reported */
};

/* Text of /proc/meminfo; any text parses. */
void mxt_host_memory_parse(const char *text, struct mxt_host_memory *ret_memory);

int mxt_host_memory_read(const struct mxt_sysroot *root, struct mxt_host_memory *ret_memory, struct mxt_error *err);

/* The size class in GiB that stands for `bytes` in plans: the nearest (by ratio) of 2^k and 1.5 * 2^k, at least 1. */
uint32_t mxt_memory_class_gib(uint64_t bytes);

#endif
