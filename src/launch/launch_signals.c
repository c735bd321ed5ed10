/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_signals.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "error.h"

static const int forwarded_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/* Their dispositions change while they are held. */
static const struct {
	int signal;
	void (*action)(int);
} changed[] = {{SIGPIPE, SIG_IGN}, {SIGXFSZ, SIG_IGN}, {SIGCHLD, SIG_DFL}};

static bool is_ignored(int signal)
{
	struct sigaction now;
	return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void collect(sigset_t *forwarded, sigset_t *watched)
{
	(void)sigemptyset(forwarded);
	for (size_t i = 0; i < MXT_ARRAY_LEN(forwarded_signals); i++)
		if (!is_ignored(forwarded_signals[i]))
			(void)sigaddset(forwarded, forwarded_signals[i]);
	*watched = *forwarded;
	(void)sigaddset(watched, SIGCHLD);
	(void)sigaddset(watched, SIGCONT);
	if (!is_ignored(SIGTSTP))
		(void)sigaddset(watched, SIGTSTP);
}

int mxt_launch_signals_hold(struct mxt_launch_signals *signals, struct mxt_error *err)
{
	sigset_t watched, blocked;
	collect(&signals->forwarded, &watched);
	blocked = watched;
	(void)sigaddset(&blocked, SIGTTIN);
	(void)sigaddset(&blocked, SIGTTOU);
	int fd = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return mxt_error_errno(err, errno, "cannot watch for signals");
	for (size_t i = 0; i < MXT_ARRAY_LEN(changed); i++) {
		struct sigaction action = {.sa_handler = changed[i].action};
		(void)sigaction(changed[i].signal, &action, &signals->actions[i]);
	}
	(void)sigprocmask(SIG_BLOCK, &blocked, &signals->mask);
	signals->fd = fd;
	signals->held = true;
	return 0;
}

void mxt_launch_signals_release(struct mxt_launch_signals *signals)
{
	struct signalfd_siginfo info;
	if (!signals->held)
		return;
	while (read(signals->fd, &info, sizeof info) == sizeof info)
		;
	(void)close(signals->fd);
	(void)sigprocmask(SIG_SETMASK, &signals->mask, NULL);
	for (size_t i = 0; i < MXT_ARRAY_LEN(changed); i++)
		(void)sigaction(changed[i].signal, &signals->actions[i], NULL);
	signals->fd = -1;
	signals->held = false;
}

void mxt_launch_signals_reset(void)
{
	sigset_t none;
	struct sigaction standard = {.sa_handler = SIG_DFL};
	for (size_t i = 0; i < MXT_ARRAY_LEN(changed); i++)
		(void)sigaction(changed[i].signal, &standard, NULL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}
