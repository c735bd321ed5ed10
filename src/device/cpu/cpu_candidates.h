/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be chosen on a CPU host by environment variables: device_ops.candidates. Names are sorted.
 *
 * gemm: threads=N, coretype=NAME (OpenBLAS's kernels for other processors), bind=HOW (OpenMP builds), blas=blis.
 * attention: flash, against math.
 */
#ifndef MXT_CPU_CANDIDATES_H
#define MXT_CPU_CANDIDATES_H

#include "device_ops.h"

struct mxt_cpu_host;
struct mxt_error;
struct mxt_sysroot;

int mxt_cpu_candidates(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
		       enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
		       struct mxt_error *err);

/* The same for a host that was read before, or made up. */
int mxt_cpu_candidates_for(const struct mxt_cpu_host *host, enum mxt_problem_kind probe, char *const *environment,
			   struct mxt_candidate_list *ret_list, struct mxt_error *err);

#endif
