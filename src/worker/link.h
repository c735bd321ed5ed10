/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a supervisor holds of one worker process: the socket, the pipe that takes its output, the process itself. Starts
 * it, sends, waits for what comes next. Judges nothing: outcomes and reasons are worker.c's.
 */
#ifndef MXT_WORKER_LINK_H
#define MXT_WORKER_LINK_H

#include <stdint.h>

#include "clock.h"
#include "process.h"
#include "protocol.h"
#include "tail.h"
#include "worker.h"

struct mxt_link {
	struct mxt_clock clock;
	int cancel_fd; /* borrowed; -1: none */
	int socket_fd;
	int output_fd; /* read end of the pipe; -1 once all writers closed it */
	struct mxt_process process;
	struct mxt_tail tail;       /* of the output */
	struct mxt_message message; /* last received; its bytes lie in `packet` */
	struct mxt_packet packet;
};

enum mxt_link_event {
	MXT_LINK_MESSAGE, /* link->message holds it */
	MXT_LINK_GARBAGE, /* something else came */
	MXT_LINK_CLOSED,  /* nothing will come any more; the process may have ended, or not */
	MXT_LINK_LATE,    /* the deadline is over */
};

/* Starts the process; on failure there is nothing to finish. The link does not move afterwards. */
int mxt_link_init(struct mxt_link *link, const struct mxt_worker_spec *spec, struct mxt_error *err);

/* Closes and forgets; the process must have been ended before. */
void mxt_link_finish(struct mxt_link *link);

/* Sends without waiting: there is room for one message. 0 or -errno; -EINVAL when it cannot be encoded. */
int mxt_link_send(struct mxt_link *link, const struct mxt_message *message);

/*
 * Waits for the next event until `deadline_ns` on the link's clock; a message that is already there wins over
 * everything else. *ret_fault says what is wrong with garbage (static text). -ECANCELED when cancel_fd is readable.
 */
int mxt_link_await(struct mxt_link *link, uint64_t deadline_ns, enum mxt_link_event *ret_event, const char **ret_fault,
		   struct mxt_error *err);

/* Takes in what the process has printed. Never waits, and ends even when it prints without end. */
void mxt_link_drain(struct mxt_link *link);

#endif
