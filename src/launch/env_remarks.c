/* SPDX-License-Identifier: Apache-2.0 */
#include "env_remarks.h"

#include <string.h>

#include "buf.h"
#include "env_changes.h"
#include "env_policy.h"
#include "environ.h"
#include "job_tuning.h"
#include "printable.h"
#include "remarks.h"
#include "variables.h"

/* "=1" where the value may be shown, else nothing. */
static const char *shown_value(const char *name, const char *value, char buf[MXT_PRINTABLE_SIZE])
{
	return mxt_variable_shows(name, value) ? mxt_printable(value, buf) : "...";
}

static void refuse_tuning(const struct mxt_job_tuning *row, const char *value, struct mxt_remarks *remarks)
{
	char shown[MXT_PRINTABLE_SIZE];
	MXT_CLEANUP_BUF struct mxt_buf remedy = MXT_BUF_INIT;
	if (row->still[0])
		mxt_buf_printf(&remedy, "set %s=%s, or ", row->still, row->still_value);
	remarks->failed = remarks->failed || remedy.failed;
	mxt_remark_refuse(remarks, MXT_E_LAUNCH_JIT, MXT_ALLOW_JIT, "%s=%s: %s while the job runs; %sunset it",
			  row->name, shown_value(row->name, value, shown), row->what, mxt_buf_text(&remedy));
}

/* What the caller asked for and will not happen: the caller should know. */
static void note_stilled(const struct mxt_job_tuning *row, const char *value, const struct mxt_env_changes *changes,
			 struct mxt_remarks *remarks)
{
	char shown[MXT_PRINTABLE_SIZE];
	const struct mxt_env_change *own = mxt_env_changes_find(changes, row->name, strlen(row->name));
	const char *name = own ? row->name : row->still;
	const struct mxt_env_change *change = own ? own : mxt_env_changes_find(changes, name, strlen(name));
	mxt_remark_note(remarks, "%s=%s asks that %s while the job runs; it does not: the %s %s%s%s%s", row->name,
			shown_value(row->name, value, shown), row->what, change ? change->by : "plan",
			change && change->to ? "sets " : "removes ", name, change && change->to ? "=" : "",
			change && change->to ? change->to : "");
}

static void remark_tuning(const struct mxt_env_request *request, const struct mxt_env_changes *changes,
			  char *const *environment, struct mxt_remarks *remarks)
{
	for (size_t i = 0; i < mxt_job_tuning_count(); i++) {
		const struct mxt_job_tuning *row = mxt_job_tuning_at(i);
		const char *asked = mxt_environ_get(environment, row->name);
		if (mxt_job_tuning_asked(row, environment))
			refuse_tuning(row, asked, remarks);
		else if (mxt_job_tuning_asked(row, request->caller))
			note_stilled(row, mxt_environ_get(request->caller, row->name), changes, remarks);
	}
}

void mxt_env_remarks(const struct mxt_env_request *request, const struct mxt_env_changes *changes,
		     char *const *environment, struct mxt_remarks *remarks)
{
	remark_tuning(request, changes, environment, remarks);
}
