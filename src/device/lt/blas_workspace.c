/* SPDX-License-Identifier: Apache-2.0 */
#include "blas_workspace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KIB          ((size_t)1024)
#define MIB          ((size_t)1024 * KIB)
#define MOST         (1024 * MIB)
#define SHARED_SINCE 12 /* minor of torch 2: cuBLASLt gets as much as cuBLAS */

unsigned mxt_blas_torch_minor(const char *version)
{
	return strncmp(version, "2.", 2) == 0 ? (unsigned)strtoul(version + 2, NULL, 10) : 0;
}

/* The sum over all ":KIB:COUNT"; false where there is none. */
static bool configured(const char *at, size_t *ret_bytes)
{
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
	if (configured(getenv("CUBLAS_WORKSPACE_CONFIG"), &bytes))
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

/* A number of KiB, or `otherwise`. */
static size_t kib_or(const char *value, size_t otherwise)
{
	char *end = NULL;
	uint64_t kib = value ? strtoull(value, &end, 10) : 0;
	if (!value || end == value)
		return otherwise;
	return kib < MOST / KIB ? (size_t)kib * KIB : MOST;
}

static size_t lt_workspace(const struct mxt_blas_stack *stack)
{
	const char *value = getenv("CUBLASLT_WORKSPACE_SIZE");
	size_t cublas = cublas_workspace(stack);
	bool shared = is_shared(stack);
	size_t bytes = shared && stack->torch_minor >= SHARED_SINCE ? cublas : MIB;
	bytes = kib_or(value, bytes);
	return shared && cublas < bytes ? cublas : bytes;
}

/* The first of the variables that is set; NULL: none is. */
static const char *first_set(const char *const *names)
{
	const char *value = NULL;
	for (; !value && *names; names++)
		value = getenv(*names);
	return value;
}

static size_t hipblaslt_workspace(void)
{
	static const char *const names[] = {"CUBLASLT_WORKSPACE_SIZE", "HIPBLASLT_WORKSPACE_SIZE", NULL};
	return kib_or(first_set(names), 76 * MIB);
}

static size_t rocblas_workspace(const char *gfx)
{
	static const char *const names[] = {"CUBLAS_WORKSPACE_CONFIG", "HIPBLAS_WORKSPACE_CONFIG",
					    "ROCBLAS_WORKSPACE_CONFIG", NULL};
	size_t bytes = 0;
	if (configured(first_set(names), &bytes))
		return bytes;
	return strncmp(gfx, "gfx94", 5) == 0 || strncmp(gfx, "gfx95", 5) == 0 ? 128 * MIB : 32 * MIB;
}

size_t mxt_blas_workspace(const struct mxt_blas_stack *stack, bool through_lt)
{
	if (stack->gfx)
		return through_lt ? hipblaslt_workspace() : rocblas_workspace(stack->gfx);
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
