/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "clock.h"
#include "cmocka_all.h"
#include "error.h"
#include "script.h"

static int run_shell(const char *text, uint64_t limit_ns, int cancel_fd, struct mxt_buf *answer, struct mxt_error *err)
{
	char shell[] = "/bin/sh", option[] = "-c", path[] = "PATH=/usr/bin:/bin";
	char *command = strdup(text);
	char *const argv[] = {shell, option, command, NULL};
	char *const environment[] = {path, NULL};
	const struct mxt_script script = {.program = shell,
					  .argv = argv,
					  .environment = environment,
					  .clock = &mxt_clock_monotonic,
					  .deadline_ns = mxt_now_ns(&mxt_clock_monotonic) + limit_ns,
					  .cancel_fd = cancel_fd,
					  .max_bytes = 100000};
	assert_non_null(command);
	int rc = mxt_script_run(&script, answer, err);
	free(command);
	return rc;
}

#define LONG (600 * MXT_NS_PER_S)

struct answer_case {
	const char *command, *answer;
};

static void hears_the_answer_only(void **state)
{
	static const struct answer_case cases[] = {
	    {"echo yes >&3", "yes\n"},
	    {"echo out; echo err >&2; printf '%s' \"$PATH\" >&3; cat", "/usr/bin:/bin"},
	    {"echo yes >&3; exit 3", "yes\n"},
	    {"echo yes >&3; exec 3>&-; kill -9 $$", "yes\n"},
	    {"printf a >&3; sleep 0.2; printf b >&3", "ab"},
	    {"trap '' TERM; echo yes >&3; exec 3>&-", "yes\n"},
	};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_BUF struct mxt_buf answer = MXT_BUF_INIT;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		if (run_shell(cases[i].command, LONG, -1, &answer, &err) < 0)
			fail_msg("%s: %s", cases[i].command, mxt_error_text(&err));
		assert_string_equal(mxt_buf_text(&answer), cases[i].answer);
	}
}

static void takes_a_long_answer(void **state)
{
	MXT_CLEANUP_BUF struct mxt_buf answer = MXT_BUF_INIT;
	(void)state;
	assert_int_equal(run_shell("head -c 100000 /dev/zero >&3; head -c 300000 /dev/zero", LONG, -1, &answer, NULL),
			 0);
	assert_int_equal(answer.len, 100000);
}

struct failure_case {
	const char *command;
	uint64_t limit_ns;
	int status;
	const char *text;
};

static void says_what_is_wrong(void **state)
{
	static const struct failure_case cases[] = {
	    {"echo first >&2; echo last words >&2; exit 3", LONG, -EIO, "it exited with status 3: last words"},
	    {"exit 0", LONG, -EIO, "it exited with status 0"},
	    {"exec /nowhere/to/be/found", LONG, -EIO, "/nowhere/to/be/found"},
	    {"echo yes >&3; sleep 600", 300 * MXT_NS_PER_MS, -ETIME, "too long"},
	    {"trap '' TERM; sleep 600 & wait; sleep 600", 300 * MXT_NS_PER_MS, -ETIME, "too long"},
	    {"head -c 200000 /dev/zero >&3", LONG, -E2BIG, "100000 bytes"},
	};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_BUF struct mxt_buf answer = MXT_BUF_INIT;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		assert_int_equal(run_shell(cases[i].command, cases[i].limit_ns, -1, &answer, &err), cases[i].status);
		assert_int_equal(err.id, MXT_E_SCRIPT);
		if (!strstr(mxt_error_text(&err), cases[i].text))
			fail_msg("%s: %s", cases[i].command, mxt_error_text(&err));
		assert_int_equal(answer.len, 0);
	}
}

static void can_be_stopped(void **state)
{
	MXT_CLEANUP_BUF struct mxt_buf answer = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int ends[2];
	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "", 1), 1);
	assert_int_equal(run_shell("sleep 600", LONG, ends[0], &answer, &err), -ECANCELED);
	assert_int_equal(err.id, MXT_E_CANCELLED);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hears_the_answer_only),
	    cmocka_unit_test(takes_a_long_answer),
	    cmocka_unit_test(says_what_is_wrong),
	    cmocka_unit_test(can_be_stopped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
