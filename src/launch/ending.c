/* SPDX-License-Identifier: Apache-2.0 */
#include "ending.h"

#include <signal.h>

#include "clock.h"

#define SHORT_GRACE_NS (5 * MXT_NS_PER_S)
#define LEAVE_NS       MXT_NS_PER_S
#define TERM_NS        (5 * MXT_NS_PER_S)
#define GIVE_UP_NS     (20 * MXT_NS_PER_S) /* a process that holds a GPU's memory can take seconds to be torn down */
#define UNSEEN_NS      MXT_NS_PER_S
#define FIRST_PAUSE_NS (5 * MXT_NS_PER_MS)
#define LAST_PAUSE_NS  (400 * MXT_NS_PER_MS)

static uint64_t min_ns(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max_ns(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void mxt_ending_init(struct mxt_ending *ending, uint64_t grace_ns)
{
	*ending = (struct mxt_ending){.phase = MXT_ENDING_RUNNING, .grace_ns = grace_ns, .pause_ns = FIRST_PAUSE_NS};
}

void mxt_ending_ask(struct mxt_ending *ending, uint64_t now_ns)
{
	ending->n_asked++;
	if (ending->phase == MXT_ENDING_RUNNING) {
		ending->phase = MXT_ENDING_ASKED;
		ending->deadline_ns = ending->until_ns = now_ns + ending->grace_ns;
	} else if (ending->phase < MXT_ENDING_KILLED) {
		bool shortly = ending->until_ns > now_ns && ending->n_asked == 2;
		uint64_t limit_ns = now_ns + (shortly ? SHORT_GRACE_NS : 0);
		ending->deadline_ns = min_ns(ending->deadline_ns, limit_ns);
		ending->until_ns = min_ns(ending->until_ns, limit_ns);
	}
}

void mxt_ending_alone(struct mxt_ending *ending, int relay, uint64_t now_ns)
{
	if (ending->phase >= MXT_ENDING_LEAVING)
		return;
	ending->phase = MXT_ENDING_LEAVING;
	ending->relay = relay;
	ending->deadline_ns = now_ns + min_ns(LEAVE_NS, ending->grace_ns);
}

static void sweep(struct mxt_ending *ending, int signal, const struct mxt_ending_ops *ops)
{
	size_t n_left = ops->signal_all(ops->context, signal);
	(void)ops->signal_all(ops->context, SIGCONT); /* a stopped process takes nothing else */
	if (n_left > ending->n_swept)
		ending->n_swept = n_left;
}

static void relay(struct mxt_ending *ending, const struct mxt_ending_ops *ops)
{
	if (ending->relay)
		sweep(ending, ending->relay, ops);
	ending->phase = MXT_ENDING_RELAYED;
	ending->deadline_ns = ending->until_ns;
}

static void terminate(struct mxt_ending *ending, uint64_t now_ns, const struct mxt_ending_ops *ops)
{
	sweep(ending, SIGTERM, ops);
	ending->phase = MXT_ENDING_TERMINATED;
	ending->deadline_ns = max_ns(ending->until_ns, now_ns + min_ns(TERM_NS, ending->grace_ns));
}

static void kill_again(struct mxt_ending *ending, uint64_t now_ns, const struct mxt_ending_ops *ops)
{
	size_t n_left = ops->signal_all(ops->context, SIGKILL);
	if (n_left > ending->n_swept)
		ending->n_swept = n_left;
	if (ending->phase != MXT_ENDING_KILLED)
		ending->give_up_ns = now_ns + (n_left > 0 ? GIVE_UP_NS : UNSEEN_NS);
	ending->phase = MXT_ENDING_KILLED;
	ending->deadline_ns = now_ns + ending->pause_ns;
	ending->pause_ns = min_ns(2 * ending->pause_ns, LAST_PAUSE_NS);
}

static void end(struct mxt_ending *ending, bool given_up)
{
	ending->phase = MXT_ENDING_OVER;
	ending->deadline_ns = 0;
	ending->given_up = given_up;
}

void mxt_ending_step(struct mxt_ending *ending, uint64_t now_ns, const struct mxt_ending_ops *ops)
{
	if (ending->phase == MXT_ENDING_OVER)
		return;
	if (ending->phase >= MXT_ENDING_LEAVING && ops->is_empty(ops->context))
		end(ending, false);
	else if (ending->deadline_ns == 0 || now_ns < ending->deadline_ns)
		return;
	else if (ending->phase == MXT_ENDING_LEAVING && ending->relay != SIGTERM && now_ns < ending->until_ns)
		relay(ending, ops);
	else if (ending->phase < MXT_ENDING_TERMINATED)
		terminate(ending, now_ns, ops);
	else if (ending->phase == MXT_ENDING_KILLED && now_ns >= ending->give_up_ns)
		end(ending, true);
	else
		kill_again(ending, now_ns, ops);
}
