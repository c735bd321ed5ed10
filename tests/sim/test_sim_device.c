/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated device: its clock, its memory, who may use it, cuBLASLt, and what goes wrong on demand. */
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "sim_fixture.h"
#include "sim_number.h"
#include "sim_tensor.h"

#define M ((size_t)64)

static const int64_t square[] = {(int64_t)M, (int64_t)M};

/* One product of M x M on the device. */
static void multiply(const struct mxt_sim_api *api)
{
	void *tensor = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, 2, square, NULL);
	uint64_t stack[] = {mxt_sim_arg(api, tensor), mxt_sim_arg(api, tensor)};
	mxt_sim_call(api, "aten::mm", "", stack);
	mxt_sim_drop_results(api, stack, 1);
	mxt_sim_drop(api, tensor);
}

/*
 * The same, with what it says where it fails; NULL: it does well. The largest element of the result of ones is written.
 */
static const char *try_multiply(const struct mxt_sim_api *api, double *ret_first)
{
	double ones[M * M];
	for (size_t i = 0; i < M * M; i++)
		ones[i] = 1;
	void *tensor = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, 2, square, ones);
	uint64_t stack[] = {mxt_sim_arg(api, tensor), mxt_sim_arg(api, tensor)};
	const char *why = NULL;
	if (api->aoti_torch_call_dispatcher("aten::mm", "", stack) != 0) {
		why = api->torch_exception_get_what_without_backtrace();
	} else {
		double *seen = mxt_sim_numbers_of(api, mxt_sim_handle_at(stack[0]));
		*ret_first = seen[0];
		free(seen);
		mxt_sim_drop_results(api, stack, 1);
	}
	mxt_sim_drop(api, tensor);
	return why;
}

static void nothing(const struct mxt_sim_api *api)
{
	(void)api;
}

/* ---- the clock ---- */

/* 2 * 64^3 operations at 524288 per second are one second; bytes are free. */
static const char exact[] =
    "{\"bytes_per_s\": 1e18, \"mm\": {\"cublas\": {\"fixed_ns\": 1000, \"flops_per_s\": 524288, "
    "\"first_call_ns\": 5e8}, \"cublaslt\": {\"fixed_ns\": 0, \"flops_per_s\": 1048576}}}";

static void exact_time(const struct mxt_sim_api *api)
{
	SIM_CHECK(mxt_sim_device_ns(api, nothing) == 0);
	SIM_CHECK(fabs(mxt_sim_device_ns(api, multiply) - 1500001000) < 100);
	SIM_CHECK(fabs(mxt_sim_device_ns(api, multiply) - 1000001000) < 100);
}

static void half_time(const struct mxt_sim_api *api)
{
	SIM_CHECK(fabs(mxt_sim_device_ns(api, multiply) - 500000000) < 100);
}

static const char drifting[] = "{\"bytes_per_s\": 1e18, \"drift_per_s\": 0.5, \"mm\": {\"cublas\": {\"fixed_ns\": 0, "
			       "\"flops_per_s\": 524288}}}";

static void drift(const struct mxt_sim_api *api)
{
	SIM_CHECK(fabs(mxt_sim_device_ns(api, multiply) - 1e9) < 1e3);
	SIM_CHECK(fabs(mxt_sim_device_ns(api, multiply) - 1.5e9) < 1e3);
}

static const char held_up[] =
    "{\"bytes_per_s\": 24576, \"mm\": {\"cublas\": {\"fixed_ns\": 0, \"flops_per_s\": 1e18}}}";

static void bytes(const struct mxt_sim_api *api)
{
	SIM_CHECK(fabs(mxt_sim_device_ns(api, multiply) - 1e9) < 1e3); /* three times 64 x 64 x 2 bytes */
}

static const char noisy[] = "{\"seed\": 7, \"noise\": {\"sigma\": 0.1, \"tail_probability\": 0.2, \"tail_size\": 1, "
			    "\"process_sigma\": 0.1}}";

static void print_times(const struct mxt_sim_api *api)
{
	for (int i = 0; i < 8; i++)
		(void)printf("%.0f ", mxt_sim_device_ns(api, multiply));
	(void)fflush(stdout);
}

static void test_clock(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = exact_time, .scenario = exact});
	mxt_sim_case_pass(
	    &(struct mxt_sim_case){.run = half_time, .scenario = exact, .variables = {"TORCH_BLAS_PREFER_CUBLASLT=1"}});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = drift, .scenario = drifting});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = bytes, .scenario = held_up});
}

