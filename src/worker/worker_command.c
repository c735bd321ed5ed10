/* SPDX-License-Identifier: Apache-2.0 */
#include "worker_command.h"

#include <errno.h>
#include <stdio.h>

#include "environ.h"
#include "error.h"
#include "python_folder.h"

/* An argument that does not fit is left out; the longest list is that of the switches, which are only told of. */
static void add(struct mxt_worker_command *command, size_t *n, const char *option, const char *value)
{
	if (!value || *n + 2 >= MXT_WORKER_MAX_ARGUMENTS)
		return;
	command->argv[(*n)++] = option;
	command->argv[(*n)++] = value;
}

/* What both kinds of workers take. */
static void add_common(struct mxt_worker_command *command, size_t *n, const struct mxt_worker_spec *spec)
{
	add(command, n, "--device", spec->device);
	add(command, n, "--ordinal", command->ordinal);
	add(command, n, "--label", spec->label);
	add(command, n, "--torch", spec->target.torch);
	add(command, n, "--probe", spec->target.probe);
	if (spec->target.deterministic && *n + 1 < MXT_WORKER_MAX_ARGUMENTS)
		command->argv[(*n)++] = "--deterministic";
}

/* The selectors that are set: facts, for they may be all that tells one worker from another. */
static void add_switches(struct mxt_worker_command *command, size_t *n, const struct mxt_worker_spec *spec)
{
	const struct mxt_device_ops *ops = mxt_device_find(spec->device);
	for (const char *const *name = ops ? ops->selectors : NULL; name && *name; name++)
		if (mxt_environ_get(spec->environment, *name))
			add(command, n, "--switch", *name);
}

static int python_command(struct mxt_worker_command *command, const struct mxt_worker_spec *spec, struct mxt_error *err)
{
	if (!spec->target.python)
		return mxt_error_set(err, -ENOENT, MXT_E_PYTHON_PROVIDER,
				     "%s computes in Python, and no Python was found; name it with --python",
				     spec->provider);
	int rc = mxt_python_script(spec->environment, "worker.py", &command->script, err);
	if (rc < 0)
		return rc;
	size_t n = 2;
	command->program = spec->target.python;
	command->argv[0] = spec->target.python; /* by which a virtual environment knows itself */
	command->argv[1] = mxt_buf_text(&command->script);
	add(command, &n, "--provider", spec->provider);
	add_common(command, &n, spec);
	add_switches(command, &n, spec);
	return 0;
}

int mxt_worker_command_init(struct mxt_worker_command *command, const struct mxt_worker_spec *spec,
			    struct mxt_error *err)
{
	*command = (struct mxt_worker_command){.script = MXT_BUF_INIT};
	(void)snprintf(command->ordinal, sizeof command->ordinal, "%u", spec->target.ordinal);
	if (spec->provider)
		return python_command(command, spec, err);
	size_t n = 2;
	command->program = spec->program ? spec->program : "/proc/self/exe";
	command->argv[0] = "mindxtrain";
	command->argv[1] = "worker";
	add_common(command, &n, spec);
	return 0;
}

void mxt_worker_command_finish(struct mxt_worker_command *command)
{
	mxt_buf_finish(&command->script);
}
