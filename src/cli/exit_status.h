/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only place that turns errors into exit statuses.
 */
#ifndef MXT_CLI_EXIT_STATUS_H
#define MXT_CLI_EXIT_STATUS_H

struct mxt_error;

/* For MXT_E_INTERRUPTED, err->status holds -(1000 + signal number): see mxt_interrupt_error() in interrupt.h. */
int mxt_exit_status(const struct mxt_error *err);

#endif
