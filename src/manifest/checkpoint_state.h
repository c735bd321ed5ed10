/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a checkpoint is whole: every safetensors file as long as its header says, every shard of an index there.
 */
#ifndef MXT_MANIFEST_CHECKPOINT_STATE_H
#define MXT_MANIFEST_CHECKPOINT_STATE_H

#include "compiler.h"

struct mxt_error;
struct mxt_file_list;

/*
 * MXT_E_CHECKPOINT_PARTIAL with the file and what is missing; 0: nothing is known to be. Looks at sizes and headers
 * only. `root_fd`: of the list (tree.h).
 */
int mxt_checkpoint_check(int root_fd, const struct mxt_file_list *list, struct mxt_error *err) MXT_WUR;

/* The same for a folder, such as a checkpoint that a training is to go on from. */
int mxt_checkpoint_check_folder(const char *folder, struct mxt_error *err) MXT_WUR;

#endif
