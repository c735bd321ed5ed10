/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command and all that descends from it, as whoever is their subreaper sees them: the guardian, or the supervisor
 * once the guardian is dead. Reaps, signals, and brings them to their end. The process has no other children.
 */
#ifndef MXT_LAUNCH_WARDS_H
#define MXT_LAUNCH_WARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ending.h"

/* Signals that are forwarded have smaller numbers. */
#define MXT_WARDS_SIGNALS 32

struct mxt_wards {
	pid_t command;
	bool ended;      /* the command has, and was waited for */
	int wait_status; /* its own, once it has ended */
	int stopped_by;  /* the signal that stopped the command since the last mxt_wards_reap(); 0: none */
	uint64_t delivered_ns[MXT_WARDS_SIGNALS]; /* when the command was last sent this; 0: never */
	uint64_t due_ns[MXT_WARDS_SIGNALS];       /* when it will be sent; 0: it will not */
	uint64_t heard_ns[MXT_WARDS_SIGNALS];     /* when its process group last got it from somebody else; 0: never */
	struct mxt_ending ending;
};

void mxt_wards_init(struct mxt_wards *wards, pid_t command, uint64_t grace_ns);

/* Waits for all that have ended, without waiting for any. */
void mxt_wards_reap(struct mxt_wards *wards, uint64_t now_ns);

/*
 * Somebody signalled us: the command gets it, once. Whoever signals a whole job (a terminal, a resource manager) may
 * reach the command and us in any order, and us twice. So it is sent after a moment, unless the command's group is seen
 * to have got it; and what comes again within a tenth of a second is the same. Returns whether it is news.
 */
bool mxt_wards_deliver(struct mxt_wards *wards, int signal, uint64_t now_ns);

/* A signal came to the process group that the command is in. */
void mxt_wards_hear(struct mxt_wards *wards, int signal, uint64_t now_ns);

/* When mxt_wards_step() has something to do; 0: never. */
uint64_t mxt_wards_deadline_ns(const struct mxt_wards *wards);

/* Does what is due; true once it is over. */
bool mxt_wards_step(struct mxt_wards *wards, uint64_t now_ns);

/* TERM, INT, HUP or QUIT: what asks for an end. Other signals are only passed on. */
bool mxt_signal_stops(int signal);

#endif
