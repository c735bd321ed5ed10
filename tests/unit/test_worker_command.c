/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of workers. */
#include <errno.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "scratch_tree.h"
#include "worker_command.h"

static bool has(const struct mxt_worker_command *command, const char *option, const char *value)
{
	for (size_t i = 0; command->argv[i]; i++)
		if (strcmp(command->argv[i], option) == 0)
			return strcmp(command->argv[i + 1] ? command->argv[i + 1] : "", value) == 0;
	return false;
}

static void test_own(void **state)
{
	(void)state;
	char *environment[] = {NULL};
	const struct mxt_worker_spec spec = {
	    .label = "bare",
	    .device = "cpu-torch",
	    .target = {.ordinal = 3, .torch = "/t", .python = "/p", .deterministic = true},
	    .environment = environment};
	struct mxt_worker_command command;
	assert_int_equal(mxt_worker_command_init(&command, &spec, NULL), 0);
	assert_string_equal(command.program, "/proc/self/exe");
	assert_string_equal(command.argv[1], "worker");
	assert_true(has(&command, "--device", "cpu-torch"));
	assert_true(has(&command, "--ordinal", "3"));
	assert_true(has(&command, "--torch", "/t"));
	assert_true(has(&command, "--deterministic", ""));
	assert_false(has(&command, "--probe", ""));
	assert_false(has(&command, "--provider", ""));
	mxt_worker_command_finish(&command);
}

static void test_python(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/mindxtrain_plan/__init__.py", "");
	char variable[512];
	(void)snprintf(variable, sizeof variable, "MXT_PYTHON_DIR=%s", tree->path);
	char threads[] = "OMP_NUM_THREADS=2", other[] = "PATH=/bin";
	char *environment[] = {variable, threads, other, NULL};
	const struct mxt_worker_spec spec = {.label = "fa2",
					     .device = "cpu-torch",
					     .target = {.python = "/venv/bin/python3", .probe = "layer"},
					     .provider = "fa2",
					     .environment = environment};
	struct mxt_worker_command command;
	assert_int_equal(mxt_worker_command_init(&command, &spec, NULL), 0);
	assert_string_equal(command.program, "/venv/bin/python3");
	assert_string_equal(command.argv[0], "/venv/bin/python3");
	assert_non_null(strstr(command.argv[1], "/mindxtrain_plan/worker.py"));
	assert_true(has(&command, "--provider", "fa2"));
	assert_true(has(&command, "--probe", "layer"));
	assert_true(has(&command, "--switch", "OMP_NUM_THREADS"));
	mxt_worker_command_finish(&command);
}

static void test_no_python(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	char *environment[] = {NULL};
	const struct mxt_worker_spec spec = {
	    .label = "fa2", .device = "cuda", .provider = "fa2", .environment = environment};
	struct mxt_worker_command command;
	assert_int_equal(mxt_worker_command_init(&command, &spec, &err), -ENOENT);
	assert_int_equal(err.id, MXT_E_PYTHON_PROVIDER);
	mxt_worker_command_finish(&command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_own),
	    cmocka_unit_test_setup_teardown(test_python, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test(test_no_python),
	};
	return cmocka_run_group_tests_name("worker_command", tests, NULL, NULL);
}
