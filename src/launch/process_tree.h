/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All processes that descend from one, by /proc: launchers put theirs into sessions of their own, where no process
 * group reaches them.
 */
#ifndef MXT_LAUNCH_PROCESS_TREE_H
#define MXT_LAUNCH_PROCESS_TREE_H

#include <stddef.h>
#include <sys/types.h>

/* Signals every living descendant of `root`, not `root` itself; returns how many there were. 0 for `signal`: counts. */
size_t mxt_process_tree_signal(pid_t root, int signal);

#endif
