/* SPDX-License-Identifier: Apache-2.0 */
#include "hook_environment.h"

#include <stdio.h>

#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "error.h"
#include "json.h"
#include "plan_settings.h"
#include "python_folder.h"

static json_t *python_path(char *const *caller, const char *python)
{
	const char *old = mxt_environ_get(caller, "PYTHONPATH");
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/hook:%s%s%s", python, python, old && *old ? ":" : "", old ? old : "");
	return path.failed ? NULL : json_string_nocheck(mxt_buf_text(&path)); /* names of folders need not be UTF-8 */
}

/* What an outer run set for its own plan is emptied where this one sets nothing. */
static int set_text(json_t *environment, char *const *caller, const char *name, const char *value)
{
	if (!value && mxt_environ_get(caller, name))
		value = "";
	return value ? json_object_set_new(environment, name, json_string_nocheck(value)) : 0;
}

int mxt_hook_environment(char *const *caller, const struct mxt_plan *plan, const char *ranks, bool records,
			 json_t **ret_environment, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *python = NULL;
	struct mxt_plan_settings settings = {.sdpa = NULL};
	char steps[16];
	int rc = mxt_python_folder(caller, &python, err);
	if (rc == 0)
		rc = mxt_plan_settings(plan, &settings, err);
	if (rc < 0)
		return rc;
	(void)snprintf(steps, sizeof steps, "%d", MXT_HOOK_STEPS);
	MXT_CLEANUP_JSON json_t *environment = json_object();
	if (!environment || json_object_set_new(environment, "PYTHONPATH", python_path(caller, python)) < 0 ||
	    set_text(environment, caller, "MXT_LAUNCH_DIR", ranks) < 0 ||
	    set_text(environment, caller, "MXT_LAUNCH_STEPS", records ? steps : NULL) < 0 ||
	    set_text(environment, caller, "MXT_LAUNCH_SDPA", settings.sdpa) < 0 ||
	    set_text(environment, caller, "MXT_LAUNCH_DETERMINISTIC", settings.deterministic ? "1" : NULL) < 0)
		return mxt_error_oom(err);
	*ret_environment = mxt_steal_ptr(&environment);
	return 0;
}
