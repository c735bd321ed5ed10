/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of AMD's cards before anything is asked: names by PCI id, and what a compute unit can do in a clock.
 */
#ifndef MXT_HIP_AMD_MODEL_H
#define MXT_HIP_AMD_MODEL_H

#include <stdint.h>

struct mxt_amd_model {
	uint32_t device_id;
	const char *name;   /* "AMD Instinct MI300X" */
	uint32_t units;     /* compute units of a whole card */
	uint32_t xccs;      /* its compute dies */
	uint32_t memory_gb; /* as it is sold: of 192 GB, 206141652992 bytes are shown */
	double bytes_per_s;
};

/* NULL when the id is not known. */
const struct mxt_amd_model *mxt_amd_model_find(uint64_t device_id);

/*
 * Floating-point operations of one compute unit in one clock, a multiply-add being two, and bits that one wire of the
 * memory bus carries in one clock. All 0: not known. They bound measurements, so they err on the high side.
 */
struct mxt_amd_rate {
	uint32_t bf16; /* dense, on matrix units, accumulated in float32 */
	uint32_t fp32; /* on matrix units */
	uint32_t memory;
};

struct mxt_amd_rate mxt_amd_rate(const char *arch); /* "gfx942" */

/* Of MI300 and its successors: CDNA 3 white paper, and CDNA 4 has kept it. No call and no file tells it. */
#define MXT_AMD_INFINITY_CACHE_BYTES (UINT64_C(256) << 20)

#endif
