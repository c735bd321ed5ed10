/* SPDX-License-Identifier: Apache-2.0 */
#include "inheritance.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process_tree.h"

/* "kill -9 0": its whole process group was killed, and the guardian with it. */
static bool died_with_guardian(const struct mxt_wards *wards)
{
	return wards->ended && WIFSIGNALED(wards->wait_status) && WTERMSIG(wards->wait_status) == SIGKILL &&
	       wards->ending.phase < MXT_ENDING_KILLED;
}

void mxt_inheritance_take(struct mxt_inheritance *inheritance, pid_t command, bool ended, bool asked, uint64_t grace_ns,
			  uint64_t now_ns)
{
	struct mxt_wards *wards = &inheritance->wards;
	*inheritance = (struct mxt_inheritance){.taken = true, .ends_it = !ended && !asked};
	mxt_wards_init(wards, command, grace_ns);
	wards->ended = ended || command == 0;
	(void)mxt_process_tree_signal(getpid(), SIGCONT);
	if (wards->ended) {
		mxt_ending_alone(&wards->ending, SIGTERM, now_ns);
		return;
	}
	mxt_wards_hear(wards, SIGTERM, now_ns); /* from the kernel, at the guardian's death */
	(void)mxt_wards_deliver(wards, SIGTERM, now_ns);
}

void mxt_inheritance_turn(struct mxt_inheritance *inheritance, uint64_t now_ns)
{
	if (!inheritance->taken || inheritance->over)
		return;
	bool had_ended = inheritance->wards.ended;
	mxt_wards_reap(&inheritance->wards, now_ns);
	if (!had_ended && died_with_guardian(&inheritance->wards))
		inheritance->ends_it = false;
	inheritance->over = mxt_wards_step(&inheritance->wards, now_ns);
}

uint64_t mxt_inheritance_deadline_ns(const struct mxt_inheritance *inheritance)
{
	return inheritance->taken && !inheritance->over ? mxt_wards_deadline_ns(&inheritance->wards) : 0;
}
