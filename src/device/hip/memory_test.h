/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of the self-test: copies to, on and from the device keep every byte, and fills happen.
 */
#ifndef MXT_HIP_MEMORY_TEST_H
#define MXT_HIP_MEMORY_TEST_H

#include "compiler.h"

struct mxt_error;
struct mxt_gpu_runtime;

/* MXT_E_FIRST_CONTACT (-EIO) with the place of the first wrong byte; MXT_E_HIP_CALL when a call is refused. */
int mxt_memory_test(const struct mxt_gpu_runtime *runtime, struct mxt_error *err) MXT_WUR;

#endif
