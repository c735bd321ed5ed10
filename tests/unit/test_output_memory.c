/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of what shows and keeps a command's output fails once. Without memory for showing it, it is kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "alloc_faults.h"
#include "cleanup.h"
#include "clock.h"
#include "cmocka_all.h"
#include "error.h"
#include "output_tee.h"
#include "scratch.h"

static int show(void *context)
{
	(void)context;
	struct mxt_output_tee *tee = NULL;
	struct mxt_output_tally tally;
	MXT_CLEANUP_CLOSE int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	MXT_CLEANUP_CLOSE int log_fd = open("log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const int show_fds[] = {null_fd, null_fd};
	int rc = mxt_output_tee_create(show_fds, log_fd, NULL, &tee, NULL);
	if (rc < 0)
		return rc;
	assert_int_equal(write(mxt_output_tee_write_ends(tee)[1], "words\n", 6), 6);
	mxt_output_tee_started(tee);
	assert_true(mxt_output_tee_drain(tee, MXT_NS_PER_S));
	mxt_output_tee_tally(tee, &tally);
	mxt_output_tee_destroy(tee);
	assert_int_equal(tally.log_bytes, 6);
	if (tally.shown_errno)
		assert_int_equal(tally.shown_errno, ENOMEM);
	mxt_scratch_expect("log", "words\n");
	return -tally.shown_errno;
}

static void test_every_allocation(void **state)
{
	assert_int_equal(chdir(*state), 0);
	assert_int_equal(mxt_test_each_allocation(show, NULL), 3);
	assert_int_equal(chdir("/"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_every_allocation, mxt_scratch_setup, mxt_scratch_teardown)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
