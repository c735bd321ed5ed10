/* SPDX-License-Identifier: Apache-2.0 */
#include "wards.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "compiler.h"
#include "process_tree.h"

#define ECHO_NS   (100 * MXT_NS_PER_MS)
#define MOMENT_NS (30 * MXT_NS_PER_MS)

bool mxt_signal_stops(int signal)
{
	return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}

void mxt_wards_init(struct mxt_wards *wards, pid_t command, uint64_t grace_ns)
{
	*wards = (struct mxt_wards){.command = command};
	mxt_ending_init(&wards->ending, grace_ns);
}

/*
 * How what the command leaves behind is asked to end. An interrupt alone is passed on as one, which trainings save
 * their work for; where it came to the whole group, as from a terminal, they have it. All else is TERM.
 */
static int relay_of(const struct mxt_wards *wards)
{
	static const int others[] = {SIGTERM, SIGHUP, SIGQUIT};
	for (size_t i = 0; i < MXT_ARRAY_LEN(others); i++)
		if (wards->delivered_ns[others[i]] != 0)
			return SIGTERM;
	if (wards->delivered_ns[SIGINT] == 0)
		return SIGTERM;
	return wards->heard_ns[SIGINT] != 0 ? 0 : SIGINT;
}

static void take_end(struct mxt_wards *wards, int status, uint64_t now_ns)
{
	if (WIFSTOPPED(status)) {
		wards->stopped_by = WSTOPSIG(status);
		return;
	}
	wards->ended = true;
	wards->wait_status = status;
	mxt_ending_alone(&wards->ending, relay_of(wards), now_ns);
}

void mxt_wards_reap(struct mxt_wards *wards, uint64_t now_ns)
{
	int status;
	pid_t pid;
	wards->stopped_by = 0;
	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0 || (pid < 0 && errno == EINTR))
		if (pid == wards->command && !wards->ended)
			take_end(wards, status, now_ns);
}

static bool is_echo(uint64_t then_ns, uint64_t now_ns)
{
	return then_ns != 0 && now_ns - then_ns < ECHO_NS;
}

static bool is_known(int signal)
{
	return signal > 0 && signal < MXT_WARDS_SIGNALS;
}

bool mxt_wards_deliver(struct mxt_wards *wards, int signal, uint64_t now_ns)
{
	if (!is_known(signal) || is_echo(wards->delivered_ns[signal], now_ns))
		return false;
	wards->delivered_ns[signal] = now_ns;
	if (!is_echo(wards->heard_ns[signal], now_ns))
		wards->due_ns[signal] = now_ns + MOMENT_NS;
	if (mxt_signal_stops(signal))
		mxt_ending_ask(&wards->ending, now_ns);
	return true;
}

void mxt_wards_hear(struct mxt_wards *wards, int signal, uint64_t now_ns)
{
	if (!is_known(signal))
		return;
	wards->heard_ns[signal] = now_ns;
	wards->due_ns[signal] = 0;
}

uint64_t mxt_wards_deadline_ns(const struct mxt_wards *wards)
{
	uint64_t first = wards->ending.deadline_ns;
	for (size_t i = 0; i < MXT_WARDS_SIGNALS; i++)
		if (wards->due_ns[i] != 0 && (first == 0 || wards->due_ns[i] < first))
			first = wards->due_ns[i];
	return first;
}

static void send_due(struct mxt_wards *wards, uint64_t now_ns)
{
	for (int signal = 1; signal < MXT_WARDS_SIGNALS; signal++) {
		if (wards->due_ns[signal] == 0 || now_ns < wards->due_ns[signal])
			continue;
		wards->due_ns[signal] = 0;
		if (!wards->ended)
			(void)kill(wards->command, signal);
		if (!wards->ended && mxt_signal_stops(signal))
			(void)kill(wards->command, SIGCONT); /* a stopped process takes nothing */
	}
}

static size_t signal_all(void *context, int signal)
{
	const struct mxt_wards *wards = context;
	size_t n = mxt_process_tree_signal(getpid(), signal);
	if (n == 0 && !wards->ended) /* no /proc to find it by */
		n = kill(wards->command, signal) == 0;
	return n;
}

static bool is_empty(void *context)
{
	(void)context;
	siginfo_t info;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

bool mxt_wards_step(struct mxt_wards *wards, uint64_t now_ns)
{
	const struct mxt_ending_ops ops = {signal_all, is_empty, wards};
	send_due(wards, now_ns);
	mxt_ending_step(&wards->ending, now_ns, &ops);
	return wards->ending.phase == MXT_ENDING_OVER;
}
