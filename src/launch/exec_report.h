/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last step of a child that becomes a command.
 */
#ifndef MXT_LAUNCH_EXEC_REPORT_H
#define MXT_LAUNCH_EXEC_REPORT_H

#include <sys/types.h>

#include "compiler.h"

/*
 * Becomes argv[0], which is looked up on the PATH of `environment`, and gets TERM from the kernel when `parent` dies.
 * Where that cannot be, errno (an int) goes into `report_fd`, which is closed by exec else; the child ends. What
 * signals do is the caller's business, before this.
 */
MXT_NORETURN void mxt_exec_report(char *const *argv, char *const *environment, pid_t parent, int report_fd);

/* The same for a child that gets no further: tells errno, and ends. */
MXT_NORETURN void mxt_exec_give_up(int report_fd);

#endif
