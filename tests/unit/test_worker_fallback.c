/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers where the kernel has neither close_range() nor pidfd_open() (old kernels, some sandboxes): a system call
 * filter answers ENOSYS for both, here and in every child.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker_fault_cases.h"
#include "worker_fixture.h"

#define SKIPPED  77
#define AMPLE_MS 60000

static int install_filter(void)
{
	struct sock_filter program[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 2, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 1, 0),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};
	const struct sock_fprog filter = {MXT_ARRAY_LEN(program), program};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static void the_calls_are_really_gone(void **state)
{
	(void)state;
	assert_int_equal(syscall(SYS_pidfd_open, getpid(), 0), -1);
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(syscall(SYS_close_range, 900U, 901U, 0U), -1);
	assert_int_equal(errno, ENOSYS);
}

static void every_fault_has_its_outcome(void **state)
{
	mxt_fault_cases_run(*state);
}

/* More descriptors than one batch of directory entries holds. */
static void all_descriptors_are_closed(void **state)
{
	enum { MANY = 600 };
	int fds[MANY];
	for (size_t i = 0; i < MANY; i++) {
		fds[i] = open("/dev/null", O_RDONLY);
		assert_true(fds[i] >= 0);
	}
	struct mxt_worker *worker = mxt_fixture_start_prepared(*state, "bare");
	char path[64];
	struct stat st;
	size_t open_fds = 0;
	for (int fd = 0; fd <= fds[MANY - 1] + 8; fd++) {
		(void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)mxt_worker_pid(worker), fd);
		open_fds += lstat(path, &st) == 0;
	}
	assert_int_equal(open_fds, MXT_WORKER_SOCKET_FD + 1);
	mxt_fixture_destroy(worker);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(close(fds[i]), 0);
}

int main(int argc, char **argv)
{
	mxt_worker_fixture_main(argc, argv);
	if (install_filter() < 0) {
		perror("skipped: no system call filter here");
		return SKIPPED;
	}
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_calls_are_really_gone),
	    MXT_WORKER_TEST(every_fault_has_its_outcome),
	    MXT_WORKER_TEST(all_descriptors_are_closed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
