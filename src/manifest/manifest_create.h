/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the manifest of a run from its folder, whoever started the run: what a folder of `train` or `run` holds is
 * taken from it; of any other folder there are lists only, and what is known here and now.
 */
#ifndef MXT_MANIFEST_MANIFEST_CREATE_H
#define MXT_MANIFEST_MANIFEST_CREATE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "hash_files.h"

struct mxt_error;
struct mxt_manifest;

struct mxt_manifest_request {
	const char *run_folder;
	char *const *datasets;  /* NULL-ended; NULL: what job.json says */
	const char *checkpoint; /* NULL: what job.json says */
	bool run_folder_only;   /* datasets and checkpoint are named, not hashed: of a run that failed */
	unsigned threads;
	struct mxt_hash_watch watch;
	int64_t seconds; /* since the epoch */
};

int mxt_manifest_create(const struct mxt_manifest_request *request, struct mxt_manifest **ret_manifest,
			struct mxt_error *err) MXT_WUR;

/*
 * manifest.json, manifest.b3 and manifest.ROLE[-N].b3 in the run's folder. At any moment manifest.json is the old one
 * or the new one, and no list of another manifest lies beside it. *ret_left_out: names that the lists cannot hold.
 */
int mxt_manifest_write(const struct mxt_manifest *manifest, const char *run_folder, size_t *ret_left_out,
		       struct mxt_error *err) MXT_WUR;

#endif
