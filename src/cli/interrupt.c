/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "error.h"
#include "exit_status.h"

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void collect_signals(sigset_t *set)
{
	(void)sigemptyset(set);
	for (size_t i = 0; i < MXT_ARRAY_LEN(stop_signals); i++) {
		struct sigaction now;
		if (sigaction(stop_signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			(void)sigaddset(set, stop_signals[i]);
	}
}

int mxt_interrupt_open(int *ret_fd, struct mxt_error *err)
{
	sigset_t set;
	collect_signals(&set);
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return mxt_error_errno(err, errno, "cannot watch for signals");
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) {
		int errnum = errno;
		(void)close(fd);
		return mxt_error_errno(err, errnum, "cannot watch for signals");
	}
	*ret_fd = fd;
	return 0;
}

int mxt_interrupt_error(int fd, struct mxt_error *err)
{
	struct signalfd_siginfo info = {.ssi_signo = SIGTERM};
	if (read(fd, &info, sizeof info) < 0)
		info.ssi_signo = SIGTERM; /* nothing to read: somebody else took it */
	return mxt_error_set(err, mxt_interrupt_status((int)info.ssi_signo), MXT_E_INTERRUPTED,
			     "stopped by signal %d (%s); no plan was written", (int)info.ssi_signo,
			     strsignal((int)info.ssi_signo));
}
