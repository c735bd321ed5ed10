/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What proves that a training left something: weights of this run, whole, and the newest checkpoint's state.
 */
#include "artefacts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "scratch.h"
#include "trainer_state.h"

#define START 1000000000

static const struct timespec start = {START, 500000000};

/* A file `seconds` after the start of the run, below 0: before. */
static void put(const char *folder, const char *name, const char *text, int seconds)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(folder, name, text);
	const struct timespec times[2] = {{START + seconds, 600000000}, {START + seconds, 600000000}};
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void put_folder(const char *folder, const char *name)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

/* Looks, and expects so many files of the run, and what the verdict says: NULL, or a part of it. */
static void expect(const char *folder, bool adapter, bool saves, size_t found, const char *verdict)
{
	MXT_CLEANUP(mxt_artefacts_finish) struct mxt_artefacts artefacts = MXT_ARTEFACTS_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	const struct mxt_axolotl_facts facts = {
	    .adapter = adapter, .saves_checkpoints = saves, .output_dir = (char *)folder};
	assert_int_equal(mxt_artefacts_find(&facts, &start, &artefacts, &err), 0);
	assert_int_equal(json_array_size(artefacts.found), found);
	assert_int_equal(mxt_artefacts_verdict(&artefacts, &facts, &err) < 0, verdict != NULL);
	if (!verdict)
		return;
	assert_int_equal(err.id, MXT_E_LAUNCH_ARTEFACTS);
	if (!strstr(mxt_error_text(&err), verdict))
		assert_string_equal(mxt_error_text(&err), verdict);
}

static void test_nothing(void **state)
{
	MXT_CLEANUP_FREE char *nowhere = mxt_scratch_path(*state, "nowhere");
	expect(nowhere, true, true, 0, "the adapter and a checkpoint's trainer_state.json of this run is not in ");
	put(*state, "adapter_config.json", "{}", 1);
	put(*state, "config.json", "{}", 1);
	expect(*state, true, false, 0, "the adapter of this run is not in ");
	expect(*state, false, false, 0, "the model of this run is not in ");
}

static void test_adapter(void **state)
{
	put(*state, "adapter_model.bin", "x", -1);
	expect(*state, true, false, 0, "adapter_model.bin is older than the run");
	put(*state, "adapter_model.safetensors", "", 1);
	expect(*state, true, false, 0, "adapter_model.safetensors is empty");
	put(*state, "adapter_model.safetensors", "x", 1);
	expect(*state, true, false, 1, NULL);
	expect(*state, false, false, 0, "the model of");
}

static void test_model(void **state)
{
	put(*state, "model.safetensors.index.json", "{\"weight_map\":{\"a\":\"one\",\"b\":\"two\"}}", 1);
	put(*state, "one", "x", 1);
	expect(*state, false, false, 0, "lacks a part");
	put(*state, "two", "x", -2);
	expect(*state, false, false, 0, "two is older");
	put(*state, "two", "x", 2);
	expect(*state, false, false, 1, NULL);
	static const char *const broken[] = {"{",
					     "{}",
					     "[]",
					     "{\"weight_map\":{}}",
					     "{\"weight_map\":{\"a\":1}}",
					     "{\"weight_map\":{\"a\":\"../one\"}}"};
	for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
		put(*state, "model.safetensors.index.json", broken[i], 1);
		expect(*state, false, false, 0, "the model of");
	}
	put(*state, "model.safetensors", "x", 1);
	expect(*state, false, false, 1, NULL);
}

static void test_folder_in_place_of_a_file(void **state)
{
	put_folder(*state, "adapter_model.safetensors");
	expect(*state, true, false, 0, "is no file");
}

static void test_checkpoints(void **state)
{
	put(*state, "adapter_model.safetensors", "x", 1);
	put_folder(*state, "checkpoint-9");
	put_folder(*state, "checkpoint-10");
	put_folder(*state, "checkpoint-x");
	put(*state, "checkpoint-9/trainer_state.json", "{\"global_step\": 9,\n}\n", 1);
	expect(*state, true, true, 1, "a checkpoint's trainer_state.json");
	put(*state, "checkpoint-10/trainer_state.json", "{\"global_step\": 10,\n}\n", 1);
	expect(*state, true, true, 2, NULL);
	MXT_CLEANUP(mxt_artefacts_finish) struct mxt_artefacts artefacts = MXT_ARTEFACTS_INIT;
	const struct mxt_axolotl_facts facts = {.adapter = true, .output_dir = *state};
	assert_int_equal(mxt_artefacts_find(&facts, &start, &artefacts, NULL), 0);
	assert_int_equal(mxt_json_integer(json_array_get(artefacts.found, 1), "global_step"), 10);
	assert_null(json_object_get(json_array_get(artefacts.found, 0), "global_step"));
}

struct step_case {
	const char *text;
	int64_t step;
};

static const struct step_case steps[] = {
    {"{\n  \"epoch\": 1.0,\n  \"global_step\": 1234,\n  \"log_history\": []\n}", 1234},
    {"{\"global_step\":0}", 0},
    {"{\"global_step\": 5}\n", 5},
    {"{\"global_step\": 5", -1},
    {"{\"global_step\": -5}", -1},
    {"{\"global_step\": 5.5}", -1},
    {"{\"global_step\": 12345678901234567890}", -1},
    {"{\"global_step\": null}", -1},
    {"{\"global_step\":", -1},
    {"{\"global\": 7}", -1},
    {"", -1},
};

static void test_steps(void **state)
{
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "s.json", steps[i].text);
		assert_int_equal(mxt_trainer_state_step(steps[i].text, strlen(steps[i].text)), steps[i].step);
		assert_int_equal(mxt_trainer_state_read(path), steps[i].step);
	}
	MXT_CLEANUP_FREE char *torn = mxt_scratch_write(*state, "s.json", "{\"global_step\": 5, \"log_history\": [");
	assert_int_equal(mxt_trainer_state_read(torn), -1);
	assert_int_equal(mxt_trainer_state_read(*state), -1);
}

/* Times of file systems that keep whole seconds, and of ticks that lag behind the clock. */
static void test_times(void **state)
{
	static const struct {
		struct timespec time;
		bool counts;
	} cases[] = {
	    {{START, 490000000}, true}, {{START, 400000000}, false}, {{START, 0}, true},      {{START - 1, 0}, true},
	    {{START - 2, 0}, false},    {{START + 1, 1}, true},      {{START - 3, 1}, false}, {{START + 9, 1}, true},
	};
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "adapter_model.safetensors", "x");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct timespec times[2] = {cases[i].time, cases[i].time};
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
		expect(*state, true, false, cases[i].counts ? 1 : 0, cases[i].counts ? NULL : "older");
	}
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(test_nothing),     ROW(test_adapter), ROW(test_model), ROW(test_folder_in_place_of_a_file),
	    ROW(test_checkpoints), ROW(test_steps),   ROW(test_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
