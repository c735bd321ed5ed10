/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-ins for ROCm: layouts, switches, clocks, and what their readers of files take. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "hip_properties.h"
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

/* Attention of 2 heads of 32 x 16, forward. */
static void attend(const struct mxt_sim_api *api)
{
	static const int64_t sizes[] = {1, 2, 32, 16};
	void *tensor = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, 4, sizes, NULL);
	void *out[9] = {NULL};
	int64_t lengths[2];
	SIM_CHECK(api->aoti_torch_cuda__scaled_dot_product_flash_attention(
		      tensor, tensor, tensor, 0, 1, 0, NULL, &out[0], &out[1], &out[2], &out[3], &lengths[0],
		      &lengths[1], &out[4], &out[5], &out[6]) == 0);
	for (size_t i = 0; i < sizeof out / sizeof out[0]; i++)
		if (out[i])
			mxt_sim_drop(api, out[i]);
	mxt_sim_drop(api, tensor);
}

static bool takes_ms(const struct mxt_sim_api *api, void (*work)(const struct mxt_sim_api *api), double ms)
{
	return fabs(mxt_sim_device_ns(api, work) / 1e6 - ms) < 0.001;
}

/* ---- the runtime ---- */

static int32_t int_at(const unsigned char *bytes, size_t offset)
{
	int32_t value;
	memcpy(&value, bytes + offset, sizeof value);
	return value;
}

/* Offsets of the two layouts, once more by hand: the old one was also read from ROCm 5.2's header. */
static void properties(const struct mxt_sim_api *api)
{
	unsigned char new[MXT_SIM_R0600_BYTES + 8], old[MXT_SIM_R0000_BYTES + 8];
	int64_t memory = 0;
	memset(new, 0xee, sizeof new);
	memset(old, 0xee, sizeof old);
	SIM_CHECK(api->hipGetDevicePropertiesR0600(new, 0) == 0 && api->hipGetDeviceProperties(old, 0) == 0);
	SIM_CHECK(new[1471] != 0xee && new[1472] == 0xee && old[791] != 0xee && old[792] == 0xee);
	SIM_CHECK(strcmp((char *)new, "AMD Instinct MI300X") == 0 && strcmp((char *)old, "AMD Instinct MI300X") == 0);
	SIM_CHECK(strcmp((char *)new + 1160, "gfx942:sramecc+:xnack-") == 0);
	SIM_CHECK(strcmp((char *)old + 396, "gfx942:sramecc+:xnack-") == 0);
	SIM_CHECK(int_at(new, 388) == 304 && int_at(old, 336) == 304);
	SIM_CHECK(int_at(new, 308) == 64 && int_at(old, 276) == 64);
	SIM_CHECK(int_at(new, 360) == 9 && int_at(new, 364) == 4 && int_at(old, 328) == 9 && int_at(old, 332) == 4);
	SIM_CHECK(int_at(new, 584) == 0x0c && int_at(old, 368) == 0x0c);
	memcpy(&memory, new + 288, sizeof memory);
	SIM_CHECK(memory == INT64_C(206141652992));
	memcpy(&memory, old + 256, sizeof memory);
	SIM_CHECK(memory == INT64_C(206141652992));
	SIM_CHECK(api->hipGetDevicePropertiesR0600(new, 1) == 101);
}

static void runtime(const struct mxt_sim_api *api)
{
	char text[64];
	int value = 0, version = 0;
	size_t bytes = 0;
	void *stream;
	SIM_CHECK(api->hipInit(0) == 0 && api->cudaGetDeviceCount(&value) == 0 && value == 1);
	SIM_CHECK(api->hipDeviceGetName(text, sizeof text, 0) == 0 && strcmp(text, "AMD Instinct MI300X") == 0);
	SIM_CHECK(api->hipDeviceGetPCIBusId(text, sizeof text, 0) == 0 && strcmp(text, "0000:0c:00.0") == 0);
	SIM_CHECK(api->hipDeviceTotalMem(&bytes, 0) == 0 && bytes == 206141652992U);
	SIM_CHECK(api->cudaDeviceGetAttribute(&value, 63, 0) == 0 && value == 304);
	SIM_CHECK(api->cudaDeviceGetAttribute(&value, 84, 0) == 0 && value == INT32_MAX);
	SIM_CHECK(api->cudaRuntimeGetVersion(&version) == 0 && version == 70253211);
	SIM_CHECK(api->cudaDriverGetVersion(&version) == 0 && version == 70253211);
	SIM_CHECK(strcmp(api->cudaGetErrorName(100), "hipErrorNoDevice") == 0);
	SIM_CHECK(strcmp(api->cudaGetErrorName(2), "hipErrorOutOfMemory") == 0);
	SIM_CHECK(api->hipStreamCreateWithFlags(&stream, 1) == 0 && api->hipStreamSynchronize(stream) == 0 &&
		  api->hipStreamDestroy(stream) == 0);
}

