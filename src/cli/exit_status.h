/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only place that turns errors into exit statuses.
 */
#ifndef MXT_CLI_EXIT_STATUS_H
#define MXT_CLI_EXIT_STATUS_H

struct mxt_error;

/* The err->status of a run that a signal ended (id MXT_E_INTERRUPTED); becomes exit status 128 + signal. */
int mxt_interrupt_status(int signal);

int mxt_exit_status(const struct mxt_error *err);

#endif
