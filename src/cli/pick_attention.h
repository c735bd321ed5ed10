/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the config and the packages of the Python that trains to what computes attention today.
 */
#ifndef MXT_CLI_PICK_ATTENTION_H
#define MXT_CLI_PICK_ATTENTION_H

#include "attention_today.h"
#include "compiler.h"

struct mxt_device_ops;
struct mxt_error;
struct mxt_machine;
struct mxt_workload;

/*
 * `python`: the value of --python, or NULL. Tells the workload what follows (mxt_attention_today_apply).
 * MXT_E_NO_PYTHON, or -ENOMEM.
 */
int mxt_attention_pick(const struct mxt_machine *machine, const char *python, const struct mxt_device_ops *ops,
		       struct mxt_workload *workload, struct mxt_today *ret_today, struct mxt_error *err) MXT_WUR;

#endif
