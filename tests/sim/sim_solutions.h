/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solutions that hipBLASLt and rocBLAS have for a problem, as the scenario has them ("solutions").
 */
#ifndef MXT_SIM_SOLUTIONS_H
#define MXT_SIM_SOLUTIONS_H

#include "sim_gemm.h"
#include "sim_runtime.h"
#include "sim_scenario.h"

struct mxt_sim_solution {
	int index;     /* in the library's own numbering */
	double factor; /* of the library's cost */
	int64_t workspace_bytes;
};

MXT_SIM_EXPORT int mxt_sim_solution_count(enum mxt_sim_blas blas);
/* By place in the order in which the heuristic has them: 0 is the one that the library takes by itself. */
MXT_SIM_EXPORT struct mxt_sim_solution mxt_sim_solution_at(enum mxt_sim_blas blas, const struct mxt_sim_gemm *gemm,
							   int rank);
/* False: there is none. */
MXT_SIM_EXPORT bool mxt_sim_solution_find(enum mxt_sim_blas blas, const struct mxt_sim_gemm *gemm, int index,
					  struct mxt_sim_solution *ret_solution);

/* A launch of one; what a fault at its site ("hipblaslt.matmul.INDEX") changes comes back. */
MXT_SIM_EXPORT struct mxt_sim_outcome mxt_sim_solution_launch(enum mxt_sim_blas blas, const struct mxt_sim_gemm *gemm,
							      const struct mxt_sim_solution *solution);

#endif
