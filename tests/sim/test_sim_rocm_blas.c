/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-ins of hipBLASLt and rocBLAS, and the readers of files that pin solutions. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "sim_fixture.h"
#include "sim_number.h"
#include "sim_tensor.h"

#define M         ((int64_t)64)
#define ELEMENTS  ((size_t)(M * M))
#define ALL       8192
#define WORKSPACE ((uint64_t)32 << 20)

/* Results of hipBLASLt by their documented size; a wider build is looked at with its own. */
#define RESULT_BYTES 56
#define WIDE_BYTES   64

enum { BF16 = 14, COMPUTE_32F = 2, TRANSA = 0, PREF_WORKSPACE = 1, OP_T = 112, ROCBLAS_N = 111, ROCBLAS_BF16 = 168 };

/* A product of ones in hipBLASLt's words: A is transposed, which ones do not show. */
struct product {
	void *handle, *desc, *layout, *preference, *ones, *out;
};

static struct product product_begin(const struct mxt_sim_api *api, uint64_t workspace)
{
	struct product p = {.out = NULL};
	const int64_t sizes[] = {M, M};
	const int32_t transposed = OP_T;
	double ones[ELEMENTS];
	for (size_t i = 0; i < ELEMENTS; i++)
		ones[i] = 1;
	p.ones = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, 2, sizes, ones);
	p.out = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, 2, sizes, NULL);
	SIM_CHECK(api->hipblasLtCreate(&p.handle) == 0 &&
		  api->hipblasLtMatmulDescCreate(&p.desc, COMPUTE_32F, 0) == 0 &&
		  api->hipblasLtMatmulDescSetAttribute(p.desc, TRANSA, &transposed, sizeof transposed) == 0 &&
		  api->hipblasLtMatrixLayoutCreate(&p.layout, BF16, (uint64_t)M, (uint64_t)M, M) == 0 &&
		  api->hipblasLtMatmulPreferenceCreate(&p.preference) == 0);
	if (workspace)
		SIM_CHECK(api->hipblasLtMatmulPreferenceSetAttribute(p.preference, PREF_WORKSPACE, &workspace,
								     sizeof workspace) == 0);
	return p;
}

static void product_end(const struct mxt_sim_api *api, struct product *p)
{
	SIM_CHECK(api->hipblasLtMatmulPreferenceDestroy(p->preference) == 0 &&
		  api->hipblasLtMatrixLayoutDestroy(p->layout) == 0 && api->hipblasLtMatmulDescDestroy(p->desc) == 0 &&
		  api->hipblasLtDestroy(p->handle) == 0);
	mxt_sim_drop(api, p->ones);
	mxt_sim_drop(api, p->out);
}

static int ask(const struct mxt_sim_api *api, const struct product *p, int wanted, unsigned char *results)
{
	int count = -1;
	SIM_CHECK(api->hipblasLtMatmulAlgoGetHeuristic(p->handle, p->desc, p->layout, p->layout, p->layout, p->layout,
						       p->preference, wanted, results, &count) == 0);
	return count;
}

