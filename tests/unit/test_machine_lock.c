/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "error.h"
#include "machine_lock.h"

static int make_file(void **state)
{
	char *path = strdup("/tmp/mxt-lock-XXXXXX");
	int fd = path ? mkstemp(path) : -1;
	if (fd < 0)
		return -1;
	(void)close(fd);
	*state = path;
	return 0;
}

static int remove_file(void **state)
{
	(void)unlink(*state);
	free(*state);
	return 0;
}

static void a_second_run_waits_and_is_refused(void **state)
{
	struct mxt_error err = MXT_ERROR_INIT;
	const struct mxt_clock *clock = &mxt_clock_monotonic;
	int first = -1, second = -1;
	assert_int_equal(mxt_machine_lock(*state, clock, mxt_now_ns(clock), -1, &first, &err), 0);
	uint64_t deadline = mxt_now_ns(clock) + 80 * MXT_NS_PER_MS;
	assert_int_equal(mxt_machine_lock(*state, clock, deadline, -1, &second, &err), -EBUSY);
	assert_int_equal(err.id, MXT_E_BUSY);
	assert_true(mxt_now_ns(clock) >= deadline);
	assert_int_equal(second, -1);
	(void)close(first);
	assert_int_equal(mxt_machine_lock(*state, clock, mxt_now_ns(clock), -1, &second, &err), 0);
	(void)close(second);
	mxt_error_clear(&err);
}

static void a_signal_ends_the_wait(void **state)
{
	struct mxt_error err = MXT_ERROR_INIT;
	int first = -1, second = -1, cancel = eventfd(1, EFD_CLOEXEC);
	assert_true(cancel >= 0);
	assert_int_equal(mxt_machine_lock(*state, &mxt_clock_monotonic, 0, -1, &first, &err), 0);
	assert_int_equal(mxt_machine_lock(*state, &mxt_clock_monotonic, UINT64_MAX, cancel, &second, &err), -ECANCELED);
	assert_int_equal(err.id, MXT_E_INTERRUPTED);
	(void)close(first);
	(void)close(cancel);
	mxt_error_clear(&err);
}

static void no_such_file_is_told_apart(void **state)
{
	(void)state;
	int fd = -1;
	assert_int_equal(mxt_machine_lock("/nonexistent/possible", &mxt_clock_monotonic, 0, -1, &fd, NULL), -ENOLCK);
	assert_int_equal(fd, -1);
}

static void the_real_file_can_be_locked(void **state)
{
	(void)state;
	int fd = -1;
	if (access(MXT_LOCK_CPU, R_OK) < 0)
		skip();
	uint64_t deadline = mxt_now_ns(&mxt_clock_monotonic) + 60 * MXT_NS_PER_S; /* another test may hold it */
	assert_int_equal(mxt_machine_lock(MXT_LOCK_CPU, &mxt_clock_monotonic, deadline, -1, &fd, NULL), 0);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(a_second_run_waits_and_is_refused, make_file, remove_file),
	    cmocka_unit_test_setup_teardown(a_signal_ends_the_wait, make_file, remove_file),
	    cmocka_unit_test(no_such_file_is_told_apart),
	    cmocka_unit_test(the_real_file_can_be_locked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
