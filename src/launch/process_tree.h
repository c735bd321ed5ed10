/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All processes that descend from one, by /proc: launchers put theirs into sessions of their own, where no process
 * group reaches them.
 */
#ifndef MXT_LAUNCH_PROCESS_TREE_H
#define MXT_LAUNCH_PROCESS_TREE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Signals every living descendant of `root`, not `root` itself; returns how many there were. 0 for `signal`: counts.
 * What comes into being meanwhile may be missed. Nobody is signalled where /proc shows another namespace's processes,
 * or is not there.
 */
size_t mxt_process_tree_signal(pid_t root, int signal);

/* How many of those that could not be ended a report names. */
#define MXT_PROCESS_TREE_NAMED 8

/* Writes up to `max` of the living descendants' pids; returns how many it wrote. */
size_t mxt_process_tree_list(pid_t root, pid_t *pids, size_t max);

#endif