static int32_t int_at(const unsigned char *bytes)
{
	int32_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

/* How many of ALL are named, each once; the first is the library's own choice, and what is left says so. */
static int count_listed(const struct mxt_sim_api *api, size_t stride, uint64_t workspace)
{
	struct product p = product_begin(api, workspace);
	unsigned char *results = calloc(ALL, stride), one[WIDE_BYTES];
	SIM_CHECK(results != NULL);
	int count = ask(api, &p, ALL, results);
	SIM_CHECK(ask(api, &p, 1, one) == 1 && int_at(one) == int_at(results));
	for (int i = 0; i < count; i++) {
		SIM_CHECK(int_at(results + (size_t)i * stride + 32) == 0 && int_at(results + (size_t)i * stride) > 0);
		for (int j = 0; j < i; j++)
			SIM_CHECK(int_at(results + (size_t)i * stride) != int_at(results + (size_t)j * stride));
	}
	SIM_CHECK(int_at(results + (size_t)count * stride + 32) != 0);
	free(results);
	product_end(api, &p);
	return count;
}

static void full_list(const struct mxt_sim_api *api)
{
	SIM_CHECK(count_listed(api, RESULT_BYTES, WORKSPACE) == 940);
	SIM_CHECK(count_listed(api, RESULT_BYTES, 0) == 470); /* those that need no workspace */
}

static void few(const struct mxt_sim_api *api)
{
	SIM_CHECK(count_listed(api, RESULT_BYTES, WORKSPACE) == 8);
}

static void wide(const struct mxt_sim_api *api)
{
	SIM_CHECK(count_listed(api, WIDE_BYTES, WORKSPACE) == 940);
}

static void gone_when_asked_again(const struct mxt_sim_api *api)
{
	unsigned char results[4 * RESULT_BYTES];
	struct product p = product_begin(api, WORKSPACE);
	SIM_CHECK(ask(api, &p, 4, results) == 3 && int_at(results + RESULT_BYTES) == 50001);
	SIM_CHECK(ask(api, &p, 4, results) == 2 && int_at(results + RESULT_BYTES) == 50002);
	product_end(api, &p);
}

static void test_lists(void **state)
{
	(void)state;
	static const struct {
		const char *library;
		void (*run)(const struct mxt_sim_api *api);
	} rows[] = {
	    {"MXT_SIM_HIPBLASLT=7.2", full_list}, {"MXT_SIM_HIPBLASLT=6.4", full_list},
	    {"MXT_SIM_HIPBLASLT=6.2", full_list}, {"MXT_SIM_HIPBLASLT=6.0", few},
	    {"MXT_SIM_HIPBLASLT=7.2-wide", wide},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		mxt_sim_case_pass(
		    &(struct mxt_sim_case){.run = rows[i].run, .build = "rocm 2.9", .variables = {rows[i].library}});
	mxt_sim_case_pass(&(struct mxt_sim_case){
	    .run = gone_when_asked_again,
	    .build = "rocm 2.9",
	    .scenario = "{\"solutions\": {\"hipblaslt\": {\"factors\": [1, 2, 3], \"vanish\": 50001}}}"});
}

/* ---- products by index ---- */

static const char three[] =
    "{\"bytes_per_s\": 1e18, \"mm\": {\"hipblaslt\": {\"fixed_ns\": 2e6, \"flops_per_s\": 1e18}, \"rocblas\": "
    "{\"fixed_ns\": 4e6, \"flops_per_s\": 1e18}}, \"solutions\": {\"hipblaslt\": {\"factors\": [1, 0.5, 2], "
    "\"workspace_bytes\": 1024}, \"rocblas\": {\"factors\": [1, 0.25]}}, \"faults\": [{\"at\": "
    "\"hipblaslt.matmul.50002\", \"kind\": \"wrong\"}]}";

static double launched_ms(const struct mxt_sim_api *api, const struct product *p, const void *algorithm,
			  size_t workspace_bytes, int *ret_status)
{
	static const float one = 1, zero = 0;
	void *before = NULL, *after = NULL, *ones = NULL, *out = NULL, *workspace = NULL;
	float ms = 0;
	SIM_CHECK(api->aoti_torch_get_data_ptr(p->ones, &ones) == 0 && api->aoti_torch_get_data_ptr(p->out, &out) == 0);
	SIM_CHECK(workspace_bytes == 0 || api->cudaMalloc(&workspace, workspace_bytes) == 0);
	SIM_CHECK(api->cudaEventCreate(&before) == 0 && api->cudaEventCreate(&after) == 0 &&
		  api->cudaEventRecord(before, NULL) == 0);
	*ret_status = api->hipblasLtMatmul(p->handle, p->desc, &one, ones, p->layout, ones, p->layout, &zero, out,
					   p->layout, out, p->layout, algorithm, workspace, workspace_bytes, NULL);
	SIM_CHECK(api->cudaEventRecord(after, NULL) == 0 && api->cudaEventElapsedTime(&ms, before, after) == 0);
	SIM_CHECK(api->cudaEventDestroy(before) == 0 && api->cudaEventDestroy(after) == 0);
	SIM_CHECK(api->cudaFree(workspace) == 0);
	return (double)ms;
}

static double first_of(const struct mxt_sim_api *api, void *tensor)
{
	double *numbers = mxt_sim_numbers_of(api, tensor), first = numbers[0];
	free(numbers);
	return first;
}

static void by_index(const struct mxt_sim_api *api)
{
	static const double expected_ms[] = {2, 1, 4}, expected[] = {64, 64, 96};
	unsigned char results[4 * RESULT_BYTES];
	struct product p = product_begin(api, WORKSPACE);
	int status = -1;
	SIM_CHECK(ask(api, &p, 4, results) == 3);
	for (size_t i = 0; i < 3; i++) {
		double ms = launched_ms(api, &p, results + i * RESULT_BYTES, 1024, &status);
		SIM_CHECK(status == 0 && fabs(ms - expected_ms[i]) < 0.001);
		SIM_CHECK(fabs(first_of(api, p.out) - expected[i]) < 1);
	}
	SIM_CHECK(launched_ms(api, &p, results + RESULT_BYTES, 0, &status) == 0 && status == 3); /* no workspace */
	int32_t unknown = 77;
	memcpy(results, &unknown, sizeof unknown);
	SIM_CHECK(launched_ms(api, &p, results, 1024, &status) == 0 && status == 3);
	SIM_CHECK(fabs(launched_ms(api, &p, NULL, 0, &status) - 2) < 0.001 && status == 0);
	product_end(api, &p);
}

static int rocblas_run(const struct mxt_sim_api *api, const struct product *p, void *handle, int index)
{
	static const float one = 1, zero = 0;
	int m = (int)M;
	void *ones = NULL, *out = NULL;
	SIM_CHECK(api->aoti_torch_get_data_ptr(p->ones, &ones) == 0 && api->aoti_torch_get_data_ptr(p->out, &out) == 0);
	return api->rocblas_gemm_ex(handle, ROCBLAS_N, ROCBLAS_N, m, m, m, &one, ones, ROCBLAS_BF16, m, ones,
				    ROCBLAS_BF16, m, &zero, out, ROCBLAS_BF16, m, out, ROCBLAS_BF16, m, 151, 1, index,
				    0);
}

static void rocblas(const struct mxt_sim_api *api)
{
	static const float one = 1;
	int list[8] = {0}, size = 0, m = (int)M;
	void *handle = NULL;
	struct product p = product_begin(api, 0);
	SIM_CHECK(api->rocblas_create_handle(&handle) == 0);
	for (int round = 0; round < 2; round++)
		SIM_CHECK(api->rocblas_gemm_ex_get_solutions(handle, ROCBLAS_N, ROCBLAS_N, m, m, m, &one, NULL,
							     ROCBLAS_BF16, m, NULL, ROCBLAS_BF16, m, &one, NULL,
							     ROCBLAS_BF16, m, NULL, ROCBLAS_BF16, m, 151, 0, 0,
							     round ? list : NULL, &size) == 0 &&
			  size == 2);
	SIM_CHECK(list[0] == -1000 && list[1] == -1001);
	SIM_CHECK(rocblas_run(api, &p, handle, -1001) == 0 && first_of(api, p.out) == 64);
	SIM_CHECK(rocblas_run(api, &p, handle, 5) == 11);
	SIM_CHECK(api->rocblas_destroy_handle(handle) == 0);
	product_end(api, &p);
}

static void test_products(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = by_index, .build = "rocm 2.9", .scenario = three});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = rocblas, .build = "rocm 2.9", .scenario = three});
}

