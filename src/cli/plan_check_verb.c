/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_check_verb.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "command.h"
#include "doctor.h"
#include "environ_list.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_diff.h"
#include "plan_fit.h"
#include "plan_handoff.h"
#include "plan_show.h"
#include "plan_software.h"
#include "print_json.h"
#include "recording.h"
#include "sysroot.h"
#include "workload_check.h"

static int check_use(const struct mxt_args *args, const struct mxt_plan *plan, struct mxt_error *err)
{
	const char *use = mxt_args_get(args, "for");
	if (!use)
		return 0;
	bool train = strcmp(use, "train") == 0;
	if (!train && strcmp(use, "run") != 0)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--for takes train or run, not '%s'", use);
	return mxt_plan_usable(plan, train ? MXT_PLAN_TRAIN : MXT_PLAN_RUN, mxt_args_has(args, "allow-simulated"), err);
}

static int print_check(const struct mxt_cli *cli, const struct mxt_args *args, const struct mxt_plan *plan,
		       const struct mxt_plan_fit *fit, struct mxt_error *err)
{
	bool fits = json_array_size(fit->differences) == 0;
	if (mxt_args_has(args, "json"))
		return mxt_print_json(cli->out,
				      json_pack("{s:s, s:i, s:s, s:b, s:b, s:s, s:b, s:O, s:s*}", "event", "check", "v",
						1, "plan_id", mxt_plan_id(plan), "self_test",
						mxt_plan_is_self_test(plan), "simulated", mxt_plan_is_simulated(plan),
						"device", fit->device, "fits", fits, "differences", fit->differences,
						"duty", mxt_plan_duty(plan)),
				      err);
	if (fits)
		(void)fprintf(cli->out, "plan %s%s fits this machine (%s)%s%s\n", mxt_plan_id(plan),
			      mxt_plan_marks(plan), fit->device,
			      mxt_args_has(args, "shapes") ? " and this recording" : "",
			      mxt_args_has(args, "config") ? " and this config" : "");
	if (mxt_plan_duty(plan))
		(void)fprintf(cli->out, "%s\n", mxt_plan_duty(plan));
	return 0;
}

/* Are the files that `plan env` wrote still what the plan says? Nothing of the machine is looked at. */
static int check_files(const struct mxt_cli *cli, const struct mxt_args *args, const struct mxt_plan *plan,
		       struct mxt_error *err)
{
	static const char *const others[] = {"python", "config", "shapes", "sysroot"};
	const char *dir = mxt_args_get(args, "files");
	for (size_t i = 0; i < MXT_ARRAY_LEN(others); i++)
		if (mxt_args_has(args, others[i]))
			return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
					     "plan check --files compares files only: it takes no --%s", others[i]);
	int rc = mxt_plan_verify_handoffs(plan, dir, err);
	if (rc < 0)
		return rc;
	if (mxt_args_has(args, "json"))
		return mxt_print_json(cli->out,
				      json_pack("{s:s, s:i, s:s, s:s}", "event", "files", "v", 1, "plan_id",
						mxt_plan_id(plan), "dir", dir),
				      err);
	if (mxt_plan_has_handoffs(plan))
		(void)fprintf(cli->out, "the hand-off files in %s are those of plan %s\n", dir, mxt_plan_id(plan));
	else
		(void)fprintf(cli->out, "plan %s hands no files over; nothing was compared\n", mxt_plan_id(plan));
	return 0;
}

/* Nothing is looked for where neither the plan nor the config names any. */
static int find_software(const struct mxt_plan *plan, const struct mxt_args *args, struct mxt_plan_machine *machine,
			 struct mxt_plan_software *here, struct mxt_error *err)
{
	bool bare = mxt_plan_is_self_test(plan) || mxt_plan_is_simulated(plan);
	if (bare && !mxt_args_has(args, "config"))
		return 0;
	int rc = mxt_plan_software_find(machine->root, machine->environment, mxt_args_get(args, "python"), here, err);
	return rc < 0 ? rc : mxt_plan_software_lend(here, plan, machine, err);
}

/* An empty --sysroot would silently be this machine. */
static int read_recorded(const struct mxt_sysroot *root, struct mxt_environ_list *ret_environment,
			 struct mxt_error *err)
{
	if (mxt_sysroot_is_live(root))
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--sysroot needs the name of a folder");
	int rc = mxt_doctor_require_machine(root, err);
	return rc < 0 ? rc : mxt_environ_list_read(root, ret_environment, err);
}

/* Appends where the plan is for another workload than the config's; models are looked for here, not in a record. */
static int compare_config(const struct mxt_cli *cli, const char *config, const struct mxt_plan *plan,
			  const struct mxt_plan_software *here, struct mxt_plan_fit *fit, struct mxt_error *err)
{
	const struct mxt_workload_check_request request = {.plan = plan,
							   .config = config,
							   .environment = cli->environment,
							   .packages = &here->packages,
							   .torch = here->torch ? here->version.version : NULL};
	MXT_CLEANUP_JSON json_t *differences = NULL;
	int rc = mxt_workload_differences(&request, &differences, err);
	if (json_array_size(fit->differences) == 0)
		fit->part = MXT_PLAN_PART_CONFIG;
	if (rc == 0 && json_array_extend(fit->differences, differences) < 0)
		rc = mxt_error_oom(err);
	return rc;
}

static int check_machine(const struct mxt_cli *cli, const struct mxt_args *args, const struct mxt_plan *plan,
			 struct mxt_plan_machine *machine, struct mxt_error *err)
{
	MXT_CLEANUP(mxt_plan_fit_finish) struct mxt_plan_fit fit = MXT_PLAN_FIT_INIT;
	MXT_CLEANUP_PLAN_SOFTWARE struct mxt_plan_software here = MXT_PLAN_SOFTWARE_INIT;
	const char *config = mxt_args_get(args, "config");
	int rc = find_software(plan, args, machine, &here, err);
	if (rc == 0)
		rc = mxt_plan_fit(plan, machine, &fit, err);
	if (rc == 0 && json_array_size(fit.differences) == 0)
		rc = mxt_plan_fit_count(&fit, plan, machine, err);
	if (rc == 0 && config)
		rc = compare_config(cli, config, plan, &here, &fit, err);
	if (rc == 0)
		rc = print_check(cli, args, plan, &fit, err);
	return rc < 0 ? rc : mxt_plan_fit_verdict(&fit, err);
}

int mxt_plan_check_verb(const struct mxt_cli *cli, const struct mxt_args *args, const struct mxt_plan *plan,
			struct mxt_error *err)
{
	const char *sysroot = mxt_args_get(args, "sysroot");
	const struct mxt_sysroot root = {.prefix = sysroot ? sysroot : ""};
	MXT_CLEANUP_ENVIRON struct mxt_environ_list recorded = MXT_ENVIRON_LIST_INIT;
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = NULL;
	int rc = check_use(args, plan, err);
	if (rc == 0 && mxt_args_has(args, "files"))
		return check_files(cli, args, plan, err);
	if (rc == 0 && mxt_args_has(args, "shapes"))
		rc = mxt_recording_read(mxt_args_get(args, "shapes"), &recording, err);
	if (rc == 0 && sysroot)
		rc = read_recorded(&root, &recorded, err);
	struct mxt_plan_machine machine = {.root = &root,
					   .environment = sysroot ? recorded.entries : cli->environment,
					   .recorded = recording ? recording->hash : NULL};
	return rc < 0 ? rc : check_machine(cli, args, plan, &machine, err);
}
