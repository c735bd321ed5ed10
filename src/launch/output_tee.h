/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command's two streams: to our own, and both to the log, in the order in which they arrive. A stream of ours that
 * takes nothing holds the command up for three seconds, then no more; a log that cannot be written ends; neither ends
 * the command.
 */
#ifndef MXT_LAUNCH_OUTPUT_TEE_H
#define MXT_LAUNCH_OUTPUT_TEE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_error;
struct mxt_output_tee;
struct mxt_output_watch;

#define MXT_OUTPUT_TEE_FDS 4

/* How it went. */
struct mxt_output_tally {
	int log_errno;       /* why the log is not complete; 0: it is */
	int shown_errno;     /* why not all was shown; 0: it was */
	uint64_t log_bytes;  /* in the log */
	uint64_t lost_bytes; /* not shown */
};

/* Borrowed: `log_fd` (-1: none), our streams `show_fds`, `watch` (NULL: none). */
int mxt_output_tee_create(const int show_fds[2], int log_fd, const struct mxt_output_watch *watch,
			  struct mxt_output_tee **ret_tee, struct mxt_error *err) MXT_WUR;
void mxt_output_tee_destroy(struct mxt_output_tee *tee);

/* The ends that the command writes to; to be closed with mxt_output_tee_started() once it has them. */
const int *mxt_output_tee_write_ends(const struct mxt_output_tee *tee);
void mxt_output_tee_started(struct mxt_output_tee *tee);

void mxt_output_tee_poll(const struct mxt_output_tee *tee, struct pollfd fds[MXT_OUTPUT_TEE_FDS]);

/* When mxt_output_tee_turn() has something to do that poll() does not see; 0: never. */
uint64_t mxt_output_tee_deadline_ns(const struct mxt_output_tee *tee);

/* Moves what there is. False: the watch wants the command to end; it is not asked again. */
bool mxt_output_tee_turn(struct mxt_output_tee *tee, const struct pollfd fds[MXT_OUTPUT_TEE_FDS], uint64_t now_ns);

/* Nobody writes any more: takes what is still in the pipes. True once all of it was shown, or will not be. */
bool mxt_output_tee_drain(struct mxt_output_tee *tee, uint64_t now_ns);

void mxt_output_tee_tally(const struct mxt_output_tee *tee, struct mxt_output_tally *ret_tally);

#endif
