/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT as a readable descriptor, so that waiting code stops in an orderly way.
 */
#ifndef MXT_CLI_INTERRUPT_H
#define MXT_CLI_INTERRUPT_H

struct mxt_error;

/*
 * From here on these signals no longer end the process; *ret_fd becomes readable instead. Signals that the caller had
 * set to be ignored (nohup) stay ignored.
 */
int mxt_interrupt_open(int *ret_fd, struct mxt_error *err);

/* Fills *err for a run that was stopped by the first signal on fd; the exit status becomes 128 + its number. */
int mxt_interrupt_error(int fd, struct mxt_error *err);

#endif
