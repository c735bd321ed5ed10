/* SPDX-License-Identifier: Apache-2.0 */
/* What the surveyor of NVIDIA's cards tells: honest facts, and every kind of dishonest ones. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "cmocka_all.h"
#include "compiler.h"
#include "error.h"
#include "json.h"
#include "nvidia_peak.h"
#include "nvidia_survey.h"

#define H200                                                                                                           \
	"\"name\":\"NVIDIA H200\",\"uuid\":\"GPU-01\",\"compute_capability\":\"9.0\",\"sm_count\":132,"                \
	"\"max_sm_mhz\":1980,\"max_memory_mhz\":3201,\"memory_bus_bits\":6144,\"l2_bytes\":62914560,"                  \
	"\"memory_bytes\":150754820096,\"ecc\":true,\"compute_mode\":\"exclusive_process\",\"mig\":\"off\","           \
	"\"throttle\":[\"idle\",\"hw_thermal\",\"power_brake\",\"something_new\"],"                                    \
	"\"processes\":[{\"pid\":42,\"used_bytes\":1073741824,\"name\":\"python3\"},{\"pid\":43}]"

/* Within 2 %. */
static bool near(double value, double wanted)
{
	return value > wanted * 0.98 && value < wanted * 1.02;
}

static json_t *parse(const char *text)
{
	json_t *facts = NULL;
	assert_int_equal(mxt_json_parse("facts", text, strlen(text), MXT_JSON_CANONICAL, &facts, NULL), 0);
	return facts;
}

static void test_a_card(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *facts = parse(
	    "{\"driver\":\"580.1\",\"cuda_driver_version\":13000,\"devices\":[{\"index\":3,\"ordinal\":0," H200 "}]}");
	struct mxt_nvidia_driver driver;
	struct mxt_nvidia_gpu gpu;
	assert_int_equal(mxt_nvidia_driver_parse(facts, &driver, NULL), 0);
	assert_string_equal(driver.version, "580.1");
	assert_true(mxt_reading_is(driver.cuda, 13000));
	assert_int_equal(driver.n_devices, 1);
	assert_int_equal(mxt_nvidia_gpu_find(facts, 0, &gpu, NULL), 0);
	assert_string_equal(gpu.name, "NVIDIA H200");
	assert_string_equal(gpu.arch, "sm_90");
	assert_true(mxt_reading_is(gpu.index, 3));
	assert_true(mxt_reading_is(gpu.l2_bytes, 62914560));
	assert_true(mxt_reading_is(gpu.ecc, 1));
	assert_int_equal(gpu.compute_mode, MXT_NVIDIA_COMPUTE_EXCLUSIVE);
	assert_int_equal(gpu.mig, MXT_NVIDIA_MIG_OFF);
	assert_int_equal(gpu.throttle, MXT_NVIDIA_THROTTLE_HEAT | MXT_NVIDIA_THROTTLE_HARDWARE);
	assert_true(mxt_reading_is(gpu.process_count, 2));
	assert_int_equal(gpu.processes[0].pid, 42);
	assert_string_equal(gpu.processes[0].name, "python3");
	assert_false(gpu.processes[1].used_bytes.reported);
	assert_true(near(gpu.peak_bf16_flops / 1e12, 132 * 1.98 * 4096 / 1e3));
	assert_true(near(gpu.peak_fp32_flops / 1e12, 132 * 1.98 * 256 / 1e3));
	assert_true(near(gpu.peak_bytes / 1e12, 4.917));
}

/* What is not told is neither 0 nor a peak. */
static void test_little_is_told(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *facts =
	    parse("{\"devices\":[{\"name\":\"GPU\",\"sm_count\":10},{\"fault\":\"lost\"}]}");
	struct mxt_nvidia_gpu gpu;
	assert_int_equal(mxt_nvidia_gpu_parse(facts, 0, &gpu, NULL), 0);
	assert_false(gpu.memory_bytes.reported || gpu.ordinal.reported || gpu.ecc.reported ||
		     gpu.process_count.reported);
	assert_string_equal(gpu.arch, "");
	assert_true(gpu.peak_bf16_flops == 0 && gpu.peak_bytes == 0);
	assert_int_equal(gpu.compute_mode, MXT_NVIDIA_COMPUTE_UNKNOWN);
	assert_int_equal(mxt_nvidia_gpu_parse(facts, 1, &gpu, NULL), 0);
	assert_string_equal(gpu.fault, "lost");
	assert_int_equal(mxt_nvidia_gpu_parse(facts, 2, &gpu, NULL), -EINVAL);
}

