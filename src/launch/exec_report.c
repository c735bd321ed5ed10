/* SPDX-License-Identifier: Apache-2.0 */
#include "exec_report.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#define EXIT_UNREPORTED 127 /* nobody reads it: the parent has the errno, or is gone */

MXT_NORETURN void mxt_exec_give_up(int report_fd)
{
	int errnum = errno;
	ssize_t ignored = write(report_fd, &errnum, sizeof errnum);
	(void)ignored;
	_exit(EXIT_UNREPORTED);
}

MXT_NORETURN void mxt_exec_report(char *const *argv, char *const *environment, pid_t parent, int report_fd)
{
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent) {
		environ = (char **)environment; /* execvp() looks for PATH here */
		(void)execvp(argv[0], argv);
	}
	mxt_exec_give_up(report_fd);
}
