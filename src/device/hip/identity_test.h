/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of the self-test: what HIP says in one place about a device must be what it says in another, and what the
 * kernel's driver says. MXT_E_FIRST_CONTACT (-EIO) names what is not, with both values.
 */
#ifndef MXT_HIP_IDENTITY_TEST_H
#define MXT_HIP_IDENTITY_TEST_H

#include "compiler.h"

struct mxt_amd_machine;
struct mxt_error;
struct mxt_gpu_runtime;
struct mxt_hip_identity;

/* Against HIP's other calls. */
int mxt_identity_test_runtime(const struct mxt_gpu_runtime *runtime, const struct mxt_hip_identity *identity,
			      struct mxt_error *err) MXT_WUR;

/* Against the driver's files, of which the machine shows at least one GPU; the two are matched by PCI address. */
int mxt_identity_test_driver(const struct mxt_hip_identity *identity, const struct mxt_amd_machine *machine,
			     struct mxt_error *err) MXT_WUR;

#endif
