/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.json (mindxtrain.job/1): what a run was started on and with, beside what other files of its folder say. Paths
 * that cannot be written down as text are left out.
 *
 *   {"schema", "tool": version,
 *    "directory":  where the command was started,
 *    "platform", "stack": as found here, in the form of the plan's,
 *    "packages":   versions of what is installed of python_packages.def, in the Python that trains,
 *    "git":        see mxt_git_state(), of the directory,
 *    "overrides":  of `train`: Axolotl's arguments, secrets masked; left out when there are none,
 *    "output_dir": of `train`: where the training writes, absolute,
 *    "datasets":   of `train`: see mxt_job_datasets()}
 */
#ifndef MXT_LAUNCH_JOB_RECORD_H
#define MXT_LAUNCH_JOB_RECORD_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;
struct mxt_launch;

/* New reference. The launch is prepared. */
int mxt_job_record(const struct mxt_launch *launch, json_t **ret_record, struct mxt_error *err) MXT_WUR;

#endif
