/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_environment.h"

#include <stdbool.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "hook_environment.h"
#include "json.h"
#include "launch.h"
#include "plan_fit.h"
#include "plan_handoff.h"

/* What the launch sets: for its launcher, and for what the processes are to leave. */
static int launch_variables(const struct mxt_launch *launch, json_t **ret_variables, struct mxt_error *err)
{
	const struct mxt_launch_request *request = launch->request;
	MXT_CLEANUP_JSON json_t *variables = NULL;
	int rc = mxt_hook_environment(request->machine->environment, request->plan, launch->ranks, request->records,
				      &variables, err);
	if (rc == 0 && launch->line.environment && json_object_update(variables, launch->line.environment) < 0)
		rc = mxt_error_oom(err);
	if (rc == 0)
		*ret_variables = mxt_steal_ptr(&variables);
	return rc;
}

/* accelerate launch, python3 -m accelerate.commands.launch, and either behind env(1), taskset(1) and the like. */
static bool starts_accelerate(char *const *command)
{
	static const char module[] = "accelerate.commands.";
	for (char *const *word = command; *word; word++) {
		const char *slash = strrchr(*word, '/');
		if (strcmp(slash ? slash + 1 : *word, "accelerate") == 0 ||
		    strncmp(*word, module, sizeof module - 1) == 0)
			return true;
	}
	return false;
}

int mxt_launch_environment(struct mxt_launch *launch, struct mxt_error *err)
{
	const struct mxt_launch_request *request = launch->request;
	MXT_CLEANUP_JSON json_t *variables = NULL;
	int rc = launch_variables(launch, &variables, err);
	if (rc < 0)
		return rc;
	const struct mxt_env_request env = {
	    .root = request->machine->root,
	    .caller = request->machine->environment,
	    .plan = request->plan,
	    .handoffs = mxt_plan_has_handoffs(request->plan) ? launch->handoffs : NULL,
	    .launch = variables,
	    .torch = request->torch,
	    .compiles = !request->config || launch->config.facts.compiles,
	    .launcher_reads_pet = request->config != NULL,
	    .writes_capitals =
		request->config ? request->launcher == MXT_LAUNCHER_ACCELERATE : starts_accelerate(request->command),
	    .axolotl = request->config != NULL,
	};
	return mxt_env_policy(&env, &launch->remarks, &launch->env, err);
}
