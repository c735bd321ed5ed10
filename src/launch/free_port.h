/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A port of this host on which the processes of one launch can meet.
 */
#ifndef MXT_LAUNCH_FREE_PORT_H
#define MXT_LAUNCH_FREE_PORT_H

#include <stdint.h>

/* Above those that Linux takes for outgoing connections (32768 to 60999), so that nobody gets one by chance. */
#define MXT_FIRST_PORT 61000
#define MXT_N_PORTS    4536

/* A port in that range that nobody listens on now; the search starts at a place that `seed` says. 0: none is free. */
int64_t mxt_free_port(uint64_t seed);

#endif
