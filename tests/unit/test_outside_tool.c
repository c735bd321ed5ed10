/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "cmocka_all.h"
#include "error.h"
#include "outside_tool.h"
#include "scratch.h"

#define LONG (600 * MXT_NS_PER_S)

/* ---- a tool of ours on a PATH of ours ---- */

struct call {
	const char *folder; /* where the tool lies */
	const char *script; /* what it is */
	uint64_t limit_ns;
	int input_fd, extra_fd;
};

static int run_tool(const struct call *call, struct mxt_buf *output, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(call->folder, "asked", call->script);
	assert_int_equal(chmod(path, 0755), 0);
	char search[4200];
	(void)snprintf(search, sizeof search, "PATH=relative::%s/nowhere:%s:/usr/bin:/bin", call->folder, call->folder);
	char *const environment[] = {search, NULL};
	const char *const argv[] = {"asked", "one", "two words", NULL};
	const struct mxt_outside_tool tool = {.cancel_fd = -1,
					      .argv = argv,
					      .environment = environment,
					      .clock = &mxt_clock_monotonic,
					      .limit_ns = call->limit_ns,
					      .max_bytes = 1000,
					      .streams = {.input_fd = call->input_fd, .extra_fd = call->extra_fd}};
	return mxt_outside_tool_run(&tool, output, err);
}

struct answer_case {
	const char *script, *answer;
};

static void takes_what_it_prints(void **state)
{
	static const struct answer_case cases[] = {
	    {"#!/bin/sh\necho \"$2\"; echo chatter >&2\n", "two words\n"},
	    {"#!/bin/sh\n:\n", ""},
	    {"#!/bin/sh\ncat; cat <&3\n", ""},
	    {"#!/bin/sh\necho no >&3; echo \"$PATH\" | cut -c1-10\n", "relative::\n"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_BUF struct mxt_buf output = MXT_BUF_INIT;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		const struct call call = {*state, cases[i].script, LONG, -1, -1};
		if (run_tool(&call, &output, &err) < 0)
			fail_msg("%s: %s", cases[i].script, mxt_error_text(&err));
		assert_string_equal(mxt_buf_text(&output), cases[i].answer);
	}
}

static void gets_its_descriptors(void **state)
{
	MXT_CLEANUP_FREE char *input = mxt_scratch_write(*state, "input", "to read\n");
	MXT_CLEANUP_FREE char *extra = mxt_scratch_write(*state, "extra", "beside it\n");
	MXT_CLEANUP_CLOSE int input_fd = open(input, O_RDONLY | O_CLOEXEC);
	MXT_CLEANUP_CLOSE int extra_fd = open(extra, O_RDONLY | O_CLOEXEC);
	MXT_CLEANUP_BUF struct mxt_buf output = MXT_BUF_INIT;
	const struct call call = {*state, "#!/bin/sh\ncat; cat /dev/fd/3\n", LONG, input_fd, extra_fd};
	assert_int_equal(run_tool(&call, &output, NULL), 0);
	assert_string_equal(mxt_buf_text(&output), "to read\nbeside it\n");
}

struct failure_case {
	const char *script;
	uint64_t limit_ns;
	int status;
	const char *text;
};

static void says_what_is_wrong(void **state)
{
	static const struct failure_case cases[] = {
	    {"#!/bin/sh\necho answer; echo because >&2; exit 3\n", LONG, -EREMOTEIO,
	     "asked: it exited with status 3: because"},
	    {"#!/bin/sh\necho answer; kill -9 $$\n", LONG, -EIO, "asked: it was killed by signal 9"},
	    {"#!/bin/sh\necho answer; exec sleep 600\n", 200 * MXT_NS_PER_MS, -ETIME, "too long"},
	    {"#!/bin/sh\nhead -c 2000 /dev/zero\n", LONG, -E2BIG, "1000 bytes"},
	    {"#!/nowhere/interpreter\n", LONG, -EREMOTEIO, "error number 2"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_BUF struct mxt_buf output = MXT_BUF_INIT;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		const struct call call = {*state, cases[i].script, cases[i].limit_ns, -1, -1};
		assert_int_equal(run_tool(&call, &output, &err), cases[i].status);
		assert_int_equal(err.id, MXT_E_SCRIPT);
		if (!strstr(mxt_error_text(&err), cases[i].text))
			fail_msg("%s: %s", cases[i].script, mxt_error_text(&err));
		assert_int_equal(output.len, 0);
	}
}

/* Neither a folder of that name, nor a file that is no program, nor one in a relative folder. */
static void finds_programs_only(void **state)
{
	MXT_CLEANUP_FREE char *plain = mxt_scratch_write(*state, "plain", "#!/bin/sh\n");
	MXT_CLEANUP_FREE char *folder = mxt_scratch_path(*state, "folder");
	char search[4200];
	assert_int_equal(chmod(plain, 0644), 0);
	assert_int_equal(mkdir(folder, 0755), 0);
	(void)snprintf(search, sizeof search, "PATH=bin:.::%s", (const char *)*state);
	char *const environment[] = {search, NULL};
	static const char *const names[] = {"plain", "folder", "sh"};
	assert_int_equal(chdir("/"), 0);
	for (size_t i = 0; i < MXT_ARRAY_LEN(names); i++) {
		MXT_CLEANUP_BUF struct mxt_buf output = MXT_BUF_INIT;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		const char *const argv[] = {names[i], NULL};
		const struct mxt_outside_tool tool = {.cancel_fd = -1,
						      .argv = argv,
						      .environment = environment,
						      .clock = &mxt_clock_monotonic,
						      .limit_ns = LONG,
						      .max_bytes = 1000,
						      .streams = {.input_fd = -1, .extra_fd = -1}};
		assert_int_equal(mxt_outside_tool_run(&tool, &output, &err), -ENOENT);
		assert_int_equal(err.id, MXT_E_SCRIPT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(takes_what_it_prints, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(gets_its_descriptors, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(says_what_is_wrong, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(finds_programs_only, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