static void test_noise(void **state)
{
	(void)state;
	struct mxt_sim_output first, second, other;
	assert_int_equal(mxt_sim_case_status(&(struct mxt_sim_case){.run = print_times, .scenario = noisy}, &first), 0);
	assert_int_equal(mxt_sim_case_status(&(struct mxt_sim_case){.run = print_times, .scenario = noisy}, &second),
			 0);
	assert_string_equal(first.text, second.text);
	static const char unseeded[] = "{\"noise\": {\"sigma\": 0.1}}";
	assert_int_equal(mxt_sim_case_status(&(struct mxt_sim_case){.run = print_times, .scenario = unseeded}, &first),
			 0);
	assert_int_equal(mxt_sim_case_status(&(struct mxt_sim_case){.run = print_times, .scenario = unseeded}, &other),
			 0);
	assert_string_not_equal(first.text, other.text);
}

/* ---- memory ---- */

static const char small[] = "{\"device\": {\"memory_bytes\": 65536}}";

static void memory(const struct mxt_sim_api *api)
{
	const int64_t sizes[] = {30000}, strides[] = {1};
	size_t free_bytes, total_bytes;
	void *tensor, *second, *block;
	SIM_CHECK(api->aoti_torch_empty_strided(1, sizes, strides, MXT_SIM_BFLOAT16, MXT_SIM_CUDA, 0, &tensor) == 0);
	SIM_CHECK(api->cudaMemGetInfo(&free_bytes, &total_bytes) == 0);
	SIM_CHECK(total_bytes == 65536 && free_bytes == 5536);
	SIM_CHECK(api->aoti_torch_empty_strided(1, sizes, strides, MXT_SIM_BFLOAT16, MXT_SIM_CUDA, 0, &second) == 1);
	SIM_CHECK(strstr(api->torch_exception_get_what_without_backtrace(), "CUDA out of memory. Tried to allocate"));
	SIM_CHECK(api->cudaMalloc(&block, 8192) == 2);
	mxt_sim_drop(api, tensor);
	SIM_CHECK(api->cudaMalloc(&block, 8192) == 0 && api->cudaFree(block) == 0);
	SIM_CHECK(api->cudaMemGetInfo(&free_bytes, &total_bytes) == 0 && free_bytes == total_bytes);
}

static void copies(const struct mxt_sim_api *api)
{
	const double numbers[] = {1, 2, 3};
	const int64_t sizes[] = {3};
	float seen[3];
	void *data, *tensor = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_FLOAT32, 1, sizes, numbers);
	SIM_CHECK(api->aoti_torch_get_data_ptr(tensor, &data) == 0);
	SIM_CHECK(api->cudaMemcpy(seen, data, sizeof seen, 2) == 0 && seen[2] == 3);
	SIM_CHECK(api->cudaMemcpy(seen, data, sizeof seen, 9) == 1 && api->cudaGetLastError() == 1);
	SIM_CHECK(api->cudaGetLastError() == 0);
	mxt_sim_drop(api, tensor);
}

static void test_memory(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = memory, .scenario = small});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = copies});
}

/* ---- who may use the device ---- */

static void attributes(const struct mxt_sim_api *api)
{
	int value, count;
	SIM_CHECK(api->cudaGetDeviceCount(&count) == 0 && count == 1);
	SIM_CHECK(api->cudaDeviceGetAttribute(&value, 75, 0) == 0 && value == 9);
	SIM_CHECK(api->cudaDeviceGetAttribute(&value, 16, 0) == 0 && value == 132);
	SIM_CHECK(api->cudaDeviceGetAttribute(&value, 75, 1) == 101);
	SIM_CHECK(api->cudaDriverGetVersion(&value) == 0 && value == 13000);
	SIM_CHECK(api->cudaSetDevice(1) == 101 && api->cudaSetDevice(0) == 0);
}

static void no_driver(const struct mxt_sim_api *api)
{
	int count, version;
	const int64_t sizes[] = {1}, strides[] = {1};
	void *tensor;
	SIM_CHECK(api->cudaGetDeviceCount(&count) == 35 && count == 0);
	SIM_CHECK(api->cudaDriverGetVersion(&version) == 0 && version == 0);
	SIM_CHECK(api->cudaSetDevice(0) == 35);
	SIM_CHECK(strcmp(api->cudaGetErrorName(35), "cudaErrorInsufficientDriver") == 0);
	SIM_CHECK(api->aoti_torch_empty_strided(1, sizes, strides, MXT_SIM_FLOAT32, MXT_SIM_CUDA, 0, &tensor) == 1);
	SIM_CHECK(strstr(api->torch_exception_get_what_without_backtrace(), "driver version is insufficient"));
	SIM_CHECK(api->aoti_torch_empty_strided(1, sizes, strides, MXT_SIM_FLOAT32, MXT_SIM_CPU, 0, &tensor) == 0);
	mxt_sim_drop(api, tensor);
}