static void test_no_such_ordinal(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *facts =
	    parse("{\"cuda_reason\":\"because\",\"devices\":[{\"ordinal\":1,\"name\":\"one\"},{\"name\":\"two\"}]}");
	struct mxt_nvidia_gpu gpu;
	assert_int_equal(mxt_nvidia_gpu_find(facts, 0, &gpu, &err), -ENODEV);
	assert_int_equal(err.id, MXT_E_NO_DEVICE);
	assert_non_null(strstr(mxt_error_text(&err), "1: one"));
	assert_non_null(strstr(mxt_error_text(&err), "not shown: two"));
	assert_non_null(strstr(mxt_error_text(&err), "because"));
	MXT_CLEANUP_JSON json_t *empty = parse("{\"devices\":[]}");
	assert_int_equal(mxt_nvidia_gpu_find(empty, 0, &gpu, &err), -ENODEV);
	assert_non_null(strstr(mxt_error_text(&err), "none"));
}

/* The place is named, and nothing is written. */
static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *place;
	} rows[] = {
	    {"{}", "devices"},
	    {"{\"devices\":{}}", "devices"},
	    {"{\"devices\":[1]}", "devices[0]"},
	    {"{\"devices\":[],\"driver\":580}", "driver"},
	    {"{\"devices\":[],\"cuda_driver_version\":-1}", "cuda_driver_version"},
	    {"{\"devices\":[{\"name\":1}]}", "devices[0].name"},
	    {"{\"devices\":[{},{\"sm_count\":-1}]}", "devices[1].sm_count"},
	    {"{\"devices\":[{\"sm_count\":65536}]}", "devices[0].sm_count"},
	    {"{\"devices\":[{\"memory_bytes\":\"141\"}]}", "devices[0].memory_bytes"},
	    {"{\"devices\":[{\"ecc\":1}]}", "devices[0].ecc"},
	    {"{\"devices\":[{\"mig\":true}]}", "devices[0].mig"},
	    {"{\"devices\":[{\"compute_mode\":0}]}", "devices[0].compute_mode"},
	    {"{\"devices\":[{\"compute_capability\":\"123456789\"}]}", "devices[0].compute_capability"},
	    {"{\"devices\":[{\"throttle\":\"idle\"}]}", "devices[0].throttle"},
	    {"{\"devices\":[{\"throttle\":[1]}]}", "devices[0].throttle"},
	    {"{\"devices\":[{\"processes\":{}}]}", "devices[0].processes"},
	    {"{\"devices\":[{\"processes\":[{\"pid\":1},2]}]}", "devices[0].processes[1]"},
	    {"{\"devices\":[{\"processes\":[{\"pid\":\"x\"}]}]}", "devices[0].processes[0].pid"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		MXT_CLEANUP_JSON json_t *facts = parse(rows[i].text);
		struct mxt_nvidia_gpu gpu = {.name = "untouched"};
		assert_int_equal(mxt_nvidia_gpu_find(facts, 0, &gpu, &err), -EINVAL);
		assert_int_equal(err.id, MXT_E_NVIDIA_SURVEY);
		assert_non_null(strstr(mxt_error_text(&err), rows[i].place));
		assert_string_equal(gpu.name, "untouched");
	}
}

/* Of more processes than fit the first are listed, and all are counted. */
static void test_many_processes(void **state)
{
	(void)state;
	json_t *processes = json_array();
	for (int i = 0; i < MXT_NVIDIA_MAX_PROCESSES + 9; i++)
		assert_int_equal(json_array_append_new(processes, json_pack("{s:i}", "pid", i)), 0);
	MXT_CLEANUP_JSON json_t *facts = json_pack("{s:[{s:o}]}", "devices", "processes", processes);
	struct mxt_nvidia_gpu gpu;
	assert_int_equal(mxt_nvidia_gpu_parse(facts, 0, &gpu, NULL), 0);
	assert_true(mxt_reading_is(gpu.process_count, MXT_NVIDIA_MAX_PROCESSES + 9));
	assert_int_equal(gpu.n_processes, MXT_NVIDIA_MAX_PROCESSES);
}

/* The published figures of whole cards, in TFLOP/s, within 2 %. */
static void test_rates(void **state)
{
	(void)state;
	static const struct {
		int major, minor, units;
		double ghz, published;
	} rows[] = {{8, 0, 108, 1.41, 312}, {8, 6, 84, 1.74, 149.7},  {8, 9, 142, 2.52, 362.05},
		    {9, 0, 132, 1.83, 989}, {10, 0, 148, 1.85, 2250}, {12, 0, 188, 2.617, 503.8}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		double peak = rows[i].units * rows[i].ghz * mxt_nvidia_rate(rows[i].major, rows[i].minor).bf16 / 1e3;
		assert_true(near(peak / rows[i].published, 1.0));
	}
	assert_int_equal(mxt_nvidia_rate(7, 5).bf16, 0);
	assert_int_equal(mxt_nvidia_rate(99, 0).fp32, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_card),          cmocka_unit_test(test_little_is_told),
	    cmocka_unit_test(test_no_such_ordinal), cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_many_processes),  cmocka_unit_test(test_rates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