static void two_of_three(const struct mxt_sim_api *api)
{
	char text[64];
	uint32_t type = 0, hops = 0;
	int count = 0;
	SIM_CHECK(api->cudaGetDeviceCount(&count) == 0 && count == 2);
	SIM_CHECK(api->hipDeviceGetPCIBusId(text, sizeof text, 1) == 0 && strcmp(text, "0000:22:00.0") == 0);
	SIM_CHECK(api->hipExtGetLinkTypeAndHopCount(0, 1, &type, &hops) == 0 && type == 4 && hops == 1);
	SIM_CHECK(api->hipExtGetLinkTypeAndHopCount(1, 1, &type, &hops) == 1);
}

static void none(const struct mxt_sim_api *api)
{
	int count = 7;
	SIM_CHECK(api->cudaGetDeviceCount(&count) == 100 && count == 0);
}

static void test_runtime(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = properties, .build = "rocm 2.9"});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = properties, .build = "rocm 2.8"});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = runtime, .build = "rocm 2.9"});
	mxt_sim_case_pass(&(struct mxt_sim_case){
	    .run = two_of_three,
	    .build = "rocm 2.9",
	    .scenario = "{\"device\": {\"count\": 4}}",
	    .variables = {"ROCR_VISIBLE_DEVICES=3,2,1", "HIP_VISIBLE_DEVICES=1,2,7,0"},
	});
	mxt_sim_case_pass(
	    &(struct mxt_sim_case){.run = none, .build = "rocm 2.9", .variables = {"HIP_VISIBLE_DEVICES="}});
}

/* ---- torch ---- */

static const char distinct[] =
    "{\"attention\": {\"aotriton\": {\"forward\": {\"fixed_ns\": 1e6, \"flops_per_s\": 1e18}}, \"ck\": {\"forward\": "
    "{\"fixed_ns\": 2e6, \"flops_per_s\": 1e18}}}, \"mm\": {\"hipblaslt\": {\"fixed_ns\": 3e6, \"flops_per_s\": 1e18}, "
    "\"rocblas\": {\"fixed_ns\": 4e6, \"flops_per_s\": 1e18}}}";

enum { DEFAULT = 0, AOTRITON = 1, CK = 2, CUBLAS = 1, CUBLASLT = 2 };

/* Torch has one of the two: since 2.9 that which checks. */
static int8_t fa(const struct mxt_sim_api *api)
{
	return api->_ZN2at7Context25getROCmFAPreferredBackendEv
		   ? api->_ZN2at7Context25getROCmFAPreferredBackendEv(NULL)
		   : api->_ZNK2at7Context25getROCmFAPreferredBackendEv(NULL);
}

static void by_default(const struct mxt_sim_api *api)
{
	SIM_CHECK(takes_ms(api, attend, 1) && takes_ms(api, multiply, 3));
	SIM_CHECK(fa(api) == (api->_ZN2at7Context25getROCmFAPreferredBackendEv ? AOTRITON : DEFAULT));
	SIM_CHECK(api->_ZN2at7Context20blasPreferredBackendEv(NULL) == CUBLASLT);
}

static void checked(const struct mxt_sim_api *api)
{
	SIM_CHECK(takes_ms(api, attend, 1) && fa(api) == AOTRITON);
}

/* What an older torch without CK does: it says CK, and takes AOTriton. */
static void only_told(const struct mxt_sim_api *api)
{
	SIM_CHECK(takes_ms(api, attend, 1) && fa(api) == CK);
}

static void by_ck(const struct mxt_sim_api *api)
{
	SIM_CHECK(takes_ms(api, attend, 2) && fa(api) == CK);
}

static void by_rocblas(const struct mxt_sim_api *api)
{
	SIM_CHECK(takes_ms(api, multiply, 4));
	SIM_CHECK(api->_ZN2at7Context20blasPreferredBackendEv(NULL) == CUBLAS);
}

