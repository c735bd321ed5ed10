/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A BLAS library with OpenBLAS's interface and plain loops. Built three times: as it is; with STUB_WIDE, which says
 * that its integers have 64 bits; with STUB_LIES, which leaves out the last product of every element in the last
 * column, as a kernel with a wrong edge case would.
 */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void cblas_sgemm(int layout, int trans_a, int trans_b, int32_t m, int32_t n, int32_t k, float alpha,
			const float *a, int32_t lda, const float *b, int32_t ldb, float beta, float *c, int32_t ldc);
EXPORT char *openblas_get_config(void);
EXPORT char *openblas_get_corename(void);
EXPORT int openblas_get_num_threads(void);
EXPORT void openblas_set_num_threads(int threads);
EXPORT int openblas_get_parallel(void);

enum { ROW_MAJOR = 101, NO_TRANS = 111 };

static float dot(const float *a, ptrdiff_t step_a, const float *b, ptrdiff_t step_b, ptrdiff_t k)
{
	float sum = 0;
	for (ptrdiff_t i = 0; i < k; i++)
		sum += a[i * step_a] * b[i * step_b];
	return sum;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is not ours */
void cblas_sgemm(int layout, int trans_a, int trans_b, int32_t m, int32_t n, int32_t k, float alpha, const float *a,
		 int32_t lda, const float *b, int32_t ldb, float beta, float *c, int32_t ldc)
{
	if (layout != ROW_MAJOR)
		return;
	ptrdiff_t row_a = trans_a == NO_TRANS ? lda : 1, step_a = trans_a == NO_TRANS ? 1 : lda;
	ptrdiff_t column_b = trans_b == NO_TRANS ? 1 : ldb, step_b = trans_b == NO_TRANS ? ldb : 1;
	for (ptrdiff_t i = 0; i < m; i++)
		for (ptrdiff_t j = 0; j < n; j++) {
			ptrdiff_t length = k;
#ifdef STUB_LIES
			length -= j == n - 1;
#endif
			float sum = alpha * dot(a + i * row_a, step_a, b + j * column_b, step_b, length);
			float *element = &c[i * ldc + j];
			*element = beta == 0 ? sum : sum + beta * *element;
		}
}

char *openblas_get_config(void)
{
#ifdef STUB_WIDE
	static char config[] = "OpenBLAS 9.8.7 USE64BITINT NO_AFFINITY";
#else
	static char config[] = "OpenBLAS 9.8.7 NO_AFFINITY";
#endif
	return config;
}

char *openblas_get_corename(void)
{
	static char name[] = "Stub";
	return name;
}

int openblas_get_num_threads(void)
{
	return 1;
}

void openblas_set_num_threads(int threads)
{
	(void)threads;
}

int openblas_get_parallel(void)
{
	return 0;
}
