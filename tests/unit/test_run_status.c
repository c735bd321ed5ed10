/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.json, step by step; and with each allocation failing once: what could not be said is never left out of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "alloc_faults.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "launch.h"
#include "launch_run.h"
#include "run_folder.h"
#include "run_status.h"
#include "scratch.h"

/* A run that was stopped, left a process that cannot be ended, and was allowed two things. */
struct run {
	struct mxt_launch_request request;
	struct mxt_launch launch;
	struct mxt_launch_result result;
	struct mxt_run_folder folder;
	struct mxt_run_status status;
};

static void run_init(struct run *run, const char *out)
{
	*run = (struct run){.launch = MXT_LAUNCH_INIT, .folder = MXT_RUN_FOLDER_INIT};
	run->launch.request = &run->request;
	run->launch.config.facts.compiles = true;
	run->launch.remarks.allowed = MXT_ALLOW_JIT | MXT_ALLOW_MISMATCH;
	mxt_remark_refuse(&run->launch.remarks, MXT_E_LAUNCH_JIT, MXT_ALLOW_JIT, "one");
	mxt_remark_refuse(&run->launch.remarks, MXT_E_LAUNCH_JIT, MXT_ALLOW_JIT, "two");
	mxt_remark_refuse(&run->launch.remarks, MXT_E_PLAN_MISMATCH, MXT_ALLOW_MISMATCH, "three");
	(void)mxt_error_set(&run->result.cause, -EINTR, MXT_E_INTERRUPTED, "stopped");
	run->result.supervised =
	    (struct mxt_supervised){.started = true, .signal = SIGTERM, .n_stuck = 2, .stuck = {11, 12}};
	run->status = (struct mxt_run_status){.command = "run"};
	assert_int_equal(mxt_run_folder_make(&run->folder, out, 1, NULL, 0, NULL), 0);
}

static void run_finish(struct run *run)
{
	mxt_launch_result_finish(&run->result);
	mxt_launch_finish(&run->launch);
	mxt_run_folder_finish(&run->folder);
}

/* What is written: a new reference. */
static json_t *write_and_read(const struct run *run)
{
	json_t *json = NULL;
	MXT_CLEANUP_FREE char *path = mxt_run_folder_file(&run->folder, "status.json");
	assert_int_equal(mxt_run_status_write(&run->status, &run->folder, 1234, NULL), 0);
	assert_int_equal(mxt_json_read_file(path, MXT_JSON_CANONICAL, &json, NULL), 0);
	assert_int_equal(mxt_json_integer(json, "written"), 1234);
	return json;
}

static void test_states(void **state)
{
	MXT_CLEANUP(run_finish) struct run run;
	run_init(&run, *state);
	MXT_CLEANUP_JSON json_t *starting = write_and_read(&run);
	assert_string_equal(mxt_json_text(starting, "state"), "starting");
	assert_null(json_object_get(starting, "cause"));
	run.status.launch = &run.launch;
	run.status.pid = 99;
	MXT_CLEANUP_JSON json_t *running = write_and_read(&run);
	assert_string_equal(mxt_json_text(running, "state"), "running");
	assert_null(json_object_get(running, "exit_status"));
	run.status.result = &run.result;
	run.status.exit_status = 143;
	MXT_CLEANUP_JSON json_t *ended = write_and_read(&run);
	MXT_CLEANUP_JSON json_t *marks = json_pack("[s, s, s]", "allow-jit", "allow-mismatch", "compiled");
	MXT_CLEANUP_JSON json_t *stuck = json_pack("[i, i]", 11, 12);
	assert_string_equal(mxt_json_text(ended, "state"), "ended");
	assert_string_equal(mxt_json_text(json_object_get(ended, "cause"), "text"), "stopped");
	assert_int_equal(mxt_json_integer(ended, "exit_status"), 143);
	assert_int_equal(mxt_json_integer(ended, "signal"), SIGTERM);
	assert_int_equal(mxt_json_integer(ended, "pid"), 99);
	assert_true(json_equal(json_object_get(ended, "marks"), marks));
	assert_true(json_equal(json_object_get(ended, "stuck"), stuck));
}

static void test_refused(void **state)
{
	MXT_CLEANUP(run_finish) struct run run;
	run_init(&run, *state);
	run.status.refusal = &run.result.cause;
	run.status.exit_status = 125;
	MXT_CLEANUP_JSON json_t *refused = write_and_read(&run);
	assert_string_equal(mxt_json_text(refused, "state"), "refused");
	assert_int_equal(mxt_json_integer(refused, "exit_status"), 125);
	assert_string_equal(mxt_json_text(json_object_get(refused, "cause"), "text"), "stopped");
}

/* What is on the disk is whole, whichever allocation failed. */
static int write_ended(void *context)
{
	static const char *const parts[] = {"\"allow-jit\",\"allow-mismatch\",\"compiled\"", "\"three\"", "[11,12]",
					    "\"stopped\"", "\"signal\":15"};
	const struct run *run = context;
	char text[4096] = "";
	int rc = mxt_run_status_write(&run->status, &run->folder, 1, NULL);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_CLOSE int fd = openat(run->folder.fd, "status.json", O_RDONLY | O_CLOEXEC);
	assert_true(read(fd, text, sizeof text - 1) > 0);
	for (size_t i = 0; i < MXT_ARRAY_LEN(parts); i++)
		assert_non_null(strstr(text, parts[i]));
	return 0;
}

static void test_every_allocation(void **state)
{
	MXT_CLEANUP(run_finish) struct run run;
	run_init(&run, *state);
	run.status.launch = &run.launch;
	run.status.result = &run.result;
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(write_ended, &run) > 50);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {ROW(test_states), ROW(test_refused), ROW(test_every_allocation)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
