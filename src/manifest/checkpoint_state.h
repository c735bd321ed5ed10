/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a checkpoint is whole, as far as sizes, headers and ends tell; contents are not looked at:
 *
 *   *.safetensors        as long as its header says
 *   *.index.json         every part that it names is there; above 4 MB it is not looked at
 *   *.pt, *.pth, *.bin   not empty; where it is a zip archive, as torch.save() writes, it has the end of one
 *   trainer_state.json   ends as an object does
 */
#ifndef MXT_MANIFEST_CHECKPOINT_STATE_H
#define MXT_MANIFEST_CHECKPOINT_STATE_H

#include "compiler.h"

struct mxt_error;
struct mxt_file_list;

/*
 * MXT_E_CHECKPOINT_PARTIAL (or MXT_E_SAFETENSORS, for a header that is wrong) with the file and what is missing; 0:
 * nothing is known to be. Links are not looked at. `root_fd`: of the list, which is sorted (tree.h). MXT_E_TREE_CHANGED
 * for a file that is no longer there.
 */
int mxt_checkpoint_check(int root_fd, const struct mxt_file_list *list, struct mxt_error *err) MXT_WUR;

/* The same for a folder, such as a checkpoint that a training is to go on from; errors of mxt_tree_list(). */
int mxt_checkpoint_check_folder(const char *folder, struct mxt_error *err) MXT_WUR;

#endif
