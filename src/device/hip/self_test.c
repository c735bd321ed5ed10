/* SPDX-License-Identifier: Apache-2.0 */
#include "self_test.h"

#include "amd_machine.h"
#include "clock_test.h"
#include "identity_test.h"
#include "memory_test.h"

void mxt_self_test_note(struct mxt_self_test *test, const char *name)
{
	if (test->n_held < MXT_ARRAY_LEN(test->held))
		test->held[test->n_held++] = name;
}

static int test_identity(struct mxt_self_test *test, const struct mxt_gpu_runtime *runtime,
			 const struct mxt_hip_identity *identity, const struct mxt_sysroot *root, struct mxt_error *err)
{
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	mxt_self_test_note(test, "layout"); /* that it could be read says so */
	int rc = mxt_identity_test_runtime(runtime, identity, err);
	if (rc < 0)
		return rc;
	mxt_self_test_note(test, "numbers");
	rc = mxt_amd_machine_read(root, NULL, &machine, err);
	if (rc < 0 || machine.n_gpus == 0)
		return rc;
	rc = mxt_identity_test_driver(identity, &machine, err);
	if (rc == 0)
		mxt_self_test_note(test, "driver");
	return rc;
}

int mxt_self_test_run(struct mxt_self_test *test, const struct mxt_gpu_runtime *runtime,
		      const struct mxt_hip_identity *identity, const struct mxt_sysroot *root,
		      const struct mxt_clock *clock, struct mxt_error *err)
{
	int rc = test_identity(test, runtime, identity, root, err);
	if (rc == 0)
		rc = mxt_memory_test(runtime, err);
	if (rc < 0)
		return rc;
	mxt_self_test_note(test, "copy");
	mxt_self_test_note(test, "fill");
	rc = mxt_clock_test(runtime, clock, err);
	if (rc == 0)
		mxt_self_test_note(test, "clock");
	return rc;
}

json_t *mxt_self_test_json(const struct mxt_self_test *test)
{
	json_t *names = json_array();
	for (size_t i = 0; names && i < test->n_held; i++)
		if (json_array_append_new(names, json_string(test->held[i])) < 0) {
			json_decref(names);
			return NULL;
		}
	return names;
}
