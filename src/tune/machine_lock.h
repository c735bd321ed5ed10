/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run per device (a GPU, or the host): two runs at once would measure each other. The lock is a flock on a file of
 * sysfs, opened read-only, so it needs no rights, leaves nothing behind, and is gone with the process.
 */
#ifndef MXT_TUNE_MACHINE_LOCK_H
#define MXT_TUNE_MACHINE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct mxt_clock;
struct mxt_error;

/* The file whose lock stands for the CPUs of this machine. */
#define MXT_LOCK_CPU "/sys/devices/system/cpu/possible"

/*
 * Waits for the lock until `deadline_ns`; the wait counts in the budget. *ret_fd holds the lock until it is closed.
 * -EBUSY (MXT_E_BUSY) when another run kept it, -ECANCELED (MXT_E_INTERRUPTED) when cancel_fd became readable, -ENOLCK
 * when this system has no such file or no locks on it (callers note that and go on).
 */
int mxt_machine_lock(const char *path, const struct mxt_clock *clock, uint64_t deadline_ns, int cancel_fd, int *ret_fd,
		     struct mxt_error *err);

#endif
