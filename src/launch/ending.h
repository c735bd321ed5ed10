/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a command and everything that descends from it is brought to its end: who is signalled when, as a machine that
 * neither waits nor knows processes.
 *
 *   RUNNING      nobody has asked for an end
 *   ASKED        the command was signalled, and has its grace
 *   LEAVING      the command is gone; what it left behind may leave by itself for a moment
 *   RELAYED      what is left has the interrupt that the command got, and what remains of the command's grace
 *   TERMINATED   TERM was sent to all that are left; they have what remains of the grace, and some seconds at least
 *   KILLED       KILL was sent to all that are left, and is sent again
 *   OVER         nobody is left, or nobody who can be ended
 */
#ifndef MXT_LAUNCH_ENDING_H
#define MXT_LAUNCH_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mxt_ending_phase {
	MXT_ENDING_RUNNING,
	MXT_ENDING_ASKED,
	MXT_ENDING_LEAVING,
	MXT_ENDING_RELAYED,
	MXT_ENDING_TERMINATED,
	MXT_ENDING_KILLED,
	MXT_ENDING_OVER,
};

struct mxt_ending_ops {
	size_t (*signal_all)(void *context, int signal); /* to all that are left; returns how many there were */
	bool (*is_empty)(void *context);                 /* nobody is left */
	void *context;
};

struct mxt_ending {
	enum mxt_ending_phase phase;
	uint64_t grace_ns;
	uint64_t deadline_ns; /* when mxt_ending_step() has something to do; 0: never */
	uint64_t until_ns; /* where the grace ends, of the command and of what it leaves behind; 0: nobody has asked */
	uint64_t give_up_ns; /* in KILLED: when those who are left are given up; sooner when nobody can be found */
	uint64_t pause_ns;   /* in KILLED: between two rounds */
	unsigned n_asked;
	int relay;      /* what RELAYED sends: INT, or 0 where all have got it; TERM: there is no such phase */
	size_t n_swept; /* processes that were left behind and signalled */
	bool given_up;  /* OVER with somebody left */
};

void mxt_ending_init(struct mxt_ending *ending, uint64_t grace_ns);

/*
 * The command has been asked to end. Asked again, what is left of its grace becomes five seconds at most; the third
 * time, none.
 */
void mxt_ending_ask(struct mxt_ending *ending, uint64_t now_ns);

/*
 * The command is gone. A launcher that dies of a signal at once leaves the training behind, which has heard nothing
 * yet: if the command was asked to end, `relay` says what the rest is asked with, see the field.
 */
void mxt_ending_alone(struct mxt_ending *ending, int relay, uint64_t now_ns);

/* Does what is due. To be called after each change and at deadline_ns. */
void mxt_ending_step(struct mxt_ending *ending, uint64_t now_ns, const struct mxt_ending_ops *ops);

#endif
