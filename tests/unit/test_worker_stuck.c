/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only the kernel's control groups can do to a worker: freeze it so that not even SIGKILL ends it, and take its
 * memory away. Needs root and version 1 groups; skipped elsewhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "worker_fixture.h"

#define SKIPPED  77
#define AMPLE_MS 60000

/* A control group of this test's own below one controller. */
struct group {
	char path[96];
};

static bool group_create(struct group *group, const char *controller)
{
	(void)snprintf(group->path, sizeof group->path, "/sys/fs/cgroup/%s/mxt-test-%d", controller, (int)getpid());
	return mkdir(group->path, 0755) == 0;
}

static bool group_write(const struct group *group, const char *file, const char *value)
{
	char path[160];
	(void)snprintf(path, sizeof path, "%s/%s", group->path, file);
	MXT_CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
}

static bool group_add(const struct group *group, pid_t pid)
{
	char text[16];
	(void)snprintf(text, sizeof text, "%d", (int)pid);
	return group_write(group, "cgroup.procs", text);
}

/* A group goes when its last process is gone; that takes the kernel a moment. */
static void group_remove(const struct group *group)
{
	for (int i = 0; i < 5000 && rmdir(group->path) < 0; i++)
		(void)usleep(1000);
}

static void a_process_that_does_not_end_is_named(void **state)
{
	struct group group;
	if (!group_create(&group, "freezer"))
		skip();
	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	pid_t pid = mxt_worker_pid(worker);
	assert_true(group_add(&group, pid));
	assert_true(group_write(&group, "freezer.state", "FROZEN"));

	struct mxt_timing timing;
	assert_int_equal(mxt_fixture_time(worker, 0, 100, &timing), MXT_TIMEOUT);
	char expected[64];
	(void)snprintf(expected, sizeof expected, "process %d does not end", (int)pid);
	assert_non_null(strstr(mxt_worker_reason(worker), "no answer within 0.1 s"));
	assert_non_null(strstr(mxt_worker_reason(worker), expected));

	struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_worker_destroy(worker, &err), -EBUSY);
	assert_int_equal(err.id, MXT_E_WORKER_STUCK);
	assert_non_null(strstr(mxt_error_text(&err), expected));
	assert_non_null(strstr(mxt_error_text(&err), "worker 'bare'"));
	mxt_error_clear(&err);

	assert_true(group_write(&group, "freezer.state", "THAWED"));
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid); /* the kills took effect now */
	assert_true(WIFSIGNALED(status));
	group_remove(&group);
}

/* In a group with 100 MB, a worker that eats 1 GB is killed; its supervisor, in the same group, is not. */
static void supervise_in(const struct group *group, struct mxt_worker_fixture *fixture)
{
	if (!group_add(group, getpid()))
		_exit(1);
	struct mxt_worker_spec spec = mxt_fixture_spec(fixture, "hungry");
	struct mxt_worker *worker = NULL;
	enum mxt_outcome outcome = MXT_OK;
	if (mxt_worker_start(&spec, &worker, NULL) < 0 ||
	    mxt_worker_ready(worker, mxt_in_ms(AMPLE_MS), &outcome, NULL) < 0)
		_exit(2);
	bool told = strstr(mxt_worker_reason(worker), "killed by signal 9 (out of memory?") != NULL;
	if (mxt_worker_destroy(worker, NULL) < 0 || outcome != MXT_FAILED || !told)
		_exit(3);
	_exit(0);
}

static void running_out_of_memory_costs_the_worker(void **state)
{
	struct group group;
	if (!group_create(&group, "memory"))
		skip();
	assert_true(group_write(&group, "memory.limit_in_bytes", "100000000"));
	mxt_fixture_fault(*state, "{\"fault\": \"eat-memory\", \"at\": \"open\", \"bytes\": 1000000000}");
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		supervise_in(&group, *state);
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	group_remove(&group);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
	mxt_worker_fixture_main(argc, argv);
	struct group group;
	if (!group_create(&group, "freezer")) {
		perror("skipped: cannot create a version 1 control group");
		return SKIPPED;
	}
	group_remove(&group);
	const struct CMUnitTest tests[] = {
	    MXT_WORKER_TEST(a_process_that_does_not_end_is_named),
	    MXT_WORKER_TEST(running_out_of_memory_costs_the_worker),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
