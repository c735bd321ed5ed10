/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verifying through the installed library: a request that owns its strings, and the report of it.
 */
#include <mindxtrain/mindxtrain.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "verify.h"

struct mxt_verification {
	const struct mxt_manifest *manifest; /* borrowed */
	char *run_folder, *plan, *checkpoint;
	char **datasets; /* NULL-ended; NULL: none was added */
	size_t n_datasets;
	bool allows_extra;
	unsigned threads;
	struct mxt_verify_report report;
};

void mxt_verification_destroy(struct mxt_verification *verification)
{
	if (!verification)
		return;
	for (size_t i = 0; i < verification->n_datasets; i++)
		free(verification->datasets[i]);
	free(verification->datasets);
	free(verification->run_folder);
	free(verification->plan);
	free(verification->checkpoint);
	mxt_verify_report_finish(&verification->report);
	free(verification);
}

/* Replaces an owned string. */
static int set(char **slot, const char *text, struct mxt_error *err)
{
	char *copy = strdup(text);
	if (!copy)
		return mxt_error_oom(err);
	free(*slot);
	*slot = copy;
	return 0;
}

int mxt_verification_create(const struct mxt_manifest *manifest, const char *run_folder,
			    struct mxt_verification **ret_verification, struct mxt_error *err)
{
	struct mxt_verification *verification = calloc(1, sizeof *verification);
	if (!verification)
		return mxt_error_oom(err);
	verification->manifest = manifest;
	int rc = set(&verification->run_folder, run_folder, err);
	if (rc < 0)
		mxt_verification_destroy(verification);
	else
		*ret_verification = verification;
	return rc;
}

int mxt_verification_set_plan(struct mxt_verification *verification, const char *path, struct mxt_error *err)
{
	return set(&verification->plan, path, err);
}

int mxt_verification_set_checkpoint(struct mxt_verification *verification, const char *path, struct mxt_error *err)
{
	return set(&verification->checkpoint, path, err);
}

int mxt_verification_add_dataset(struct mxt_verification *verification, const char *path, struct mxt_error *err)
{
	size_t n = verification->n_datasets;
	char **datasets = reallocarray(verification->datasets, n + 2, sizeof *datasets);
	if (!datasets)
		return mxt_error_oom(err);
	verification->datasets = datasets;
	datasets[n] = datasets[n + 1] = NULL;
	int rc = set(&datasets[n], path, err);
	if (rc == 0)
		verification->n_datasets++;
	return rc;
}

void mxt_verification_allow_extra(struct mxt_verification *verification, bool allow)
{
	verification->allows_extra = allow;
}

void mxt_verification_set_threads(struct mxt_verification *verification, unsigned threads)
{
	verification->threads = threads;
}

int mxt_verification_run(struct mxt_verification *verification, struct mxt_error *err)
{
	const struct mxt_verify_request request = {
	    .manifest = verification->manifest,
	    .run_folder = verification->run_folder,
	    .plan = verification->plan,
	    .datasets = verification->datasets,
	    .checkpoint = verification->checkpoint,
	    .allows_extra = verification->allows_extra,
	    .threads = verification->threads,
	};
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	mxt_verify_report_finish(&verification->report);
	verification->report = (struct mxt_verify_report)MXT_VERIFY_REPORT_INIT;
	int rc = mxt_verify(&request, &report, err);
	if (rc < 0)
		return rc;
	verification->report = report;
	report = (struct mxt_verify_report)MXT_VERIFY_REPORT_INIT;
	return 0;
}

size_t mxt_verification_finding_count(const struct mxt_verification *verification)
{
	return verification->report.count;
}

const struct mxt_finding *mxt_verification_finding(const struct mxt_verification *verification, size_t i)
{
	return &verification->report.findings[i];
}

uint64_t mxt_verification_bytes(const struct mxt_verification *verification)
{
	return verification->report.bytes_hashed;
}

const char *mxt_finding_word(const struct mxt_finding *finding)
{
	return mxt_finding_name(finding->kind);
}

size_t mxt_finding_list(const struct mxt_finding *finding)
{
	return finding->list;
}

const char *mxt_finding_path(const struct mxt_finding *finding)
{
	return finding->path;
}

const char *mxt_finding_expected(const struct mxt_finding *finding)
{
	return finding->expected;
}

const char *mxt_finding_found(const struct mxt_finding *finding)
{
	return finding->found;
}
