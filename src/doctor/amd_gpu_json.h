/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AMD GPU as a fact of doctor: a card, or a partition of one, without what the driver does not tell.
 */
#ifndef MXT_DOCTOR_AMD_GPU_JSON_H
#define MXT_DOCTOR_AMD_GPU_JSON_H

#include <jansson.h>
#include <stddef.h>

struct mxt_amd_gpu;

/* `place`: as HIP numbers it. New reference; NULL when memory ran out. */
json_t *mxt_amd_gpu_json(const struct mxt_amd_gpu *gpu, size_t place);

#endif
