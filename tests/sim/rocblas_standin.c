/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for rocBLAS (rocblas.h and rocblas-beta.h of ROCm 6 and 7). Statuses are rocblas_status.
 */
#include <stdlib.h>
#include <string.h>

#include "sim_number.h"
#include "sim_override.h"
#include "sim_rocm_blas.h"
#include "sim_runtime.h"

enum {
	SUCCESS = 0,
	INVALID_HANDLE = 1,
	NOT_IMPLEMENTED = 2,
	INVALID_POINTER = 3,
	INVALID_SIZE = 4,
	MEMORY_ERROR = 5,
	INTERNAL_ERROR = 6,
	INVALID_VALUE = 11
};
enum { OPERATION_NONE = 111, COMPUTE_F32 = 151, BY_INDEX = 1 };

static const char version[] = SIM_ROCBLAS_VERSION "." SIM_REVISION;

struct handle {
	void *stream;
};

/* rocblas_gemm_ex and rocblas_gemm_ex_get_solutions begin alike. */
#define GEMM_EX                                                                                                        \
	struct handle *handle, int transa, int transb, int m, int n, int k, const void *alpha, const void *a,          \
	    int a_type, int lda, const void *b, int b_type, int ldb, const void *beta, const void *c, int c_type,      \
	    int ldc, void *d, int d_type, int ldd, int compute_type, int algorithm

MXT_SIM_EXPORT int rocblas_create_handle(struct handle **handle);
MXT_SIM_EXPORT int rocblas_destroy_handle(struct handle *handle);
MXT_SIM_EXPORT int rocblas_set_stream(struct handle *handle, void *stream);
MXT_SIM_EXPORT int rocblas_get_stream(struct handle *handle, void **stream);
MXT_SIM_EXPORT int rocblas_gemm_ex(GEMM_EX, int32_t solution_index, uint32_t flags);
MXT_SIM_EXPORT int rocblas_gemm_ex_get_solutions(GEMM_EX, uint32_t flags, int *list, int *size);

__attribute__((constructor)) static void load(void)
{
	(void)mxt_sim_enter("load.rocblas");
}

int rocblas_create_handle(struct handle **handle)
{
	if (mxt_sim_device_status())
		return INTERNAL_ERROR;
	*handle = calloc(1, sizeof **handle);
	return *handle ? SUCCESS : MEMORY_ERROR;
}

int rocblas_destroy_handle(struct handle *handle)
{
	free(handle);
	return handle ? SUCCESS : INVALID_HANDLE;
}

int rocblas_set_stream(struct handle *handle, void *stream)
{
	if (!handle)
		return INVALID_HANDLE;
	handle->stream = stream;
	return SUCCESS;
}

int rocblas_get_stream(struct handle *handle, void **stream)
{
	if (!handle || !stream)
		return handle ? INVALID_POINTER : INVALID_HANDLE;
	*stream = handle->stream;
	return SUCCESS;
}

int rocblas_get_version_string(char *text, size_t bytes)
{
	if (!text)
		return INVALID_POINTER;
	if (bytes < sizeof version)
		return INVALID_SIZE;
	memcpy(text, version, sizeof version);
	return SUCCESS;
}

int rocblas_get_version_string_size(size_t *bytes)
{
	if (!bytes)
		return INVALID_POINTER;
	*bytes = sizeof version;
	return SUCCESS;
}

/* rocblas_datatype's numbers; 0 for what is not simulated. */
static int32_t dtype_of(int type)
{
	static const struct {
		int type;
		int32_t dtype;
	} types[] = {{150, MXT_SIM_FLOAT16}, {151, MXT_SIM_FLOAT32}, {152, MXT_SIM_FLOAT64}, {168, MXT_SIM_BFLOAT16}};
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].type == type)
			return types[i].dtype;
	return 0;
}

/* An override file holds an index below zero by its distance from -10. */
struct mxt_sim_solution mxt_sim_rocblas_first(const struct mxt_sim_gemm *gemm, int32_t output)
{
	const char *path = getenv("ROCBLAS_TENSILE_GEMM_OVERRIDE_PATH");
	struct mxt_sim_solution solution = mxt_sim_solution_at(MXT_SIM_CUBLAS, gemm, 0);
	bool counts_down = solution.index < 0;
	int number;
	if (path && mxt_sim_override_find(MXT_SIM_OVERRIDE_ROCBLAS, path, NULL, gemm, output, &number))
		(void)mxt_sim_solution_find(MXT_SIM_CUBLAS, gemm, counts_down ? -number - 10 : number, &solution);
	return solution;
}

