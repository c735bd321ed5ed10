/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose GPU a plan is for. AMD and others make processors, too, and the platform of a host has its processor's maker.
 */
#ifndef MXT_CORE_PLATFORM_GPU_H
#define MXT_CORE_PLATFORM_GPU_H

#include <jansson.h>
#include <stdbool.h>

/* Is this decision.platform that of a GPU of `vendor`, as device_ops.h names it: "nvidia", "amd"? */
bool mxt_platform_has_gpu(const json_t *platform, const char *vendor);

#endif
