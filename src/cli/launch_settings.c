/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "error.h"
#include "remarks.h"

#define DEFAULT_OUT     "runs"
#define DEFAULT_GRACE_S 45
#define MAX_GRACE_S     86400
/* A scheduler kills what is left so long after its TERM; what is to be said and written needs a little of it. */
#define KILL_WAIT_RESERVE_S 5

void mxt_launch_settings_finish(struct mxt_launch_settings *settings)
{
	free(settings->operands);
	*settings = (struct mxt_launch_settings)MXT_LAUNCH_SETTINGS_INIT;
}

static unsigned allowances(const struct mxt_args *args)
{
	return (mxt_args_has(args, "allow-mismatch") ? MXT_ALLOW_MISMATCH : 0U) |
	       (mxt_args_has(args, "allow-simulated") ? MXT_ALLOW_SIMULATED : 0U) |
	       (mxt_args_has(args, "allow-jit") ? MXT_ALLOW_JIT : 0U);
}

static int check(const struct mxt_launch_settings *settings, struct mxt_error *err)
{
	if (!settings->plan || strcmp(settings->plan, "-") == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "say which plan to run under: --plan plan.json (mindxtrain autotune makes one)");
	if (settings->out[0] == '\0')
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--out needs the name of a folder");
	return 0;
}

static int copy_operands(const struct mxt_args *args, char ***ret_operands, struct mxt_error *err)
{
	char **operands = calloc((size_t)args->n_operands + 1, sizeof *operands);
	if (!operands)
		return mxt_error_oom(err);
	for (int i = 0; i < args->n_operands; i++)
		operands[i] = args->operands[i];
	*ret_operands = operands;
	return 0;
}

int mxt_launch_settings_parse(const struct mxt_args *args, struct mxt_launch_settings *ret_settings,
			      struct mxt_error *err)
{
	struct mxt_launch_settings settings = {.plan = mxt_args_get(args, "plan"),
					       .out =
						   mxt_args_has(args, "out") ? mxt_args_get(args, "out") : DEFAULT_OUT,
					       .python = mxt_args_get(args, "python"),
					       .prints = mxt_args_has(args, "print"),
					       .records = !mxt_args_has(args, "no-coverage"),
					       .makes_manifest = !mxt_args_has(args, "no-manifest"),
					       .requires_proof = mxt_args_has(args, "require-proof"),
					       .allowed = allowances(args),
					       .grace_given = mxt_args_has(args, "grace"),
					       .grace_s = DEFAULT_GRACE_S};
	int rc = check(&settings, err);
	if (rc == 0)
		rc = mxt_args_int(args, "grace", 0, MAX_GRACE_S, &settings.grace_s, err);
	if (rc == 0)
		rc = copy_operands(args, &settings.operands, err);
	if (rc == 0)
		*ret_settings = settings;
	return rc;
}

int64_t mxt_launch_settings_grace_s(const struct mxt_launch_settings *settings, int64_t kill_wait_s)
{
	if (settings->grace_given || kill_wait_s == 0)
		return settings->grace_s;
	int64_t most = kill_wait_s > KILL_WAIT_RESERVE_S ? kill_wait_s - KILL_WAIT_RESERVE_S : 1;
	return settings->grace_s < most ? settings->grace_s : most;
}
