/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_fixture.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "rng.h"
#include "sim_number.h"

#define LIMIT_S 60

void mxt_sim_expect(bool holds, const char *file, int line, const char *text)
{
	if (holds)
		return;
	(void)fprintf(stderr, "%s:%d: %s\n", file, line, text);
	_exit(1);
}

static void *open_library(const char *stem, const char *build)
{
	char path[4096];
	const char *folder = getenv("MXT_SIM_LIBRARIES");
	(void)snprintf(path, sizeof path, "%s/libsim-%s%s.so", folder ? folder : ".", stem, build);
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!library)
		(void)fprintf(stderr, "%s\n", dlerror());
	return library;
}

#define MAX_LIBRARIES 6
#define ROCM          "rocm "

/* In the order in which they need each other. */
static void open_libraries(const char *build, void *libraries[static MAX_LIBRARIES])
{
	const char *rocm = strncmp(build, ROCM, strlen(ROCM)) == 0 ? build + strlen(ROCM) : NULL;
	const char *hipblaslt = getenv("MXT_SIM_HIPBLASLT"); /* another build than torch's own */
	bool old = strcmp(rocm ? rocm : build, "2.8") == 0;
	if (rocm) {
		libraries[0] = open_library("amdhip64-", old ? "6" : "7");
		libraries[1] = open_library("hipblaslt-", hipblaslt ? hipblaslt : old ? "6.4" : "7.2");
		libraries[2] = open_library("rocblas-", old ? "6" : "7");
		libraries[3] = open_library("rccl", "");
		libraries[4] = open_library("rocm-torch-cpu-", rocm);
		libraries[5] = open_library("torch-hip-", rocm);
		return;
	}
	libraries[0] = open_library("cudart-", old ? "12" : "13");
	libraries[1] = open_library("cublaslt-", old ? "12" : "13");
	libraries[2] = open_library("torch-cpu-", build);
	libraries[3] = open_library("torch-cuda-", build);
}

/* cudaMalloc is hipMalloc in a library of ROCm. */
static void *look_up(void *library, const char *name)
{
	char other[256];
	void *symbol = dlsym(library, name);
	if (symbol || strncmp(name, "cuda", 4) != 0)
		return symbol;
	(void)snprintf(other, sizeof other, "hip%s", name + 4);
	return dlsym(library, other);
}

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
#define SIM_SYMBOL(type, symbol, arguments) {#symbol, offsetof(struct mxt_sim_api, symbol)},
#include "sim_symbols.def"
#undef SIM_SYMBOL
};

struct mxt_sim_api mxt_sim_api_load(const char *build)
{
	struct mxt_sim_api api;
	void *libraries[MAX_LIBRARIES] = {NULL};
	open_libraries(build, libraries);
	memset(&api, 0, sizeof api);
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		void *symbol = NULL;
		for (size_t j = 0; j < MAX_LIBRARIES && !symbol; j++)
			symbol = libraries[j] ? look_up(libraries[j], symbols[i].name) : NULL;
		memcpy((char *)&api + symbols[i].offset, &symbol, sizeof symbol);
	}
	return api;
}

/* The scenario in a file of its own; false: there is none. */
static bool write_scenario(const struct mxt_sim_case *which, char name[static 32])
{
	(void)snprintf(name, 32, "/tmp/mxt-sim-XXXXXX");
	if (!which->scenario)
		return false;
	int fd = mkstemp(name);
	size_t len = strlen(which->scenario);
	assert_true(fd >= 0 && write(fd, which->scenario, len) == (ssize_t)len && close(fd) == 0);
	return true;
}

/* NAME=VALUE; what comes later counts. */
static void set_variable(const char *pair)
{
	char name[64];
	size_t len = strcspn(pair, "=");
	if (len >= sizeof name || pair[len] != '=')
		_exit(93);
	memcpy(name, pair, len);
	name[len] = '\0';
	(void)setenv(name, pair + len + 1, 1);
}

_Noreturn static void child(const struct mxt_sim_case *which, const char *scenario, int out)
{
	(void)dup2(out, STDOUT_FILENO);
	(void)dup2(out, STDERR_FILENO);
	(void)alarm(LIMIT_S);
	for (int i = 0; i < MXT_SIM_MAX_VARIABLES && which->variables[i]; i++)
		set_variable(which->variables[i]);
	if (scenario)
		(void)setenv("MXT_SIM_TORCH", scenario, 1);
	struct mxt_sim_api api = mxt_sim_api_load(which->build ? which->build : "2.15");
	which->run(&api);
	exit(0);
}

static void drain(int fd, struct mxt_sim_output *output)
{
	char block[4096];
	ssize_t len;
	*output = (struct mxt_sim_output){.bytes = 0};
	while ((len = read(fd, block, sizeof block)) > 0) {
		size_t room = sizeof output->text - 1 - output->bytes;
		if (output->bytes < sizeof output->text - 1)
			memcpy(output->text + output->bytes, block, (size_t)len < room ? (size_t)len : room);
		output->bytes += (size_t)len;
	}
}

