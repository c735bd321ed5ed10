/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "git_state.h"
#include "json.h"
#include "scratch.h"

#define OID "84df32a66b86398a7018d9fbd0234eb40c10e2f4"

static void expect_json(json_t *value, const char *expected)
{
	MXT_CLEANUP_JSON json_t *owned = value;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	assert_int_equal(mxt_json_canonical(owned, &text, NULL), 0);
	assert_string_equal(mxt_buf_text(&text), expected);
}

struct status_case {
	const char *printed, *state;
};

static void reads_what_git_prints(void **state)
{
	static const struct status_case cases[] = {
	    {"# branch.oid " OID "\n# branch.head main\n# branch.ab +0 -0\n",
	     "{\"branch\":\"main\",\"changed\":0,\"revision\":\"" OID "\",\"untracked\":0}"},
	    {"# branch.oid (initial)\n# branch.head main\n1 A. N... a\n? b\n? \"c\\n\"\n",
	     "{\"branch\":\"main\",\"changed\":1,\"untracked\":2}"},
	    {"# branch.oid " OID "\n# branch.head (detached)\n1 .M N... a\n2 R. N... b\tc\nu UU N... d\n",
	     "{\"changed\":3,\"revision\":\"" OID "\",\"untracked\":0}"},
	    {"# branch.head \xff\x01x", "{\"branch\":\"\xef\xbf\xbd x\",\"changed\":0,\"untracked\":0}"},
	    {"# branch.oid 84df\n\n\nwhat\n", "{\"changed\":0,\"untracked\":0}"},
	    {"", "{\"changed\":0,\"untracked\":0}"},
	};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		json_t *read = NULL;
		assert_int_equal(mxt_git_state_parse(cases[i].printed, &read, NULL), 0);
		expect_json(read, cases[i].state);
	}
}

/* ---- with the git that is here ---- */

static void shell(const char *folder, const char *command)
{
	char line[8192];
	(void)snprintf(line, sizeof line, "cd '%s' && %s", folder, command);
	if (system(line) != 0) /* NOLINT(cert-env33-c): a test's own commands */
		fail_msg("%s", line);
}

static json_t *look(const char *folder, const char *path, const char *variable)
{
	char search[64], home[] = "HOME=/nonexistent", other[256];
	json_t *state = NULL;
	(void)snprintf(search, sizeof search, "PATH=%s", path);
	(void)snprintf(other, sizeof other, "%s", variable);
	char *const environment[] = {search, home, other, NULL};
	assert_int_equal(mxt_git_state(folder, environment, &state, NULL), 0);
	return state;
}

static void need_git(void)
{
	if (system("git --version >/dev/null 2>&1") != 0) /* NOLINT(cert-env33-c) */
		skip();
}

#define PATHS "/usr/local/bin:/usr/bin:/bin"

static void sees_a_real_repository(void **state)
{
	need_git();
	shell(*state, "git init -q . && git checkout -q -b work && mkdir sub && echo 1 >sub/a && git add . && "
		      "git -c user.name=n -c user.email=e commit -q -m m && git rev-parse HEAD >rev && "
		      "mv rev .git/rev && git config core.fsmonitor \"touch $PWD/ran; false\"");
	MXT_CLEANUP_FREE char *sub = mxt_scratch_path(*state, "sub");
	/* A variable that would lead git astray changes nothing. */
	MXT_CLEANUP_JSON json_t *clean = look(sub, PATHS, "GIT_DIR=/nonexistent");
	assert_int_equal(mxt_json_integer_or(clean, "changed", -1), 0);
	assert_int_equal(mxt_json_integer_or(clean, "untracked", -1), 0);
	assert_string_equal(mxt_json_text(clean, "branch"), "work");
	assert_int_equal(strlen(mxt_json_text(clean, "revision")), 40);
	shell(*state, "echo 2 >sub/a && echo 3 >sub/b && test ! -e ran");
	MXT_CLEANUP_JSON json_t *dirty = look(*state, PATHS, "A=1");
	assert_int_equal(mxt_json_integer(dirty, "changed"), 1);
	assert_int_equal(mxt_json_integer(dirty, "untracked"), 1);
	assert_string_equal(mxt_json_text(dirty, "revision"), mxt_json_text(clean, "revision"));
}

static void says_why_there_is_none(void **state)
{
	need_git();
	MXT_CLEANUP_FREE char *missing = mxt_scratch_path(*state, "missing");
	MXT_CLEANUP_FREE char *bare = mxt_scratch_path(*state, "bare");
	assert_int_equal(mkdir(bare, 0755), 0);
	expect_json(look(bare, PATHS, "A=1"), "{\"unknown\":\"the folder is in no repository of git\"}");
	expect_json(look(missing, PATHS, "A=1"), "{\"unknown\":\"the folder is not there\"}");
	expect_json(look(bare, "/nonexistent", "A=1"), "{\"unknown\":\"there is no git on the PATH\"}");
}

/* A stand-in that says what a real one says of a repository of another user. */
static void says_whose_it_is(void **state)
{
	static const char stand_in[] = "#!/bin/sh\nprintf 'fatal: detected dubious ownership\\n\\n"
				       "\\tgit config --global --add safe.directory /x\\n' >&2\nexit 128\n";
	MXT_CLEANUP_FREE char *git = mxt_scratch_write(*state, "git", stand_in);
	assert_int_equal(chmod(git, 0755), 0);
	expect_json(look(*state, *state, "A=1"), "{\"unknown\":\"the repository belongs to somebody else, and git's "
						 "safe.directory does not name it\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_what_git_prints),
	    cmocka_unit_test_setup_teardown(sees_a_real_repository, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(says_why_there_is_none, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(says_whose_it_is, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
