/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "scratch.h"
#include "signature.h"

#define BYTES "{\"schema\":\"mindxtrain.manifest/1\"}\n"
#define PATHS "/usr/local/bin:/usr/bin:/bin"

/* ---- keys and files in the scratch folder, which is the working directory ---- */

static void shell(const char *command)
{
	if (system(command) != 0) /* NOLINT(cert-env33-c): a test's own commands */
		fail_msg("%s", command);
}

static int setup(void **state)
{
	if (mxt_scratch_setup(state) != 0 || chdir(*state) != 0)
		return -1;
	/* ours and theirs sign; locked has a passphrase */
	shell(
	    "command -v ssh-keygen >/dev/null || exit 0; for k in ours theirs; do "
	    "ssh-keygen -q -t ed25519 -N '' -C 'who it is' -f $k; done; ssh-keygen -q -t ed25519 -N secret -f locked; "
	    "{ echo '# who may sign'; echo; cat theirs.pub ours.pub; } >both.pub");
	return 0;
}

static int teardown(void **state)
{
	return chdir("/") == 0 ? mxt_scratch_teardown(state) : -1;
}

static void need_ssh_keygen(void)
{
	if (access("ours.pub", F_OK) != 0)
		skip();
}

/* `path`: the value of PATH */
static int make(const char *key, const char *path, struct mxt_error *err)
{
	char search[4200], temporary[4200], folder[4096];
	assert_non_null(getcwd(folder, sizeof folder));
	(void)snprintf(search, sizeof search, "PATH=%s", path);
	(void)snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
	char *const environment[] = {search, temporary, NULL};
	return mxt_signature_make("m.sig", BYTES, strlen(BYTES), key, environment, -1, err);
}

static int check(const char *bytes, const char *key, const char *path, struct mxt_error *err)
{
	char search[4200];
	(void)snprintf(search, sizeof search, "PATH=%s", path);
	char *const environment[] = {search, NULL};
	return mxt_signature_check("m.sig", bytes, strlen(bytes), key, environment, err);
}

static void expect_good(const char *key)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (check(BYTES, key, PATHS, &err) < 0)
		fail_msg("%s: %s", key, mxt_error_text(&err));
	assert_int_equal(err.id, MXT_E_NONE);
}

static void expect_bad(const char *bytes, const char *key, enum mxt_error_id id)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (check(bytes, key, PATHS, &err) == 0)
		fail_msg("%s is taken", key);
	if (err.id != id)
		fail_msg("%s: %s", key, mxt_error_text(&err));
}

/* ---- with the ssh-keygen that is here ---- */

static void signs_and_checks(void **state)
{
	need_ssh_keygen();
	size_t before = mxt_scratch_count(*state);
	assert_int_equal(make("ours", PATHS, NULL), 0);
	assert_int_equal(mxt_scratch_count(*state), before + 1); /* nothing but m.sig */
	expect_good("ours.pub");
	expect_good("both.pub");
	expect_bad(BYTES, "theirs.pub", MXT_E_SIGNATURE);
	expect_bad(BYTES " ", "ours.pub", MXT_E_SIGNATURE);
	expect_bad("", "ours.pub", MXT_E_SIGNATURE);
	assert_int_equal(make("theirs", PATHS, NULL), 0); /* replaces it, without a question */
	expect_good("theirs.pub");
	expect_bad(BYTES, "ours.pub", MXT_E_SIGNATURE);
}

static void refuses_other_signatures(void **state)
{
	static const char *const makers[] = {
	    "rm -f m.sig",
	    ": >m.sig",
	    "echo garbage >m.sig",
	    "printf '%s' '" BYTES "' >m && rm -f m.sig && ssh-keygen -q -Y sign -f ours -n file m 2>/dev/null",
	    "echo other >m && rm -f m.sig && ssh-keygen -q -Y sign -f ours -n " MXT_SIGNATURE_NAMESPACE
	    " m 2>/dev/null",
	    "printf '%s' '" BYTES "' >m && rm -f m.sig && ssh-keygen -q -Y sign -f ours -n " MXT_SIGNATURE_NAMESPACE
	    " m 2>/dev/null && tr 'A-M' 'N-Z' <m.sig >t && mv t m.sig",
	};
	(void)state;
	need_ssh_keygen();
	for (size_t i = 0; i < MXT_ARRAY_LEN(makers); i++) {
		shell(makers[i]);
		expect_bad(BYTES, "ours.pub", MXT_E_SIGNATURE);
	}
	/* The same bytes, key and namespace by ssh-keygen alone: it is the form of OpenSSH. */
	shell("printf '%s\\n' '{\"schema\":\"mindxtrain.manifest/1\"}' >m && rm -f m.sig && "
	      "ssh-keygen -q -Y sign -f ours -n " MXT_SIGNATURE_NAMESPACE " m 2>/dev/null");
	expect_good("ours.pub");
}

