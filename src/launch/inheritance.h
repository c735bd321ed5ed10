/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a run whose guardian was killed: the supervisor is the next subreaper, so that the command and all
 * that descends from it are its own wards now. It ends them.
 */
#ifndef MXT_LAUNCH_INHERITANCE_H
#define MXT_LAUNCH_INHERITANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wards.h"

struct mxt_inheritance {
	bool taken;   /* the guardian died before it was done */
	bool ends_it; /* the command was at work, nobody had asked for its end, and it did not die with the guardian */
	bool over;    /* all are gone, or given up */
	struct mxt_wards wards;
};

/* `command`: 0 when it was not told yet. `asked`: its end was asked for before. */
void mxt_inheritance_take(struct mxt_inheritance *inheritance, pid_t command, bool ended, bool asked, uint64_t grace_ns,
			  uint64_t now_ns);

/* Reaps, and does what is due; of one that was not taken, nothing. */
void mxt_inheritance_turn(struct mxt_inheritance *inheritance, uint64_t now_ns);

/* When mxt_inheritance_turn() has something to do that no signal tells of; 0: never. */
uint64_t mxt_inheritance_deadline_ns(const struct mxt_inheritance *inheritance);

#endif
