/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource limits of this process as /proc/self/limits tells them (a recorded machine has no getrlimit).
 */
#ifndef MXT_DEVICE_PROCESS_LIMITS_H
#define MXT_DEVICE_PROCESS_LIMITS_H

#include "reading.h"

#define MXT_LIMIT_UNLIMITED UINT64_MAX

struct mxt_process_limit {
	struct mxt_reading soft, hard; /* MXT_LIMIT_UNLIMITED where there is none */
};

/* The row called `name` ("Max open files") in the text of /proc/self/limits. Any text will do. */
struct mxt_process_limit mxt_process_limit_find(const char *text, const char *name);

#endif
