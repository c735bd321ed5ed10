/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a run, whoever filled it: what a manifest takes from its files is of the restricted JSON.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "error.h"
#include "file_list.h"
#include "fuzz_tree.h"
#include "json.h"
#include "run_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NOLINTNEXTLINE(readability-non-const-parameter): a list's root is not const */
static void describe(const struct mxt_run_record *record, char *folder)
{
	const struct mxt_file_list list = {.root = folder};
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *document = json_object();
	int rc = document ? mxt_run_record_describe(record, &list, document, NULL) : -1;
	assert(rc == 0);
	rc = mxt_json_canonical(document, &text, NULL);
	assert(rc == 0);
	(void)rc;
	(void)mxt_run_record_ended_well(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = MXT_FUZZ_ROOT, path[] = "PATH=/nowhere"; /* what git prints has a target of its own */
	char *const environment[] = {path, NULL};
	MXT_CLEANUP_RUN_RECORD struct mxt_run_record record = MXT_RUN_RECORD_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (!mxt_fuzz_tree_make(folder, data, size))
		return 0;
	int rc = mxt_run_record_read(folder, environment, &record, &err);
	assert(rc == 0 || (rc < 0 && err.id != MXT_E_NONE));
	if (rc == 0)
		describe(&record, folder);
	mxt_fuzz_tree_remove(folder);
	return 0;
}
