/* SPDX-License-Identifier: Apache-2.0 */
/* A start that fails for want of something is an error of ours with a cause, and leaves nothing behind. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "error.h"
#include "worker_fixture.h"

#define AMPLE_MS 60000

static bool fork_fails;

pid_t __real_fork(void); /* the linker's name */
pid_t __wrap_fork(void);

pid_t __wrap_fork(void)
{
	if (!fork_fails)
		return __real_fork();
	errno = EAGAIN;
	return -1;
}

static void no_more_processes(void **state)
{
	struct mxt_worker_spec spec = mxt_fixture_spec(*state, "bare");
	struct mxt_worker *worker = NULL;
	struct mxt_error err = MXT_ERROR_INIT;
	fork_fails = true;
	assert_int_equal(mxt_worker_start(&spec, &worker, &err), -EAGAIN);
	fork_fails = false;
	assert_null(worker);
	assert_int_equal(err.id, MXT_E_SPAWN);
	assert_non_null(strstr(mxt_error_text(&err), "ulimit -u"));
	mxt_error_clear(&err);
}

/* How far a start comes with `spare` descriptors: -EMFILE, or a worker that cannot run in so few, or one that can. */
static int start_with(struct mxt_worker_fixture *fixture, size_t spare)
{
	struct rlimit before, few;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = (rlim_t)(mxt_count_fds() - 3 + spare); /* without ".", ".." and the folder itself */
	struct mxt_worker_spec spec = mxt_fixture_spec(fixture, "bare");
	struct mxt_worker *worker = NULL;
	struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	int rc = mxt_worker_start(&spec, &worker, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(rc < 0, worker == NULL);
	assert_int_equal(rc<0, strlen(mxt_error_text(&err))> 0 && err.id == MXT_E_IO);
	mxt_error_clear(&err);
	if (rc < 0)
		return rc;
	enum mxt_outcome outcome = mxt_fixture_ready(worker, AMPLE_MS);
	if (outcome != MXT_OK)
		assert_non_null(strstr(mxt_worker_reason(worker), "failed with error number "));
	mxt_fixture_destroy(worker);
	return outcome == MXT_OK;
}

static void too_few_descriptors(void **state)
{
	if (mxt_under_valgrind())
		skip(); /* it has descriptors of its own */
	size_t refused = 0, spare = 0;
	int rc = -EMFILE;
	for (; spare < 64 && rc != 1; spare++) {
		rc = start_with(*state, spare);
		if (rc < 0)
			assert_int_equal(rc, -EMFILE);
		refused += rc < 0;
	}
	assert_int_equal(rc, 1);
	assert_in_range(refused, 3,
			7); /* a pair, a pipe, /dev/null, the pipe of the start; numbers may be free below */
}

int main(int argc, char **argv)
{
	mxt_worker_fixture_main(argc, argv);
	const struct CMUnitTest tests[] = {
	    MXT_WORKER_TEST(no_more_processes),
	    MXT_WORKER_TEST(too_few_descriptors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