static void busy(const struct mxt_sim_api *api)
{
	int count;
	SIM_CHECK(api->cudaGetDeviceCount(&count) == 0 && count == 1);
	SIM_CHECK(api->cudaSetDevice(0) == 46 && api->cudaDeviceSynchronize() == 46);
	SIM_CHECK(strstr(api->cudaGetErrorString(46), "busy or unavailable"));
}

static void free_device(const struct mxt_sim_api *api)
{
	SIM_CHECK(api->cudaSetDevice(0) == 0);
}

static void test_status(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = attributes});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = no_driver, .scenario = "{\"device\": {\"status\": 35}}"});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = busy, .scenario = "{\"device\": {\"status\": 46}}"});
}

static void test_exclusive(void **state)
{
	(void)state;
	char name[] = "/tmp/mxt-sim-XXXXXX", scenario[256];
	int fd = mkstemp(name);
	assert_true(fd >= 0);
	(void)snprintf(scenario, sizeof scenario, "{\"device\": {\"exclusive\": \"%s\", \"compute_mode\": 3}}", name);
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = free_device, .scenario = scenario});
	assert_int_equal(flock(fd, LOCK_EX), 0);
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = busy, .scenario = scenario});
	assert_int_equal(flock(fd, LOCK_UN), 0);
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = free_device, .scenario = scenario});
	(void)close(fd);
	(void)unlink(name);
}

/* ---- faults ---- */

static void third_is_wrong(const struct mxt_sim_api *api)
{
	double first = 0;
	for (int i = 0; i < 5; i++) {
		SIM_CHECK(!try_multiply(api, &first));
		SIM_CHECK((first != (double)M) == (i == 2 || i == 3));
	}
}

static void is_nan(const struct mxt_sim_api *api)
{
	double first = 0;
	SIM_CHECK(!try_multiply(api, &first) && isnan(first));
}

static void takes_no_time(const struct mxt_sim_api *api)
{
	SIM_CHECK(mxt_sim_device_ns(api, multiply) == 0);
}

static void says_why(const struct mxt_sim_api *api)
{
	double first = 0;
	const char *why = try_multiply(api, &first);
	SIM_CHECK(why && strcmp(why, "cuBLAS has no kernel for this") == 0);
}

static void breaks(const struct mxt_sim_api *api)
{
	double first = 0;
	SIM_CHECK(!try_multiply(api, &first));
	SIM_CHECK(api->cudaDeviceSynchronize() == 700 && api->cudaDeviceSynchronize() == 700);
}

static void is_out_of_memory(const struct mxt_sim_api *api)
{
	const int64_t strides[] = {(int64_t)M, 1};
	void *tensor;
	SIM_CHECK(api->aoti_torch_empty_strided(2, square, strides, MXT_SIM_FLOAT32, MXT_SIM_CUDA, 0, &tensor) == 1);
	SIM_CHECK(strstr(api->torch_exception_get_what_without_backtrace(), "out of memory"));
}

