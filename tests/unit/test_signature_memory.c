/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out while a manifest is signed, and what a run goes on from and is made of is looked at. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc_faults.h"
#include "checkpoint_state.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "git_state.h"
#include "json.h"
#include "scratch.h"
#include "signature.h"

static const char *path_in(const void *folder, const char *name, char path[4200])
{
	(void)snprintf(path, 4200, "%s/%s", (const char *)folder, name);
	return path;
}

static void put_tool(const char *folder, const char *name, const char *script)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(folder, name, script);
	assert_int_equal(chmod(path, 0755), 0);
}

static int sign(void *folder)
{
	char search[4200], signature[4200], temporary[4200];
	(void)snprintf(search, sizeof search, "PATH=%s:/usr/bin:/bin", (const char *)folder);
	(void)snprintf(temporary, sizeof temporary, "TMPDIR=%s", (const char *)folder);
	char *const environment[] = {search, temporary, NULL};
	return mxt_signature_make(path_in(folder, "m.sig", signature), "{}\n", 3, "key", environment, -1, NULL);
}

static int check(void *folder)
{
	char search[4200], signature[4200], key[4200];
	(void)snprintf(search, sizeof search, "PATH=%s:/usr/bin:/bin", (const char *)folder);
	char *const environment[] = {search, NULL};
	return mxt_signature_check(path_in(folder, "m.sig", signature), "{}\n", 3, path_in(folder, "signers", key),
				   environment, NULL);
}

static int look_at_git(void *folder)
{
	char search[4200];
	json_t *state = NULL;
	(void)snprintf(search, sizeof search, "PATH=%s:/usr/bin:/bin", (const char *)folder);
	char *const environment[] = {search, NULL};
	int rc = mxt_git_state(folder, environment, &state, NULL);
	json_decref(state);
	return rc;
}

static int look_at_checkpoint(void *folder)
{
	return mxt_checkpoint_check_folder(folder, NULL);
}

/* Stand-ins: what they are asked is test_signature's and test_git_state's matter. */
static void test_all(void **state)
{
	put_tool(*state, "ssh-keygen",
		 "#!/bin/sh\ncase $2 in sign) for a; do :; done; echo \"-----BEGIN SSH SIGNATURE-----\" >\"$a.sig\";;\n"
		 "find-principals) printf 'a,b\\nc\\n';; esac\n");
	put_tool(*state, "git", "#!/bin/sh\nprintf '# branch.head main\\n? a\\n'\n");
	free(mxt_scratch_write(*state, "signers", "me@example.org ssh-ed25519 AAAA\n"));
	free(mxt_scratch_write(*state, "old.bin", "pickled"));
	free(mxt_scratch_write(*state, "trainer_state.json", "{}"));
	assert_true(mxt_test_each_allocation(sign, *state) >= 5);
	assert_true(mxt_test_each_allocation(check, *state) >= 5);
	free(mxt_scratch_write(*state, "signers", "ssh-ed25519 AAAA\n"));
	assert_true(mxt_test_each_allocation(check, *state) >= 3);
	assert_true(mxt_test_each_allocation(look_at_git, *state) >= 5);
	assert_true(mxt_test_each_allocation(look_at_checkpoint, *state) >= 5);
	assert_int_equal(mxt_scratch_count(*state), 6); /* and no folder for signing is left */
}

int main(void)
{
	json_set_alloc_funcs(mxt_test_malloc, free);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_all, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
