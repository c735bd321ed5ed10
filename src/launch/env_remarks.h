/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to say about the environment of a run, once it is known what is changed in it.
 */
#ifndef MXT_LAUNCH_ENV_REMARKS_H
#define MXT_LAUNCH_ENV_REMARKS_H

struct mxt_env_changes;
struct mxt_env_request;
struct mxt_remarks;

/* `environment`: the caller's after the changes. Memory that runs out is told by the remarks. */
void mxt_env_remarks(const struct mxt_env_request *request, const struct mxt_env_changes *changes,
		     char *const *environment, struct mxt_remarks *remarks);

#endif
