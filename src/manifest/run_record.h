/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the folder of a run says of it (docs/launching.md), for its manifest.
 */
#ifndef MXT_MANIFEST_RUN_RECORD_H
#define MXT_MANIFEST_RUN_RECORD_H

#include <jansson.h>
#include <stdbool.h>

#include "buf.h"
#include "compiler.h"
#include "file_list.h"

struct mxt_error;

/* All owned; what is not there is NULL, but for the first three. */
struct mxt_run_record {
	bool ours;           /* a folder of `train` or `run`; of another launcher's nothing but the job is known */
	json_t *read;        /* {name: BLAKE3} of every file that was read */
	json_t *status;      /* status.json; of another launcher's run empty */
	json_t *job;         /* job.json; of another launcher's run what is known here: see the manifest's "job" */
	json_t *plan;        /* {"plan_id", "blake3", "simulated"} */
	json_t *env, *argv;  /* env.json, argv.json */
	json_t *config;      /* the manifest's "config" */
	struct mxt_buf yaml; /* the config as it ran; empty where there is none */
};
#define MXT_RUN_RECORD_INIT                                                                                            \
	{                                                                                                              \
		.status = NULL                                                                                         \
	}
#define MXT_CLEANUP_RUN_RECORD MXT_CLEANUP(mxt_run_record_finish)
void mxt_run_record_finish(struct mxt_run_record *record);

/*
 * Reads them, as untrusted. `environment`: for git, where the run was another launcher's. MXT_E_MANIFEST_RUN for files
 * that contradict each other, and for a run that has not ended; else what reading fails with.
 */
int mxt_run_record_read(const char *folder, char *const *environment, struct mxt_run_record *ret_record,
			struct mxt_error *err) MXT_WUR;

/*
 * Takes the file at `path`, anywhere, for the config that the run had. MXT_E_MANIFEST_RUN where the folder has one
 * itself, and for an empty one; else what reading fails with.
 */
int mxt_run_record_take_config(struct mxt_run_record *record, const char *path, struct mxt_error *err) MXT_WUR;

/* Did it end as it should: the command with 0, and nothing contradicts it? A run of another launcher is taken to. */
bool mxt_run_record_ended_well(const struct mxt_run_record *record);

/* MXT_E_TREE_CHANGED unless what was read is what is in the list of the run's folder, which is hashed. */
int mxt_run_record_check(const struct mxt_run_record *record, const struct mxt_file_list *list,
			 struct mxt_error *err) MXT_WUR;

/*
 * Adds "run", "plan", "config", "environment", "argv", "job" and "proof" to a manifest. `list`: of the run's folder,
 * hashed; the run is called as the folder is.
 */
int mxt_run_record_describe(const struct mxt_run_record *record, const struct mxt_file_list *list, json_t *document,
			    struct mxt_error *err) MXT_WUR;

#endif
