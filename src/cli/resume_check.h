/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the checkpoint that a training would go on from whole? The trainer loads its parts one by one and would fail after
 * minutes, or go on with what it finds.
 */
#ifndef MXT_CLI_RESUME_CHECK_H
#define MXT_CLI_RESUME_CHECK_H

#include "compiler.h"

struct mxt_axolotl_facts;
struct mxt_error;
struct mxt_remarks;

/*
 * resume_from_checkpoint, or with auto_resume_from_checkpoints the newest checkpoint-N in output_dir, as Axolotl
 * chooses it (its utils/train.py). One that is not whole is refused (MXT_E_CHECKPOINT_PARTIAL) with what it lacks and
 * the newest whole one beside it; what cannot be looked at becomes a warning. Relative paths are the working folder's,
 * as for the training. 0 or -ENOMEM.
 */
int mxt_resume_check(const struct mxt_axolotl_facts *facts, struct mxt_remarks *remarks, struct mxt_error *err) MXT_WUR;

#endif