/* ---- files ---- */

/* What torch asks for: y = x W^T, which is transposed and not, 64 x 64 x 64. */
static void linear(const struct mxt_sim_api *api)
{
	static const int64_t sizes[] = {M, M}, row_major[] = {M, 1}, turned[] = {1, M};
	void *x = NULL, *w = NULL, *out = NULL;
	SIM_CHECK(api->aoti_torch_empty_strided(2, sizes, row_major, MXT_SIM_BFLOAT16, MXT_SIM_CUDA, 0, &x) == 0 &&
		  api->aoti_torch_empty_strided(2, sizes, turned, MXT_SIM_BFLOAT16, MXT_SIM_CUDA, 0, &w) == 0 &&
		  api->aoti_torch_empty_strided(2, sizes, row_major, MXT_SIM_BFLOAT16, MXT_SIM_CUDA, 0, &out) == 0);
	SIM_CHECK(api->aoti_torch_cuda_addmm_out(out, out, x, w, 0, 1) == 0);
	mxt_sim_drop(api, x);
	mxt_sim_drop(api, w);
	mxt_sim_drop(api, out);
}

static void print_time(const struct mxt_sim_api *api)
{
	(void)printf("first %.3f ms\n", mxt_sim_device_ns(api, linear) / 1e6);
	(void)printf("then %.3f ms\n", mxt_sim_device_ns(api, linear) / 1e6);
	(void)fflush(stdout);
}

