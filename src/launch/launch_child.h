/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork and exec of the command, in the guardian.
 */
#ifndef MXT_LAUNCH_LAUNCH_CHILD_H
#define MXT_LAUNCH_LAUNCH_CHILD_H

#include <sys/types.h>

struct mxt_guardian_request;

/* How far exec is. */
enum mxt_launch_exec { MXT_LAUNCH_EXEC_PENDING, MXT_LAUNCH_EXEC_DONE, MXT_LAUNCH_EXEC_REFUSED };

struct mxt_launch_child {
	pid_t pid;
	int exec_fd; /* readable once exec was tried; -1: that is known */
};

/*
 * The command gets TERM from the kernel when its parent dies, whatever else happens; a path without a slash is looked
 * up on the PATH of the request's environment. 0 or -errno.
 */
int mxt_launch_child_start(const struct mxt_guardian_request *request, struct mxt_launch_child *ret_child);

/* Does not wait; closes exec_fd once it is known. *ret_errno: why exec refused. */
enum mxt_launch_exec mxt_launch_child_exec(struct mxt_launch_child *child, int *ret_errno);

#endif
