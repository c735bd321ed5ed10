/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of the command: the caller's, minus what the plan removes, plus what the plan and the launch set; and
 * what there is to say about the rest of it. docs/environment.md has the rules.
 */
#ifndef MXT_LAUNCH_ENV_POLICY_H
#define MXT_LAUNCH_ENV_POLICY_H

#include <jansson.h>
#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_plan;
struct mxt_remarks;
struct mxt_sysroot;

/* All borrowed. */
struct mxt_env_request {
	const struct mxt_sysroot
	    *root;           /* whose /etc and home hold configuration files that libraries read by themselves */
	char *const *caller; /* NULL-ended */
	const struct mxt_plan *plan;
	const char *handoffs; /* absolute folder where hand-off files lie; NULL: the plan has none */
	const json_t *launch; /* object of strings: what the launch sets (MASTER_ADDR, PYTHONPATH, ...); may be NULL */
	const char *torch;    /* version of the torch that trains; NULL: not known */
	bool compiles;        /* the job uses torch.compile, or nobody knows: what that times unasked is switched off */
	bool launcher_reads_pet; /* accelerate or torchrun is started: foreign PET_*, RANK and the like are removed */
	bool writes_capitals;    /* accelerate is started: it gives processes all names in capital letters */
	bool axolotl;            /* `-m axolotl.cli.train` is: what only its command `axolotl` sets is set */
};

/* Who wants a change. */
#define MXT_ENV_BY_PLAN   "plan"   /* decision.env, decision.unset */
#define MXT_ENV_BY_LAUNCH "launch" /* how the command is started */
#define MXT_ENV_BY_POLICY "policy" /* nothing tunes while the job runs */

struct mxt_env_outcome {
	char **environment; /* owned: mxt_environment_destroy() */
	json_t *changes;    /* owned: {NAME: {"from": text, "to": text, "by": who}}, see mxt_env_changes_json() */
};
#define MXT_ENV_OUTCOME_INIT                                                                                           \
	{                                                                                                              \
		NULL, NULL                                                                                             \
	}
#define MXT_CLEANUP_ENV_OUTCOME MXT_CLEANUP(mxt_env_outcome_finish)

void mxt_env_outcome_finish(struct mxt_env_outcome *outcome);

/*
 * Everything that is wrong or odd becomes a remark: what tunes at run time (MXT_E_LAUNCH_JIT, MXT_ALLOW_JIT), devices
 * that contradict each other (MXT_E_LAUNCH_ENV), names without a reader, names that differ in case only, configuration
 * files that set variables by themselves. No remark holds the value of a variable that is not in the table of those
 * that choose kernels. Fails only for memory.
 */
int mxt_env_policy(const struct mxt_env_request *request, struct mxt_remarks *remarks,
		   struct mxt_env_outcome *ret_outcome, struct mxt_error *err) MXT_WUR;

#endif