/* The factors are told apart by the times that come out: hipBLASLt 2, 1, 4 ms, rocBLAS 4, 1 ms. */
struct file_case {
	const char *build, *text, *says; /* `says`: what the output holds */
	const char *variable;            /* one more */
};

static void run_file_case(const struct file_case *row, const char *variable, const char *more)
{
	char path[] = "/tmp/mxt-sim-XXXXXX", named[96];
	struct mxt_sim_output output;
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, row->text, strlen(row->text)) == (ssize_t)strlen(row->text));
	assert_int_equal(close(fd), 0);
	/* TunableOp puts the number of the device before the last dot, or at the end. */
	char numbered[sizeof path + 1];
	(void)snprintf(numbered, sizeof numbered, "%s0", path);
	bool tunable = strncmp(variable, "PYTORCH", 7) == 0;
	if (tunable)
		assert_int_equal(rename(path, numbered), 0);
	(void)snprintf(named, sizeof named, "%s=%s", variable, path);
	const struct mxt_sim_case which = {.run = print_time,
					   .build = row->build,
					   .scenario = three,
					   .variables = {named, more, row->variable ? row->variable : "A=B", "C=D"}};
	int status = mxt_sim_case_status(&which, &output);
	if (status != 0 || !strstr(output.text, row->says))
		print_message("%s: %s\n", row->text, output.text);
	assert_int_equal(status, 0);
	assert_non_null(strstr(output.text, row->says));
	assert_int_equal(unlink(tunable ? numbered : path), 0);
}

#define KEYS                                                                                                           \
	"Validator,PT_VERSION,2.9.1\nValidator,HIP_VERSION,702\nValidator,HIPBLASLT_VERSION,100202-dabb6df2b9\n"       \
	"Validator,GCN_ARCH_NAME,gfx942:sramecc+:xnack-\n"
#define ROCBLAS_KEY "Validator,ROCBLAS_VERSION,5.2.0.dabb6df2b9\n"
#define OLD_KEYS                                                                                                       \
	"Validator,PT_VERSION,2.8.0\nValidator,ROCM_VERSION,6.4.0.0-47-123eb51\n"                                      \
	"Validator,HIPBLASLT_VERSION,1201-dabb6df2b9\nValidator,GCN_ARCH_NAME,gfx942:sramecc+:xnack-\n"                \
	"Validator,ROCBLAS_VERSION,4.4.0.dabb6df2b9\n"
#define PROBLEM "GemmTunableOp_BFloat16_TN,tn_64_64_64_ld_64_64_64,"

