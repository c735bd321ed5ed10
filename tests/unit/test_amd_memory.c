/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of reading a machine with AMD GPUs fails once: -ENOMEM or the whole machine, no leak. */
#include <stdio.h>
#include <stdlib.h>

#include "alloc_faults.h"
#include "amd_machine.h"
#include "cmocka_all.h"
#include "error.h"
#include "sysroot.h"

static int read_again(void *context)
{
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_amd_machine_read(context, NULL, &machine, &err);
	if (rc < 0) {
		assert_int_equal(err.id, MXT_E_NO_MEMORY);
		assert_null(machine.gpus);
	} else {
		assert_int_equal(machine.n_gpus, 1);
		assert_int_equal(machine.n_closed, 7);
	}
	return rc;
}

static void test_machine(void **state)
{
	(void)state;
	char prefix[512];
	(void)snprintf(prefix, sizeof prefix, "%s/tests/fixtures/hosts/mi300x-cgroup", getenv("MXT_SOURCE_ROOT"));
	struct mxt_sysroot root = {.prefix = prefix};
	assert_true(mxt_test_each_allocation(read_again, &root) > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_machine)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
