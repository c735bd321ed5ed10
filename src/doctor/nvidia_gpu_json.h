/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An NVIDIA device as a fact of doctor: the keys of the survey (nvml_device.h), without what is not told.
 */
#ifndef MXT_DOCTOR_NVIDIA_GPU_JSON_H
#define MXT_DOCTOR_NVIDIA_GPU_JSON_H

#include <jansson.h>

struct mxt_nvidia_gpu;

/* New reference; NULL when memory ran out. */
json_t *mxt_nvidia_gpu_json(const struct mxt_nvidia_gpu *gpu);

#endif