static void test_tunable(void **state)
{
	(void)state;
	static const struct file_case rows[] = {
	    {"rocm 2.9", KEYS ROCBLAS_KEY PROBLEM "Gemm_Hipblaslt_50001,0.01\n", "first 1.000", NULL},
	    {"rocm 2.9", KEYS ROCBLAS_KEY PROBLEM "Gemm_Hipblaslt_50002\n", "first 4.000", NULL},
	    {"rocm 2.9", KEYS ROCBLAS_KEY PROBLEM "Gemm_Rocblas_-1001\n", "first 1.000", NULL},
	    {"rocm 2.9", KEYS ROCBLAS_KEY PROBLEM "Default\n", "first 2.000", NULL},
	    {"rocm 2.9", KEYS ROCBLAS_KEY "GemmTunableOp_BFloat16_NN,nn_64_64_64_ld_64_64_64,Gemm_Rocblas_-1001\n",
	     "first 2.000", NULL},
	    {"rocm 2.9", KEYS ROCBLAS_KEY PROBLEM "Gemm_Hipblaslt_50001\n", "first 2.000",
	     "PYTORCH_TUNABLEOP_ENABLED=0"},
	    {"rocm 2.9", KEYS PROBLEM "Gemm_Hipblaslt_50001\n", "\"ROCBLAS_VERSION\" is required", NULL},
	    {"rocm 2.9", KEYS PROBLEM "Gemm_Hipblaslt_50001\n", "first 2.000", NULL},
	    {"rocm 2.9", KEYS ROCBLAS_KEY "Validator,X,1\n" PROBLEM "Gemm_Hipblaslt_50001\n", "\"X\" is provided",
	     NULL},
	    {"rocm 2.10", KEYS ROCBLAS_KEY PROBLEM "Gemm_Hipblaslt_50001\n", "Failed validator: \"PT_VERSION\"", NULL},
	    {"rocm 2.8", KEYS ROCBLAS_KEY PROBLEM "Gemm_Hipblaslt_50001\n", "\"ROCM_VERSION\" is required", NULL},
	    {"rocm 2.8", OLD_KEYS PROBLEM "Gemm_Hipblaslt_50001\n", "first 1.000", NULL},
	    {"rocm 2.9", KEYS PROBLEM "Gemm_Hipblaslt_50001\n", "first 1.000", "PYTORCH_TUNABLEOP_ROCBLAS_ENABLED=0"},
	    /* Tuning: five solutions at a millisecond each, then the best; the next process has it from the file. */
	    {"rocm 2.9", KEYS ROCBLAS_KEY, "first 6.000 ms\nthen 1.000", "PYTORCH_TUNABLEOP_TUNING=1"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(setenv("PYTORCH_TUNABLEOP_TUNING", "0", 1), 0);
		run_file_case(&rows[i], "PYTORCH_TUNABLEOP_FILENAME", "PYTORCH_TUNABLEOP_ENABLED=1");
	}
	assert_int_equal(unsetenv("PYTORCH_TUNABLEOP_TUNING"), 0);
}

static void refused(const struct mxt_sim_api *api)
{
	static const int64_t sizes[] = {M, M};
	void *tensor = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, 2, sizes, NULL);
	(void)printf("status %d\n", api->aoti_torch_cuda_addmm_out(tensor, tensor, tensor, tensor, 0, 1));
	mxt_sim_drop(api, tensor);
	(void)fflush(stdout);
}

/* A row with an index that there is not is no way back to the default: torch throws. */
static void test_unknown_solution(void **state)
{
	(void)state;
	char path[] = "/tmp/mxt-sim-XXXXXX.csv", named[96];
	static const char text[] =
	    KEYS ROCBLAS_KEY "GemmTunableOp_BFloat16_NN,nn_64_64_64_ld_64_64_64,Gemm_Hipblaslt_7\n";
	struct mxt_sim_output output;
	int fd = mkstemps(path, 4);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	assert_int_equal(close(fd), 0);
	size_t stem = strlen(path) - 4;
	char numbered[sizeof path + 1];
	(void)snprintf(numbered, sizeof numbered, "%.*s0.csv", (int)stem, path);
	assert_int_equal(rename(path, numbered), 0);
	(void)snprintf(named, sizeof named, "PYTORCH_TUNABLEOP_FILENAME=%s", path);
	const struct mxt_sim_case which = {
	    .run = refused, .build = "rocm 2.9", .variables = {named, "PYTORCH_TUNABLEOP_ENABLED=1"}};
	assert_int_equal(mxt_sim_case_status(&which, &output), 0);
	assert_non_null(strstr(output.text, "status 1"));
	assert_int_equal(unlink(numbered), 0);
}

