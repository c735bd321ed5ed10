/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the recorded processes leave what they saw: a private folder that lives as long as the command.
 *
 *   part-RANK-PID.json   a complete recording of one process, put there in one piece
 *   state-PID.json       {"steps": N}: how many optimizer steps it has made
 *   torch                some process imported torch; torch-too-old: one without hooks of optimizers
 *   unwritten            a part could not be written
 */
#ifndef MXT_LAUNCH_RECORD_FOLDER_H
#define MXT_LAUNCH_RECORD_FOLDER_H

#include <jansson.h>
#include <stdbool.h>

#include "compiler.h"

struct mxt_error;

/* The folder ranks/ of a run is one, too: it is made by others, and stays. */
struct mxt_record_folder {
	char *path; /* owned */
};

/* Below TMPDIR, or /tmp. */
int mxt_record_folder_make(struct mxt_record_folder *folder, char *const *environment, struct mxt_error *err) MXT_WUR;

/* Removes it with all that is in it; tolerates one that was never made. */
void mxt_record_folder_remove(struct mxt_record_folder *folder);

bool mxt_record_folder_has_parts(const struct mxt_record_folder *folder);
bool mxt_record_folder_has(const struct mxt_record_folder *folder, const char *name);

/* The most optimizer steps that a process has made; 0: none was seen. */
int64_t mxt_record_folder_steps(const struct mxt_record_folder *folder);

/* All parts, checked and merged in the order of their ranks: new reference. MXT_E_RECORDING, MXT_E_JSON_*. */
int mxt_record_folder_merge(const struct mxt_record_folder *folder, json_t **ret_document,
			    struct mxt_error *err) MXT_WUR;

#endif