static void test_switches(void **state)
{
	(void)state;
	static const char ck[] = "TORCH_ROCM_FA_PREFER_CK=1", rocblas[] = "TORCH_BLAS_PREFER_HIPBLASLT=0";
	static const struct {
		const char *build, *variable;
		void (*run)(const struct mxt_sim_api *api);
	} rows[] = {
	    {"rocm 2.8", NULL, by_default},     {"rocm 2.9", NULL, by_default},
	    {"rocm 2.13", NULL, checked},       {"rocm 2.11", ck, checked},
	    {"rocm 2.8", ck, only_told},        {"rocm 2.9-ck", ck, by_ck},
	    {"rocm 2.9", ck, checked},          {"rocm 2.10", ck, checked},
	    {"rocm 2.13", ck, by_ck},           {"rocm 2.9", rocblas, by_default},
	    {"rocm 2.10", rocblas, by_default}, {"rocm 2.10-fork", rocblas, by_rocblas},
	    {"rocm 2.13", rocblas, by_rocblas},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		mxt_sim_case_pass(&(struct mxt_sim_case){
		    .run = rows[i].run, .build = rows[i].build, .scenario = distinct, .variables = {rows[i].variable}});
}

/* CK that the scenario does not name is not there, whatever the library holds: torch says so, and goes on. */
static void test_fall_back(void **state)
{
	(void)state;
	static const char scenario[] = "{\"attention\": {\"aotriton\": {\"forward\": {\"fixed_ns\": 1e6, "
				       "\"flops_per_s\": 1e18}}}, \"mm\": {\"hipblaslt\": {\"fixed_ns\": 3e6, "
				       "\"flops_per_s\": 1e18}}}";
	struct mxt_sim_output output;
	static const struct {
		const char *build;
		void (*run)(const struct mxt_sim_api *api);
	} rows[] = {{"rocm 2.8", only_told}, {"rocm 2.9-ck", checked}, {"rocm 2.13", checked}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct mxt_sim_case which = {.run = rows[i].run,
						   .build = rows[i].build,
						   .scenario = scenario,
						   .variables = {"TORCH_ROCM_FA_PREFER_CK=1"}};
		assert_int_equal(mxt_sim_case_status(&which, &output), 0);
		assert_non_null(strstr(output.text, "Cannot set preferred SDPA backend to CK"));
	}
}

/* ---- time ---- */

static const char cold[] = "{\"bytes_per_s\": 1e18, \"clock\": {\"cold_factor\": 3, \"warm_s\": 0.01}, \"mm\": "
			   "{\"hipblaslt\": {\"fixed_ns\": 1e6, \"flops_per_s\": 1e18}}}";

static void warm_up(const struct mxt_sim_api *api)
{
	SIM_CHECK(takes_ms(api, multiply, 3));
	SIM_CHECK(takes_ms(api, multiply, 2.4)); /* three tenths of the way */
	for (int i = 0; i < 10; i++)
		multiply(api);
	SIM_CHECK(takes_ms(api, multiply, 1));
}

static const char cliffs[] =
    "{\"bytes_per_s\": 1e18, \"mm\": {\"hipblaslt\": {\"fixed_ns\": 1e6, \"flops_per_s\": 1e18}}, \"attention\": "
    "{\"aotriton\": {\"forward\": {\"fixed_ns\": 1e6, \"flops_per_s\": 1e18}}}, \"cliffs\": [{\"at\": "
    "\"mm.hipblaslt\", "
    "\"dims\": [64, 64, 64], \"factor\": 2}, {\"at\": \"attention.aotriton\", \"dims\": [32, 2], \"factor\": 3}, "
    "{\"at\": \"attention.aotriton\", \"dims\": [64], \"factor\": 5}]}";

static void fall(const struct mxt_sim_api *api)
{
	SIM_CHECK(takes_ms(api, multiply, 2));
	SIM_CHECK(takes_ms(api, attend, 3));
}

/* The second process finds the card as the first one left it. */
static void test_time(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = warm_up, .build = "rocm 2.9", .scenario = cold});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = fall, .build = "rocm 2.9", .scenario = cliffs});
	char name[] = "/tmp/mxt-sim-XXXXXX", scenario[512];
	int fd = mkstemp(name);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	(void)snprintf(scenario, sizeof scenario,
		       "{\"bytes_per_s\": 1e18, \"clock\": {\"cold_factor\": 3, \"warm_s\": 0.01, \"shared\": \"%s\"}, "
		       "\"mm\": {\"hipblaslt\": {\"fixed_ns\": 1e6, \"flops_per_s\": 1e18}}}",
		       name);
	const struct mxt_sim_case first = {.run = warm_up, .build = "rocm 2.9", .scenario = scenario};
	mxt_sim_case_pass(&first);
	assert_int_not_equal(mxt_sim_case_status(&first, &(struct mxt_sim_output){.bytes = 0}), 0);
	assert_int_equal(unlink(name), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_runtime),
	    cmocka_unit_test(test_switches),
	    cmocka_unit_test(test_fall_back),
	    cmocka_unit_test(test_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