#define REVISION "Git Version: dabb6df2b9\n"
#define NAMED    "transA,transB,batch_count,m,n,k,a_type,b_type,c_type,compute_type,solution_index\n"
#define ROW      "T,N,1,64,64,64,bf16_r,bf16_r,bf16_r,f32_r,"
/* 37 fields: operations, batch and sizes; then types at 17 and 19, compute type at 21, index at 34. */
#define STRICT_HEAD "T,N,0,1,64,64,64,1,64,4096,0,64,4096,64,4096,64,4096,bf16_r,bf16_r,bf16_r,bf16_r,f32_r,"
#define STRICT_TAIL "0,0,0,0,0,none,0,f32_r,512,1,2,3,"

static void test_override(void **state)
{
	(void)state;
	static const char old[] = "MXT_SIM_HIPBLASLT=6.4";
	static const struct file_case rows[] = {
	    {"rocm 2.9", REVISION NAMED ROW "50001\n", "first 1.000", NULL},
	    {"rocm 2.9", REVISION NAMED ROW "50002,more\n", "first 4.000", NULL},
	    {"rocm 2.9", "Git Version: other\n" NAMED ROW "50001\n", "first 2.000", NULL},
	    {"rocm 2.9", NAMED ROW "50001\n", "first 2.000", NULL},
	    {"rocm 2.9", REVISION ROW "50001\n", "first 2.000", NULL},             /* no header */
	    {"rocm 2.9", REVISION NAMED "x\n" ROW "50001\n", "first 1.000", NULL}, /* a line without fields */
	    {"rocm 2.9", REVISION NAMED ROW "0\n", "first 2.000", NULL},
	    {"rocm 2.9", REVISION NAMED ROW "49\n", "first 2.000", NULL}, /* there is no such solution */
	    {"rocm 2.9", REVISION NAMED "N,N,1,64,64,64,bf16_r,bf16_r,bf16_r,f32_r,50001\n", "first 2.000", NULL},
	    {"rocm 2.9", REVISION NAMED ROW "50001\n", "first 2.000", old},
	    {"rocm 2.9", REVISION STRICT_HEAD STRICT_TAIL "50001,name,x\n", "first 1.000", old},
	    {"rocm 2.9", REVISION STRICT_HEAD STRICT_TAIL "50001,name\n", "first 2.000", old}, /* 36 fields */
	    {"rocm 2.9", REVISION STRICT_HEAD STRICT_TAIL "50001,name,x\n", "first 2.000", "MXT_SIM_HIPBLASLT=6.2"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		run_file_case(&rows[i], "HIPBLASLT_TUNING_OVERRIDE_FILE", "E=F");
}

static void test_rocblas_override(void **state)
{
	(void)state;
	/* An index below zero stands there by its distance from -10. */
	static const struct file_case rows[] = {
	    {"rocm 2.13", "transA,transB,M,N,batch_count,K\nT,N,64,64,1,64,1,0,64,64,64,bf16_r,bf16_r,f32_r,991\n",
	     "first 1.000", NULL},
	    {"rocm 2.13", "T,N,64,64,1,64,1,0,64,64,64,0,0,0,bf16_r,bf16_r,f32_r,991\n", "first 1.000", NULL},
	    {"rocm 2.13", "T,N,64,64,1,64,1,0,64,64,64,bf16_r,bf16_r,f32_r,-1001\n", "first 4.000", NULL},
	    {"rocm 2.13", "T,N,64,64,1,64,1,0,64,64,64,bf16_r,bf16_r,f32_r,1001\n", "first 4.000", NULL},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		run_file_case(&rows[i], "ROCBLAS_TENSILE_GEMM_OVERRIDE_PATH", "TORCH_BLAS_PREFER_HIPBLASLT=0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lists),    cmocka_unit_test(test_products),
	    cmocka_unit_test(test_tunable),  cmocka_unit_test(test_unknown_solution),
	    cmocka_unit_test(test_override), cmocka_unit_test(test_rocblas_override),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
