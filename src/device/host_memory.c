/* SPDX-License-Identifier: Apache-2.0 */
#include "host_memory.h"

#include "buf.h"
#include "error.h"
#include "meminfo.h"
#include "sysroot.h"

#define MAX_MEMINFO 16384

void mxt_host_memory_parse(const char *text, struct mxt_host_memory *ret_memory)
{
	struct mxt_reading total = mxt_meminfo_find(text, "MemTotal");
	struct mxt_reading available = mxt_meminfo_find(text, "MemAvailable");
	ret_memory->total_bytes = total.reported ? total.value : 0;
	ret_memory->available_bytes = available.reported ? available.value : 0;
}

int mxt_host_memory_read(const struct mxt_sysroot *root, struct mxt_host_memory *ret_memory, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_sysroot_read(root, "/proc/meminfo", MAX_MEMINFO, &buf, err);
	if (rc == 0)
		mxt_host_memory_parse(mxt_buf_text(&buf), ret_memory);
	return rc;
}

uint32_t mxt_memory_class_gib(uint64_t bytes)
{
	double gib = (double)bytes / 0x1p30;
	uint32_t class = 1;
	/*
	 * Steps of 1.5 and 4/3 in turn: 1, 1.5 (no integer, left out), 2, 3, 4, 6, 8, 12, … The border between two
	 * classes is their geometric mean.
	 */
	for (uint32_t power = 1; power < (UINT32_C(1) << 30); power *= 2) {
		const uint32_t steps[] = {power * 2, power * 3};
		for (int i = 0; i < 2; i++)
			if (gib * gib >= (double)class * steps[i])
				class = steps[i];
	}
	return class;
}
