/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking into an environment: a NULL-ended list of "NAME=value", as main() gets it.
 */
#ifndef MXT_BASE_ENVIRON_H
#define MXT_BASE_ENVIRON_H

/* Value of `name`, borrowed from `environment`; NULL when it is not set. `environment` may be NULL: nothing is set. */
const char *mxt_environ_get(char *const *environment, const char *name);

#endif
