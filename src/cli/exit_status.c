/* SPDX-License-Identifier: Apache-2.0 */
#include "exit_status.h"

#include <errno.h>
#include <sys/wait.h>

#include "command.h"
#include "error.h"
#include "launch_run.h"

#define INTERRUPT_BASE 1000 /* above every errno value */

int mxt_interrupt_status(int signal)
{
	return -(INTERRUPT_BASE + signal);
}

int mxt_exit_status(const struct mxt_error *err)
{
	static const int of_class[] = {
	    [MXT_CLASS_INTERNAL] = MXT_EXIT_INTERNAL, [MXT_CLASS_USAGE] = MXT_EXIT_USAGE,
	    [MXT_CLASS_INPUT] = MXT_EXIT_INPUT,       [MXT_CLASS_DEVICE] = MXT_EXIT_DEVICE,
	    [MXT_CLASS_MISMATCH] = MXT_EXIT_MISMATCH, [MXT_CLASS_PROBE] = MXT_EXIT_PROBE,
	    [MXT_CLASS_VERIFY] = MXT_EXIT_VERIFY,     [MXT_CLASS_INTERRUPT] = MXT_EXIT_SIGNAL,
	};
	enum mxt_error_class class = mxt_error_class_of(err->id);
	if (class == MXT_CLASS_INTERRUPT && err->status <= -INTERRUPT_BASE)
		return MXT_EXIT_SIGNAL - INTERRUPT_BASE - err->status;
	return of_class[class];
}

int mxt_supervised_exit_status(const struct mxt_supervised *supervised)
{
	if (supervised->signal)
		return MXT_EXIT_SIGNAL + supervised->signal;
	if (supervised->exec_errno)
		return supervised->exec_errno == ENOENT ? MXT_EXIT_NOT_FOUND : MXT_EXIT_NOT_EXECUTABLE;
	if (WIFSIGNALED(supervised->wait_status))
		return MXT_EXIT_SIGNAL + WTERMSIG(supervised->wait_status);
	return WEXITSTATUS(supervised->wait_status);
}

int mxt_launch_exit_status(const struct mxt_launch_result *result)
{
	return result->failed ? MXT_EXIT_LAUNCH : mxt_supervised_exit_status(&result->supervised);
}