static void test_results_go_wrong(void **state)
{
	(void)state;
	static const struct mxt_sim_case cases[] = {
	    {.run = third_is_wrong,
	     .scenario = "{\"faults\": [{\"at\": \"mm\", \"kind\": \"wrong\", \"after\": 2, \"times\": 2}]}"},
	    {.run = is_nan, .scenario = "{\"faults\": [{\"at\": \"mm.cublas\", \"kind\": \"nan\"}]}"},
	    {.run = takes_no_time, .scenario = "{\"faults\": [{\"at\": \"mm\", \"kind\": \"instant\"}]}"},
	    {.run = says_why,
	     .scenario =
		 "{\"faults\": [{\"at\": \"mm\", \"kind\": \"error\", \"text\": \"cuBLAS has no kernel for this\"}]}"},
	    {.run = breaks, .scenario = "{\"faults\": [{\"at\": \"mm\", \"kind\": \"illegal_address\"}]}"},
	    {.run = is_out_of_memory, .scenario = "{\"faults\": [{\"at\": \"alloc\", \"kind\": \"error\"}]}"},
	    {.run = busy, .scenario = "{\"faults\": [{\"at\": \"device\", \"kind\": \"error\"}]}"},
	    {.run = multiply, .scenario = "{\"faults\": [{\"at\": \"mm.cublaslt\", \"kind\": \"crash\"}]}"},
	    {.run = multiply,
	     .scenario =
		 "{\"faults\": [{\"at\": \"mm\", \"kind\": \"crash\", \"env\": {\"MXT_SIM_NOT_SET\": \"1\"}}]}"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		mxt_sim_case_pass(&cases[i]);
}

/* An alarm after which what hangs is taken to hang for good. */
static void hang(const struct mxt_sim_api *api)
{
	(void)alarm(1);
	multiply(api);
}

static void test_processes_end(void **state)
{
	(void)state;
	static const struct {
		struct mxt_sim_case which;
		int signal, status;
	} rows[] = {
	    {{.run = multiply, .scenario = "{\"faults\": [{\"at\": \"mm\", \"kind\": \"crash\"}]}"}, SIGSEGV, 0},
	    {{.run = multiply,
	      .scenario = "{\"faults\": [{\"at\": \"mm\", \"kind\": \"crash\", \"env\": {\"MXT_SIM_SET\": \"1\"}}]}",
	      .variables = {"MXT_SIM_SET=1"}},
	     SIGSEGV,
	     0},
	    {{.run = multiply, .scenario = "{\"faults\": [{\"at\": \"mm\", \"kind\": \"abort\"}]}"}, SIGABRT, 0},
	    {{.run = hang, .scenario = "{\"faults\": [{\"at\": \"mm\", \"kind\": \"hang\"}]}"}, SIGALRM, 0},
	    {{.run = multiply, .scenario = "{\"faults\": [{\"at\": \"mm\", \"kind\": \"exit\", \"code\": 5}]}"}, 0, 5},
	    {{.run = multiply, .scenario = "{\"faults\": [{\"at\": \"load.cuda\", \"kind\": \"crash\"}]}"}, SIGSEGV, 0},
	    {{.run = multiply, .scenario = "{\"faults\": [{\"at\": \"mm\", \"kind\": \"misspelt\"}]}"}, 0, 97},
	    {{.run = multiply, .scenario = "{\"falts\": []}"}, 0, 97},
	    {{.run = multiply, .scenario = "not JSON"}, 0, 97},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct mxt_sim_output output;
		int status = mxt_sim_case_status(&rows[i].which, &output);
		assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : 0, rows[i].signal);
		assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : 0, rows[i].status);
	}
}

static void test_prints(void **state)
{
	(void)state;
	struct mxt_sim_output output;
	static const struct mxt_sim_case which = {
	    .run = multiply,
	    .scenario = "{\"faults\": [{\"at\": \"load\", \"kind\": \"print\", \"text\": \"hello\"}]}"};
	assert_int_equal(mxt_sim_case_status(&which, &output), 0);
	assert_non_null(strstr(output.text, "hello 0\n"));
	assert_true(output.bytes > 65536);
}

/* ---- cuBLASLt ---- */

struct lt_algorithm {
	uint64_t data[8];
};

struct lt_result {
	struct lt_algorithm algorithm;
	size_t workspace_bytes;
	int state;
	float waves;
	int reserved[4];
};

struct lt_api {
	int (*cublasLtCreate)(void **);
	int (*cublasLtDestroy)(void *);
	int (*cublasLtMatmulDescCreate)(void **, int, int);
	int (*cublasLtMatmulDescSetAttribute)(void *, int, const void *, size_t);
	int (*cublasLtMatmulDescDestroy)(void *);
	int (*cublasLtMatrixLayoutCreate)(void **, int, uint64_t, uint64_t, int64_t);
	int (*cublasLtMatrixLayoutDestroy)(void *);
	int (*cublasLtMatmulPreferenceCreate)(void **);
	int (*cublasLtMatmulPreferenceSetAttribute)(void *, int, const void *, size_t);
	int (*cublasLtMatmulPreferenceDestroy)(void *);
	int (*cublasLtMatmulAlgoGetHeuristic)(void *, void *, void *, void *, void *, void *, void *, int,
					      struct lt_result *, int *);
	int (*cublasLtMatmul)(void *, void *, const void *, const void *, void *, const void *, void *, const void *,
			      const void *, void *, void *, void *, const struct lt_algorithm *, void *, size_t,
			      void *);
};

