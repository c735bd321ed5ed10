/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_solutions.h"

#include <stdio.h>

#include "sim_vendor.h"

/* First numbers of the libraries, and the step to the next: rocBLAS counts below zero since ROCm 7. */
#define HIPBLASLT_FIRST 50000
#if SIM_HIP_VERSION >= 70000000
#define ROCBLAS_FIRST (-1000)
#define ROCBLAS_STEP  (-1)
#else
#define ROCBLAS_FIRST 3000
#define ROCBLAS_STEP  1
#endif

/* What a solution that is not the best takes more, at least, and how much the bad ones take. */
#define OTHERS_LEAST 0.01
#define OTHERS_MOST  4.0

static const struct mxt_sim_solutions *table(enum mxt_sim_blas blas)
{
	return &mxt_sim_scenario()->solutions[blas];
}

/* In [0, 1), the same for the same problem and number. */
static double unit(const struct mxt_sim_gemm *gemm, int seed, int number)
{
	const int64_t more[] = {seed, number};
	uint64_t hash = mxt_sim_hash(mxt_sim_gemm_hash(gemm), more, sizeof more);
	hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
	return (double)(hash >> 11) * 0x1p-53;
}

enum { DRAW_CLIFF = -1, DRAW_GAIN = -2, DRAW_BEST = -3, DRAW_OFFSET = -4 };

/* The first takes 1, the best 1 / (1 + gain), and the others more than that, the more the later they stand. */
static double made_up(const struct mxt_sim_solutions *solutions, const struct mxt_sim_gemm *gemm, int rank)
{
	bool cliff = unit(gemm, solutions->seed, DRAW_CLIFF) < solutions->cliff_share;
	double drawn = unit(gemm, solutions->seed, DRAW_GAIN);
	double gain = cliff ? 0.3 + (solutions->cliff_gain - 0.3) * drawn : solutions->gain * drawn;
	double best = 1 / (1 + gain), share = (double)rank / solutions->count;
	int best_rank = 1 + (int)(unit(gemm, solutions->seed, DRAW_BEST) * (solutions->count - 1));
	if (rank == 0)
		return 1;
	if (rank == best_rank)
		return best;
	double more = unit(gemm, solutions->seed, rank);
	return best * (1 + OTHERS_LEAST + more * (0.1 + OTHERS_MOST * share));
}

static int common_divisor(int a, int b)
{
	while (b) {
		int rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Numbers do not follow the heuristic's order: they jump about, differently for every problem. */
static int number_of(const struct mxt_sim_solutions *solutions, const struct mxt_sim_gemm *gemm, int rank)
{
	int count = solutions->count, step = count * 5 / 8 + 1;
	if (solutions->n_factors > 0)
		return rank;
	while (common_divisor(step, count) != 1)
		step++;
	int offset = (int)(unit(gemm, solutions->seed, DRAW_OFFSET) * count);
	return (int)(((int64_t)rank * step + offset) % count);
}

int mxt_sim_solution_count(enum mxt_sim_blas blas)
{
	return table(blas)->count;
}

struct mxt_sim_solution mxt_sim_solution_at(enum mxt_sim_blas blas, const struct mxt_sim_gemm *gemm, int rank)
{
	const struct mxt_sim_solutions *solutions = table(blas);
	int number = number_of(solutions, gemm, rank);
	return (struct mxt_sim_solution){
	    .index = blas == MXT_SIM_CUBLASLT ? HIPBLASLT_FIRST + number : ROCBLAS_FIRST + ROCBLAS_STEP * number,
	    .factor = solutions->n_factors > 0 ? solutions->factors[rank] : made_up(solutions, gemm, rank),
	    .workspace_bytes = rank % 2 == 1 ? solutions->workspace_bytes : 0};
}

bool mxt_sim_solution_find(enum mxt_sim_blas blas, const struct mxt_sim_gemm *gemm, int index,
			   struct mxt_sim_solution *ret_solution)
{
	for (int rank = 0; rank < table(blas)->count; rank++) {
		struct mxt_sim_solution solution = mxt_sim_solution_at(blas, gemm, rank);
		if (solution.index != index)
			continue;
		*ret_solution = solution;
		return true;
	}
	return false;
}

struct mxt_sim_outcome mxt_sim_solution_launch(enum mxt_sim_blas blas, const struct mxt_sim_gemm *gemm,
					       const struct mxt_sim_solution *solution)
{
	const int64_t dims[] = {gemm->m, gemm->n, gemm->k};
	char site[48], family[48];
	(void)snprintf(site, sizeof site, "%s.matmul.%d", mxt_sim_vendor.blas[blas], solution->index);
	(void)snprintf(family, sizeof family, "mm.%s", mxt_sim_vendor.blas[blas]);
	struct mxt_sim_outcome outcome = mxt_sim_enter(site);
	if (outcome.effects & MXT_SIM_FAIL)
		return outcome;
	double factor = solution->factor * mxt_sim_cliff_factor(family, dims);
	struct mxt_sim_cost cost = mxt_sim_scenario()->mm[blas];
	cost.fixed_ns *= factor;
	cost.flops_per_s /= factor;
	mxt_sim_launch(&cost, mxt_sim_gemm_flops(gemm), mxt_sim_gemm_bytes(gemm), mxt_sim_gemm_hash(gemm),
		       outcome.effects);
	return outcome;
}