static int check(const struct mxt_sim_gemm *gemm, int32_t c_dtype, int32_t d_dtype, int b_type, int compute_type)
{
	if (gemm->m < 0 || gemm->n < 0 || gemm->k < 0)
		return INVALID_SIZE;
	bool is_known = gemm->dtype && gemm->dtype == dtype_of(b_type) && c_dtype && d_dtype;
	return is_known && compute_type == COMPUTE_F32 ? SUCCESS : NOT_IMPLEMENTED;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is rocBLAS's */
int rocblas_gemm_ex(GEMM_EX, int32_t solution_index, uint32_t flags)
{
	const struct mxt_sim_gemm gemm = {transa != OPERATION_NONE, transb != OPERATION_NONE, m, n, k, 1, lda, ldb, ldd,
					  dtype_of(a_type)};
	struct mxt_sim_gemm_operands operands = {
	    .a = a, .b = b, .c = c, .d = d, .ldc = ldc, .c_dtype = dtype_of(c_type), .d_dtype = dtype_of(d_type)};
	float scale[2];
	(void)flags;
	if (!handle)
		return INVALID_HANDLE;
	if (!alpha || !beta || !a || !b || !d)
		return INVALID_POINTER;
	int status = check(&gemm, operands.c_dtype, operands.d_dtype, b_type, compute_type);
	if (status)
		return status;
	memcpy(&scale[0], alpha, sizeof scale[0]);
	memcpy(&scale[1], beta, sizeof scale[1]);
	operands.alpha = (double)scale[0];
	operands.beta = (double)scale[1];
	struct mxt_sim_solution solution = mxt_sim_rocblas_first(&gemm, operands.d_dtype);
	if (algorithm == BY_INDEX && solution_index != 0 &&
	    !mxt_sim_solution_find(MXT_SIM_CUBLAS, &gemm, solution_index, &solution))
		return INVALID_VALUE;
	if (mxt_sim_device_status())
		return INTERNAL_ERROR;
	struct mxt_sim_outcome outcome = mxt_sim_solution_launch(MXT_SIM_CUBLAS, &gemm, &solution);
	if (outcome.effects & MXT_SIM_FAIL)
		return outcome.code > 0 ? outcome.code : INTERNAL_ERROR;
	operands.effects = outcome.effects;
	return mxt_sim_gemm_run(&gemm, &operands) == 0 ? SUCCESS : MEMORY_ERROR;
}

/* Without a list: how many there are. With one: as many as there is room for, and how many were written. */
/* NOLINTNEXTLINE(readability-function-size): the interface is rocBLAS's */
int rocblas_gemm_ex_get_solutions(GEMM_EX, uint32_t flags, int *list, int *size)
{
	const struct mxt_sim_gemm gemm = {transa != OPERATION_NONE, transb != OPERATION_NONE, m, n, k, 1, lda, ldb, ldd,
					  dtype_of(a_type)};
	(void)alpha, (void)beta, (void)a, (void)b, (void)c, (void)d, (void)ldc, (void)algorithm, (void)flags;
	if (!handle || !size)
		return handle ? INVALID_POINTER : INVALID_HANDLE;
	struct mxt_sim_outcome outcome = mxt_sim_enter("rocblas.solutions");
	if (outcome.effects & MXT_SIM_FAIL)
		return outcome.code > 0 ? outcome.code : NOT_IMPLEMENTED;
	int status = check(&gemm, dtype_of(c_type), dtype_of(d_type), b_type, compute_type);
	int count = mxt_sim_solution_count(MXT_SIM_CUBLAS);
	if (status)
		return status;
	for (int rank = 0; list && rank < count && rank < *size; rank++)
		list[rank] = mxt_sim_solution_at(MXT_SIM_CUBLAS, &gemm, rank).index;
	if (!list || *size > count)
		*size = count;
	return SUCCESS;
}
