/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The self-test on first contact: everything about AMD's runtime that times and descriptions rest on, and that was only
 * read in headers, is tried in every worker before it measures. It takes some hundredths of a second and 32 MiB of the
 * device. What fails refuses the device: MXT_E_FIRST_CONTACT (-EIO), or MXT_E_HIP_CALL where the runtime refuses.
 */
#ifndef MXT_HIP_SELF_TEST_H
#define MXT_HIP_SELF_TEST_H

#include <jansson.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_clock;
struct mxt_error;
struct mxt_gpu_runtime;
struct mxt_hip_identity;
struct mxt_sysroot;

/* What was tried, and holds. What could not be tried (no files of the driver here) is not among it. */
struct mxt_self_test {
	const char *held[12]; /* static */
	size_t n_held;
};

void mxt_self_test_note(struct mxt_self_test *test, const char *name);

/* Adds "layout", "numbers", "driver", "copy", "fill", "clock" to *test as they hold. `clock` is the host's. */
int mxt_self_test_run(struct mxt_self_test *test, const struct mxt_gpu_runtime *runtime,
		      const struct mxt_hip_identity *identity, const struct mxt_sysroot *root,
		      const struct mxt_clock *clock, struct mxt_error *err) MXT_WUR;

/* Its names as an array: new reference; NULL when memory ran out. */
json_t *mxt_self_test_json(const struct mxt_self_test *test);

#endif
