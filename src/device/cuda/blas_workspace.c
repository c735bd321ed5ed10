/* SPDX-License-Identifier: Apache-2.0 */
#include "blas_workspace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KIB          ((size_t)1024)
#define MIB          ((size_t)1024 * KIB)
#define MOST         (1024 * MIB)
#define SHARED_SINCE 12 /* minor of torch 2: cuBLASLt gets as much as cuBLAS */

/* The sum over all ":KIB:COUNT" of CUBLAS_WORKSPACE_CONFIG; false where it has none. */
static bool configured(size_t *ret_bytes)
{
	const char *at = getenv("CUBLAS_WORKSPACE_CONFIG");
	uint64_t total = 0;
	bool any = false;
	while (at && (at = strchr(at, ':'))) {
		char *end = NULL;
		uint64_t kib = strtoull(++at, &end, 10);
		if (end == at || *end != ':')
			continue;
		const char *second = end + 1;
		uint64_t count = strtoull(second, &end, 10);
		if (end == second)
			continue;
		any = true;
		total += kib < MOST / KIB && count < MOST ? kib * KIB * count : MOST;
		at = end;
	}
	*ret_bytes = total < MOST ? (size_t)total : MOST;
	return any;
}

static size_t cublas_workspace(const struct mxt_blas_stack *stack)
{
	size_t bytes = 0;
	if (configured(&bytes))
		return bytes;
	bool large = stack->compute_major == 9;
	if (stack->torch_minor >= SHARED_SINCE)
		large = large || stack->compute_major == 10 || stack->compute_major == 12;
	return large ? 32 * MIB : 2 * (4096 * KIB) + 8 * (16 * KIB); /* ":4096:2:16:8" */
}

static bool is_shared(const struct mxt_blas_stack *stack)
{
	const char *value = getenv("TORCH_CUBLASLT_UNIFIED_WORKSPACE");
	if (stack->torch_minor >= SHARED_SINCE)
		return !value || strcmp(value, "0") != 0;
	return value && strcmp(value, "1") == 0;
}

static size_t lt_workspace(const struct mxt_blas_stack *stack)
{
	const char *value = getenv("CUBLASLT_WORKSPACE_SIZE");
	size_t cublas = cublas_workspace(stack);
	bool shared = is_shared(stack);
	size_t bytes = shared && stack->torch_minor >= SHARED_SINCE ? cublas : MIB;
	char *end = NULL;
	uint64_t kib = value ? strtoull(value, &end, 10) : 0;
	if (value && end != value)
		bytes = kib < MOST / KIB ? (size_t)kib * KIB : MOST;
	return shared && cublas < bytes ? cublas : bytes;
}

size_t mxt_blas_workspace(const struct mxt_blas_stack *stack, bool through_lt)
{
	return through_lt ? lt_workspace(stack) : cublas_workspace(stack);
}

bool mxt_blas_through_lt(bool bias)
{
	const char *prefer = getenv("TORCH_BLAS_PREFER_CUBLASLT");
	const char *never = getenv("DISABLE_ADDMM_CUDA_LT");
	if (prefer && strcmp(prefer, "1") == 0)
		return true;
	return bias && !(never && strcmp(never, "1") == 0);
}
