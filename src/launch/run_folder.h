/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OUT/<run>/: everything that a run was started with and what came of it. Made anew for every run, mode 0700; files
 * appear in one piece (what was being written when the program was killed is a hidden file, ".NAME.new"). Nothing in it
 * holds a secret, as far as one can be told (secret_text.h).
 *
 *   plan.json           the plan, byte by byte
 *   run.yaml            the config as given; run.axolotl.yaml: as Axolotl got it
 *   accelerate.yaml     the generated config of accelerate
 *   env.json            see mxt_env_record()
 *   argv.json           the command, arguments that hold secrets masked
 *   train.log           what the command wrote, both streams, as it came
 *   handoff/            files that other tools read
 *   ranks/              what processes of the training leave: witnesses, recordings
 *   status.json         how far it is and how it ended
 */
#ifndef MXT_LAUNCH_RUN_FOLDER_H
#define MXT_LAUNCH_RUN_FOLDER_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_error;

struct mxt_run_folder {
	char *path; /* owned, absolute */
	char *name; /* owned: its last part */
	int fd;     /* the folder, locked (flock(2)) for as long as it is open: somebody fills it */
	int log_fd; /* train.log; -1 until mxt_run_folder_log() */
};
#define MXT_RUN_FOLDER_INIT                                                                                            \
	{                                                                                                              \
		NULL, NULL, -1, -1                                                                                     \
	}
#define MXT_CLEANUP_RUN_FOLDER MXT_CLEANUP(mxt_run_folder_finish)

/*
 * Makes OUT with its parents if need be, and in it a folder that no other run has: 20261130-172241-3fa8b2c1, the time
 * (UTC), the start of the plan's id, on other nodes than the first -node1, and -2 and so on where the name is taken.
 * `seconds`: since the epoch; `plan_id` NULL: there is no plan yet. MXT_E_LAUNCH_FOLDER.
 */
int mxt_run_folder_make(struct mxt_run_folder *ret_folder, const char *out, int64_t seconds, const char *plan_id,
			int64_t node, struct mxt_error *err) MXT_WUR;
void mxt_run_folder_finish(struct mxt_run_folder *folder);

/* The path of a file in it, for the caller to free; NULL: memory ran out. */
char *mxt_run_folder_file(const struct mxt_run_folder *folder, const char *name) MXT_WUR;

/*
 * A new file, or one of ours replaced, in one piece; `name` has no slash. The JSON is canonical, with a newline. It is
 * not waited for until the bytes are on the disk, which takes milliseconds for each: see mxt_run_folder_settle().
 */
int mxt_run_folder_write(const struct mxt_run_folder *folder, const char *name, const void *bytes, size_t len,
			 struct mxt_error *err) MXT_WUR;
int mxt_run_folder_write_json(const struct mxt_run_folder *folder, const char *name, const json_t *json,
			      struct mxt_error *err) MXT_WUR;

/* The last status.json: what the folder holds is on the disk before it, and then it is, too. */
int mxt_run_folder_settle(const struct mxt_run_folder *folder, const json_t *status, struct mxt_error *err) MXT_WUR;

/* Makes a folder in it; *ret_path is its absolute path, for the caller to free. */
int mxt_run_folder_subfolder(const struct mxt_run_folder *folder, const char *name, char **ret_path,
			     struct mxt_error *err) MXT_WUR;

/* Opens train.log for appending: folder->log_fd. Sets room aside for the last status.json, however full the disk gets.
 */
int mxt_run_folder_log(struct mxt_run_folder *folder, struct mxt_error *err) MXT_WUR;

#endif
