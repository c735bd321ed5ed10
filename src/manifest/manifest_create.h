/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the manifest of a run from its folder, whoever started the run: what a folder of `train` or `run` holds is
 * taken from it; of any other folder there are lists only, and what is known here and now.
 */
#ifndef MXT_MANIFEST_MANIFEST_CREATE_H
#define MXT_MANIFEST_MANIFEST_CREATE_H

#include <stdint.h>

#include "compiler.h"
#include "hash_files.h"

struct mxt_error;
struct mxt_manifest;

struct mxt_manifest_request {
	const char *run_folder;
	char *const *datasets;  /* NULL-ended; NULL: what job.json says */
	const char *checkpoint; /* NULL: what job.json says */
	const char *config;     /* the config of a run whose folder has none; NULL: what the folder has */
	unsigned threads;
	struct mxt_hash_watch watch;
	char *const *environment; /* for git, in a folder of another launcher */
	int64_t now_ns;           /* CLOCK_REALTIME */
	const char *cache;        /* folder of quick caches, which learn what was hashed; NULL: none does */
};

/*
 * Of a run that did not end well, datasets and checkpoint that only job.json names are not hashed. What is wrong with a
 * place that the request names is an error; one that job.json names and that is not there is told in "not_listed". A
 * checkpoint that is not whole is MXT_E_CHECKPOINT_PARTIAL.
 */
int mxt_manifest_create(const struct mxt_manifest_request *request, struct mxt_manifest **ret_manifest,
			struct mxt_error *err) MXT_WUR;

#endif
