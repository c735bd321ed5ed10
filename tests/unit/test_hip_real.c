/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real libamdhip64 where one is installed (Debian's is that of ROCm 5): all of its symbols are there, and a machine
 * without an AMD GPU is told apart from a broken one.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "error.h"
#include "hip_library.h"

static void test_no_device(void **state)
{
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_gpu_runtime runtime;
	(void)state;
	if (access("/dev/kfd", F_OK) == 0) {
		print_message("there may be an AMD GPU here\n");
		skip();
	}
	int rc = mxt_hip_library_open(0, &runtime, &err);
	if (rc == -ENOSYS) {
		print_message("%s\n", err.text);
		skip();
	}
	assert_int_equal(rc, -ENODEV);
	assert_int_equal(err.id, MXT_E_NO_DEVICE);
	assert_non_null(strstr(err.text, "HIP device 0 cannot be used: "));
	print_message("%s\n", err.text);
	mxt_error_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_device)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
