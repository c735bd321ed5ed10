/* SPDX-License-Identifier: Apache-2.0 */
#include "machine_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include "cleanup.h"
#include "clock.h"
#include "error.h"

#define POLL_MS 50

/* Sleeps one polling interval; true when the run must stop. */
static bool wait_or_cancelled(int cancel_fd)
{
	struct pollfd cancel = {.fd = cancel_fd, .events = POLLIN};
	return poll(&cancel, 1, POLL_MS) > 0 && (cancel.revents & POLLIN); /* a negative fd only sleeps */
}

int mxt_machine_lock(const char *path, const struct mxt_clock *clock, uint64_t deadline_ns, int cancel_fd, int *ret_fd,
		     struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return mxt_error_set(err, -ENOLCK, MXT_E_IO, "no lock against a second run: %s cannot be opened", path);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return mxt_error_set(err, -ENOLCK, MXT_E_IO, "no lock against a second run: %s takes none",
					     path);
		if (mxt_now_ns(clock) >= deadline_ns)
			return mxt_error_set(
			    err, -EBUSY, MXT_E_BUSY,
			    "another run measures on this device; wait for it, or give a larger --budget");
		if (wait_or_cancelled(cancel_fd))
			return mxt_error_set(err, -ECANCELED, MXT_E_INTERRUPTED,
					     "interrupted while waiting for another run");
	}
	*ret_fd = mxt_steal_fd(&fd);
	return 0;
}