static struct lt_api lt_load(void)
{
	static const char *const names[] = {"cublasLtCreate",
					    "cublasLtDestroy",
					    "cublasLtMatmulDescCreate",
					    "cublasLtMatmulDescSetAttribute",
					    "cublasLtMatmulDescDestroy",
					    "cublasLtMatrixLayoutCreate",
					    "cublasLtMatrixLayoutDestroy",
					    "cublasLtMatmulPreferenceCreate",
					    "cublasLtMatmulPreferenceSetAttribute",
					    "cublasLtMatmulPreferenceDestroy",
					    "cublasLtMatmulAlgoGetHeuristic",
					    "cublasLtMatmul"};
	char path[4096];
	struct lt_api lt;
	_Static_assert(sizeof lt == sizeof names, "one name for each member");
	(void)snprintf(path, sizeof path, "%s/libsim-cublaslt-13.so", getenv("MXT_SIM_LIBRARIES"));
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	SIM_CHECK(library != NULL);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		void *symbol = dlsym(library, names[i]);
		SIM_CHECK(symbol != NULL);
		memcpy((char *)&lt + i * sizeof symbol, &symbol, sizeof symbol);
	}
	return lt;
}

enum { LT_FLOAT32 = 0, LT_COMPUTE_32F = 68, LT_TRANSA = 3, LT_TRANSB = 4, LT_EPILOGUE = 7, LT_BIAS = 8 };
#define LT_M ((size_t)3)
#define LT_N ((size_t)4)
#define LT_K ((size_t)5)

/* A product in column-major order with A transposed, and everything that describes it. */
struct lt_problem {
	float a[LT_K * LT_M], b[LT_K * LT_N], c[LT_M * LT_N], d[LT_M * LT_N], bias[LT_M], alpha, beta;
	void *handle, *desc, *a_layout, *b_layout, *c_layout, *preference;
	struct lt_result results[8];
	int count;
};

static void lt_init(const struct lt_api *lt, struct lt_problem *p)
{
	const int transpose = 1, epilogue = 4;
	const float *bias = p->bias;
	const uint64_t workspace_bytes = 4096;
	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < LT_K * LT_M; i++)
		p->a[i] = (float)i;
	for (size_t i = 0; i < LT_K * LT_N; i++)
		p->b[i] = (float)(i % 7);
	for (size_t i = 0; i < LT_M * LT_N; i++)
		p->c[i] = (float)(100 * i);
	for (size_t i = 0; i < LT_M; i++)
		p->bias[i] = (float)(1000 * i);
	p->alpha = 2;
	p->beta = 0.5F;
	SIM_CHECK(lt->cublasLtCreate(&p->handle) == 0);
	SIM_CHECK(lt->cublasLtMatmulDescCreate(&p->desc, LT_COMPUTE_32F, LT_FLOAT32) == 0);
	SIM_CHECK(lt->cublasLtMatmulDescSetAttribute(p->desc, LT_TRANSA, &transpose, sizeof transpose) == 0);
	SIM_CHECK(lt->cublasLtMatmulDescSetAttribute(p->desc, LT_EPILOGUE, &epilogue, sizeof epilogue) == 0);
	SIM_CHECK(lt->cublasLtMatmulDescSetAttribute(p->desc, LT_BIAS, &bias, sizeof bias) == 0);
	SIM_CHECK(lt->cublasLtMatrixLayoutCreate(&p->a_layout, LT_FLOAT32, LT_K, LT_M, LT_K) == 0);
	SIM_CHECK(lt->cublasLtMatrixLayoutCreate(&p->b_layout, LT_FLOAT32, LT_K, LT_N, LT_K) == 0);
	SIM_CHECK(lt->cublasLtMatrixLayoutCreate(&p->c_layout, LT_FLOAT32, LT_M, LT_N, LT_M) == 0);
	SIM_CHECK(lt->cublasLtMatmulPreferenceCreate(&p->preference) == 0);
	SIM_CHECK(lt->cublasLtMatmulPreferenceSetAttribute(p->preference, 1, &workspace_bytes, 8) == 0);
	SIM_CHECK(lt->cublasLtMatmulAlgoGetHeuristic(p->handle, p->desc, p->a_layout, p->b_layout, p->c_layout,
						     p->c_layout, p->preference, 8, p->results, &p->count) == 0);
}