int mxt_sim_case_status(const struct mxt_sim_case *which, struct mxt_sim_output *ret_output)
{
	int ends[2], status;
	struct mxt_sim_output output;
	char name[32];
	bool played = write_scenario(which, name);
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)close(ends[0]);
		child(which, played ? name : NULL, ends[1]);
	}
	(void)close(ends[1]);
	drain(ends[0], &output);
	(void)close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (played)
		(void)unlink(name);
	if (ret_output)
		*ret_output = output;
	else if (status)
		(void)fputs(output.text, stderr);
	return status;
}

void mxt_sim_case_pass(const struct mxt_sim_case *which)
{
	assert_int_equal(mxt_sim_case_status(which, NULL), 0);
}

void *mxt_sim_tensor_of(const struct mxt_sim_api *api, int32_t place, int32_t dtype, int64_t ndim, const int64_t *sizes,
			const double *numbers)
{
	int64_t strides[8], count = 1;
	void *tensor, *data;
	for (int64_t i = ndim - 1; i >= 0; i--) {
		strides[i] = count;
		count *= sizes[i];
	}
	if (api->aoti_torch_empty_strided(ndim, sizes, strides, dtype, place, 0, &tensor) != 0 ||
	    api->aoti_torch_get_data_ptr(tensor, &data) != 0)
		_exit(95);
	for (int64_t i = 0; i < count && numbers; i++)
		mxt_sim_store(data, i, dtype, numbers[i]);
	return tensor;
}

double *mxt_sim_numbers_of(const struct mxt_sim_api *api, void *tensor)
{
	int64_t *sizes, *strides, ndim, count = 1;
	int32_t dtype;
	void *data;
	if (api->aoti_torch_get_sizes(tensor, &sizes) || api->aoti_torch_get_strides(tensor, &strides) ||
	    api->aoti_torch_get_dim(tensor, &ndim) || api->aoti_torch_get_dtype(tensor, &dtype) ||
	    api->aoti_torch_get_data_ptr(tensor, &data))
		_exit(94);
	for (int64_t i = 0; i < ndim; i++)
		count *= sizes[i];
	double *numbers = calloc((size_t)count + 1, sizeof *numbers);
	for (int64_t i = 0; i < count && numbers; i++) {
		int64_t at = 0, rest = i;
		for (int64_t d = ndim - 1; d >= 0; d--) {
			at += rest % sizes[d] * strides[d];
			rest /= sizes[d];
		}
		numbers[i] = mxt_sim_load(data, at, dtype);
	}
	return numbers;
}

void *mxt_sim_handle_at(uint64_t bits)
{
	void *handle;
	memcpy(&handle, &bits, sizeof handle);
	return handle;
}

uint64_t mxt_sim_arg(const struct mxt_sim_api *api, void *tensor)
{
	void *copy;
	if (api->aoti_torch_new_tensor_handle(tensor, &copy))
		_exit(93);
	return (uint64_t)(uintptr_t)copy;
}

uint64_t mxt_sim_arg_float(double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	return bits;
}

uint64_t mxt_sim_arg_box(uint64_t value)
{
	uint64_t *box = malloc(sizeof *box);
	if (!box)
		_exit(92);
	*box = value;
	return (uint64_t)(uintptr_t)box;
}

void mxt_sim_call(const struct mxt_sim_api *api, const char *name, const char *overload, uint64_t *stack)
{
	SIM_CHECK(api->aoti_torch_call_dispatcher(name, overload, stack) == 0);
}

void mxt_sim_drop(const struct mxt_sim_api *api, void *tensor)
{
	SIM_CHECK(api->aoti_torch_delete_tensor_object(tensor) == 0);
}

void mxt_sim_drop_results(const struct mxt_sim_api *api, const uint64_t *results, size_t count)
{
	for (size_t i = 0; i < count; i++)
		mxt_sim_drop(api, mxt_sim_handle_at(results[i]));
}

void mxt_sim_fill(double *numbers, size_t count, uint64_t seed)
{
	struct mxt_rng rng = {seed};
	for (size_t i = 0; i < count; i++)
		numbers[i] = mxt_rng_normal(&rng);
}

bool mxt_sim_close(const double *left, const double *right, size_t count, double bound)
{
	double largest = 0, error = 0;
	for (size_t i = 0; i < count; i++) {
		largest = fmax(largest, fabs(right[i]));
		error = isnan(left[i]) ? (double)INFINITY : fmax(error, fabs(left[i] - right[i]));
	}
	if (error <= bound * largest)
		return true;
	(void)fprintf(stderr, "off by %g of %g\n", error, largest);
	return false;
}

double mxt_sim_device_ns(const struct mxt_sim_api *api, void (*work)(const struct mxt_sim_api *api))
{
	void *start = NULL, *end = NULL;
	float ms = 0;
	SIM_CHECK(api->cudaEventCreate(&start) == 0 && api->cudaEventCreate(&end) == 0);
	SIM_CHECK(api->cudaEventRecord(start, NULL) == 0);
	work(api);
	SIM_CHECK(api->cudaEventRecord(end, NULL) == 0 && api->cudaEventSynchronize(end) == 0);
	SIM_CHECK(api->cudaEventElapsedTime(&ms, start, end) == 0);
	SIM_CHECK(api->cudaEventDestroy(start) == 0 && api->cudaEventDestroy(end) == 0);
	return (double)ms * 1e6;
}
