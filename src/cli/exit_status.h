/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only place that turns errors into exit statuses.
 */
#ifndef MXT_CLI_EXIT_STATUS_H
#define MXT_CLI_EXIT_STATUS_H

struct mxt_error;
struct mxt_launch_result;
struct mxt_supervised;

/* The err->status of a run that a signal ended (id MXT_E_INTERRUPTED); becomes exit status 128 + signal. */
int mxt_interrupt_status(int signal);

int mxt_exit_status(const struct mxt_error *err);

/*
 * That of `run` and `train` as far as the command decides it: its own; 128+n when a signal killed it or stopped us,
 * whatever it says itself; 126 when it cannot be executed, 127 when it is not found.
 */
int mxt_supervised_exit_status(const struct mxt_supervised *supervised);

/* The same, and MXT_EXIT_LAUNCH for a run that failed for a reason of ours. */
int mxt_launch_exit_status(const struct mxt_launch_result *result);

#endif
