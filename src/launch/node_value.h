/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that say which node of how many this is, held against what they can be. Every error is MXT_E_LAUNCH_NODES and
 * names the variable or option.
 */
#ifndef MXT_LAUNCH_NODE_VALUE_H
#define MXT_LAUNCH_NODE_VALUE_H

#include <stdint.h>

#include "compiler.h"

struct mxt_error;

#define MXT_NODES_MAX 65536
#define MXT_RANKS_MAX (INT64_C(1) << 24)
#define MXT_PORT_MAX  65535
#define MXT_NODE_PORT 29500 /* where nobody says another one: torch's own */

/* The number in a variable; *value stays as it is when that is not set. */
int mxt_node_number(char *const *environment, const char *name, int64_t min, int64_t max, int64_t *value,
		    struct mxt_error *err) MXT_WUR;

/* The name or address of a host as it can stand on a launcher's command line; `what` names where it came from. */
int mxt_node_address_check(const char *what, const char *address, struct mxt_error *err) MXT_WUR;

/* The value of the first variable that is set; NULL: none is. *ret_name is its name, then. Both borrowed. */
const char *mxt_node_first(char *const *environment, const char *const *names, const char **ret_name);

#endif
