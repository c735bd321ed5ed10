/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a launch's command: what its launcher and our hook in its Pythons need, under the policy of
 * env_policy.h.
 */
#ifndef MXT_LAUNCH_LAUNCH_ENVIRONMENT_H
#define MXT_LAUNCH_LAUNCH_ENVIRONMENT_H

#include "compiler.h"

struct mxt_error;
struct mxt_launch;

/* Fills launch->env, and adds to the remarks. The launch's paths, config and command line were made before. */
int mxt_launch_environment(struct mxt_launch *launch, struct mxt_error *err) MXT_WUR;

#endif
