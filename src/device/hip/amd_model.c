/* SPDX-License-Identifier: Apache-2.0 */
#include "amd_model.h"

#include <stddef.h>
#include <string.h>

#include "compiler.h"

static const struct mxt_amd_model models[] = {
#define MXT_AMD_MODEL(id, name, units, xccs, memory_gb, bytes_per_s) {id, name, units, xccs, memory_gb, bytes_per_s},
#include "amd_models.def"
#undef MXT_AMD_MODEL
};

/*
 * From AMD's data sheets: what they give for a whole card, divided by its compute units and highest clock.
 *   MI250X  383.0 TFLOP/s bf16 = 220 x 1.7 GHz x 1024     memory 2 x 4096 bits x 1.6 GHz x 2 = 3.28 TB/s
 *   MI300X 1307.4              = 304 x 2.1     x 2048            8192 bits x 1.3 GHz x 4 = 5.32 TB/s
 *   MI355X 2516.6              = 256 x 2.4     x 4096            8192 bits x 2.0 GHz x 4 = 8.19 TB/s
 */
static const struct rate_row {
	const char *arch;
	struct mxt_amd_rate rate;
} rate_rows[] = {
    {"gfx90a", {1024, 256, 2}},
    {"gfx942", {2048, 256, 4}},
    {"gfx950", {4096, 256, 4}},
};

const struct mxt_amd_model *mxt_amd_model_find(uint64_t device_id)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(models); i++)
		if (models[i].device_id == device_id)
			return &models[i];
	return NULL;
}

struct mxt_amd_rate mxt_amd_rate(const char *arch)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(rate_rows); i++)
		if (strcmp(rate_rows[i].arch, arch) == 0)
			return rate_rows[i].rate;
	return (struct mxt_amd_rate){0, 0, 0};
}
