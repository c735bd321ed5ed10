/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "cleanup.h"
#include "exec_report.h"
#include "guardian.h"
#include "launch_signals.h"

#define SAFE_FD 10 /* where descriptors wait until their final numbers are free */

/* dup2() over two steps, because a source may lie where another target goes. */
static bool place_streams(const struct mxt_guardian_request *request)
{
	int held[] = {request->stdin_fd, request->stdout_fd, request->stderr_fd};
	bool placed = true;
	for (size_t i = 0; i < MXT_ARRAY_LEN(held); i++)
		held[i] = fcntl(held[i], F_DUPFD_CLOEXEC, SAFE_FD);
	for (size_t i = 0; i < MXT_ARRAY_LEN(held); i++)
		placed = placed && held[i] >= 0 && dup2(held[i], (int)i) >= 0;
	return placed;
}

int mxt_launch_child_start(const struct mxt_guardian_request *request, struct mxt_launch_child *ret_child)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	MXT_CLEANUP_CLOSE int read_end = ends[0];
	MXT_CLEANUP_CLOSE int write_end = ends[1];
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		if (!place_streams(request))
			mxt_exec_give_up(write_end);
		mxt_launch_signals_reset();
		mxt_exec_report(request->argv, request->environment, parent, write_end);
	}
	*ret_child = (struct mxt_launch_child){pid, mxt_steal_fd(&read_end)};
	return 0;
}

enum mxt_launch_exec mxt_launch_child_exec(struct mxt_launch_child *child, int *ret_errno)
{
	int errnum = 0;
	ssize_t n = read(child->exec_fd, &errnum, sizeof errnum);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return MXT_LAUNCH_EXEC_PENDING;
	(void)close(child->exec_fd);
	child->exec_fd = -1;
	if (n != sizeof errnum)
		return MXT_LAUNCH_EXEC_DONE;
	*ret_errno = errnum;
	return MXT_LAUNCH_EXEC_REFUSED;
}
