/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker on a GPU tells of itself before it times anything: what is really in force there.
 */
#ifndef MXT_GPU_GPU_DESCRIBE_H
#define MXT_GPU_GPU_DESCRIBE_H

#include <jansson.h>

#include "compiler.h"

struct mxt_device;
struct mxt_error;

/*
 * The facts of a torch on a GPU, whose state begins with a struct mxt_gpu_runtime: those of mxt_torch_device_facts(),
 * which attention torch takes, both versions of the runtime under the dialect's names, the files that were loaded, and
 * which of `selectors` (NULL-ended) are set. `own` is added to them and always consumed; NULL: memory ran out for it.
 */
int mxt_gpu_describe(struct mxt_device *device, const char *const *selectors, json_t *own, json_t **ret_facts,
		     struct mxt_error *err) MXT_WUR;

#endif