static void lt_finish(const struct lt_api *lt, struct lt_problem *p)
{
	SIM_CHECK(lt->cublasLtMatmulPreferenceDestroy(p->preference) == 0);
	SIM_CHECK(lt->cublasLtMatrixLayoutDestroy(p->a_layout) == 0);
	SIM_CHECK(lt->cublasLtMatrixLayoutDestroy(p->b_layout) == 0);
	SIM_CHECK(lt->cublasLtMatrixLayoutDestroy(p->c_layout) == 0);
	SIM_CHECK(lt->cublasLtMatmulDescDestroy(p->desc) == 0);
	SIM_CHECK(lt->cublasLtDestroy(p->handle) == 0);
}

static int lt_multiply(const struct lt_api *lt, struct lt_problem *p, const struct lt_algorithm *algorithm,
		       size_t workspace_bytes)
{
	return lt->cublasLtMatmul(p->handle, p->desc, &p->alpha, p->a, p->a_layout, p->b, p->b_layout, &p->beta, p->c,
				  p->c_layout, p->d, p->c_layout, algorithm, p->d, workspace_bytes, NULL);
}

static void lt_expect(const struct lt_problem *p)
{
	for (size_t j = 0; j < LT_N; j++)
		for (size_t i = 0; i < LT_M; i++) {
			double sum = 0;
			for (size_t l = 0; l < LT_K; l++)
				sum += (double)p->a[i * LT_K + l] * (double)p->b[j * LT_K + l];
			SIM_CHECK((double)p->d[j * LT_M + i] ==
				  2 * sum + 0.5 * (double)p->c[j * LT_M + i] + (double)p->bias[i]);
		}
}

static const char algorithms[] =
    "{\"bytes_per_s\": 1e18, \"algorithms\": {\"factors\": [1, 0.5, 3], \"workspace_bytes\": 4096}, "
    "\"mm\": {\"cublaslt\": {\"fixed_ns\": 0, \"flops_per_s\": 120}}}";

static void lt_products(const struct mxt_sim_api *api)
{
	const double expected_ns[] = {1e9, 0.5e9, 3e9};
	struct lt_api lt = lt_load();
	struct lt_problem p;
	void *start = NULL, *end = NULL;
	float ms = 0;
	lt_init(&lt, &p);
	SIM_CHECK(p.count == 3 && p.results[0].workspace_bytes == 0 && p.results[1].workspace_bytes == 4096);
	SIM_CHECK(api->cudaEventCreate(&start) == 0 && api->cudaEventCreate(&end) == 0);
	for (int i = 0; i < 3; i++) {
		memset(p.d, 0, sizeof p.d);
		SIM_CHECK(api->cudaEventRecord(start, NULL) == 0);
		SIM_CHECK(lt_multiply(&lt, &p, &p.results[i].algorithm, 4096) == 0);
		SIM_CHECK(api->cudaEventRecord(end, NULL) == 0 && api->cudaEventElapsedTime(&ms, start, end) == 0);
		SIM_CHECK(fabs((double)ms * 1e6 - expected_ns[i]) < 1e3);
		lt_expect(&p);
	}
	SIM_CHECK(lt_multiply(&lt, &p, &p.results[1].algorithm, 0) == 7); /* no workspace */
	SIM_CHECK(api->cudaEventDestroy(start) == 0 && api->cudaEventDestroy(end) == 0);
	lt_finish(&lt, &p);
}

static void lt_fails(const struct mxt_sim_api *api)
{
	(void)api;
	struct lt_api lt = lt_load();
	struct lt_problem p;
	lt_init(&lt, &p);
	SIM_CHECK(lt_multiply(&lt, &p, NULL, 0) == 14);
	lt_finish(&lt, &p);
}

static void test_cublaslt(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = lt_products, .scenario = algorithms});
	mxt_sim_case_pass(&(struct mxt_sim_case){
	    .run = lt_fails,
	    .scenario = "{\"faults\": [{\"at\": \"cublaslt.matmul\", \"kind\": \"error\", \"code\": 14}]}"});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_clock),         cmocka_unit_test(test_noise),
	    cmocka_unit_test(test_memory),        cmocka_unit_test(test_status),
	    cmocka_unit_test(test_exclusive),     cmocka_unit_test(test_results_go_wrong),
	    cmocka_unit_test(test_processes_end), cmocka_unit_test(test_prints),
	    cmocka_unit_test(test_cublaslt),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