struct signers_case {
	const char *lines; /* of printf(1); $ours and $theirs are keys */
	enum mxt_error_id id;
};

static void knows_allowed_signers(void **state)
{
	static const struct signers_case cases[] = {
	    {"me@example.org $ours", MXT_E_NONE},
	    {"# comment\\n\\nyou@example.org $theirs\\nme@example.org,us@example.org $ours", MXT_E_NONE},
	    {"*@example.org $ours", MXT_E_NONE},
	    {"me@example.org namespaces=\\\"mindxtrain.*\\\" $ours", MXT_E_NONE},
	    {"old@example.org valid-before=\\\"20200101\\\" $ours\\nme@example.org $ours", MXT_E_NONE},
	    {"you@example.org $theirs", MXT_E_SIGNATURE},
	    {"me@example.org namespaces=\\\"git\\\" $ours", MXT_E_SIGNATURE},
	    {"me@example.org valid-before=\\\"20200101\\\" $ours", MXT_E_SIGNATURE},
	    {"$theirs\\nme@example.org $ours\\nwhat is this", MXT_E_NONE},
	    {"what is this", MXT_E_SIGNATURE},
	    {"# nobody", MXT_E_SIGNATURE},
	};
	(void)state;
	need_ssh_keygen();
	assert_int_equal(make("ours", PATHS, NULL), 0);
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		char command[1024];
		(void)snprintf(command, sizeof command,
			       "ours=$(cut -d' ' -f1,2 ours.pub) theirs=$(cut -d' ' -f1,2 theirs.pub); "
			       "printf \"%s\\n\" >signers",
			       cases[i].lines);
		shell(command);
		if (cases[i].id == MXT_E_NONE)
			expect_good("signers");
		else
			expect_bad(BYTES, "signers", cases[i].id);
	}
}

static void refuses_what_is_no_key(void **state)
{
	(void)state;
	need_ssh_keygen();
	assert_int_equal(make("ours", PATHS, NULL), 0);
	shell(": >empty; printf 'a\\0b' >zero");
	static const char *const keys[] = {"ours", "empty", "zero"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(keys); i++)
		expect_bad(BYTES, keys[i], MXT_E_SIGNER_KEY);
	expect_bad(BYTES, "missing", MXT_E_INPUT_FILE);
}

static void refuses_keys_that_cannot_sign(void **state)
{
	need_ssh_keygen();
	shell("cp ours.pub alone.pub; echo garbage >garbage; chmod 600 garbage");
	static const char *const keys[] = {"locked", "alone.pub", "garbage", "missing"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(keys); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		size_t before = mxt_scratch_count(*state);
		assert_true(make(keys[i], PATHS, &err) < 0);
		assert_int_equal(err.id, MXT_E_SIGNER_KEY);
		assert_int_equal(mxt_scratch_count(*state), before);
	}
}

/* ---- with others ---- */

struct tool_case {
	const char *script; /* NULL: there is none */
	enum mxt_error_id id;
};

static void says_what_its_tool_lacks(void **state)
{
	static const struct tool_case cases[] = {
	    {NULL, MXT_E_SIGN_TOOL},
	    {"#!/bin/sh\nprintf 'ssh-keygen: invalid option -- Y\\nusage: ssh-keygen [-q]\\n       ssh-keygen -A\\n' "
	     ">&2\n"
	     "exit 1\n",
	     MXT_E_SIGN_TOOL},
	    {"#!/bin/sh\nkill -9 $$\n", MXT_E_SIGN_TOOL},
	    {"#!/bin/sh\nexit 255\n", MXT_E_SIGNATURE},
	};
	free(mxt_scratch_write(*state, "k.pub", "ssh-ed25519 AAAA\n"));
	MXT_CLEANUP_FREE char *signature = mxt_scratch_write(*state, "m.sig", "x\n");
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		if (cases[i].script) {
			MXT_CLEANUP_FREE char *tool = mxt_scratch_write(*state, "ssh-keygen", cases[i].script);
			assert_int_equal(chmod(tool, 0755), 0);
		}
		assert_true(check(BYTES, "k.pub", *state, &err) < 0);
		if (err.id != cases[i].id)
			fail_msg("%zu: %s", i, mxt_error_text(&err));
		assert_true(make("k.pub", *state, &err) < 0);
		assert_int_equal(err.id, cases[i].id == MXT_E_SIGNATURE ? MXT_E_SIGNER_KEY : cases[i].id);
		mxt_scratch_expect(signature, "x\n");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(signs_and_checks, setup, teardown),
	    cmocka_unit_test_setup_teardown(refuses_other_signatures, setup, teardown),
	    cmocka_unit_test_setup_teardown(knows_allowed_signers, setup, teardown),
	    cmocka_unit_test_setup_teardown(refuses_what_is_no_key, setup, teardown),
	    cmocka_unit_test_setup_teardown(refuses_keys_that_cannot_sign, setup, teardown),
	    cmocka_unit_test_setup_teardown(says_what_its_tool_lacks, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
