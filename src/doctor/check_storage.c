/* SPDX-License-Identifier: Apache-2.0 */
/* Room for what training writes: shared memory, checkpoints, temporary files. */
#include <inttypes.h>
#include <stdbool.h>

#include "check_result.h"
#include "checks.h"
#include "compiler.h"
#include "disk_space.h"
#include "size_text.h"
#include "survey.h"

static const struct storage_row {
	const char *path, *key, *title;
	bool by_total; /* what matters is how large it is, not how much is free now */
	uint64_t warn_below, note_below;
	const char *wrong, *todo;
} storage_rows[] = {
    {"/dev/shm", "shm", "shared memory (/dev/shm)", true, MXT_GIB, 0,
     "data loaders with workers hand batches over in it: \"bus error\" or \"out of shared memory\"",
     "docker run --shm-size=16g (or --ipc=host); elsewhere as root: mount -o remount,size=16G /dev/shm"},
    {".", "here", "current directory", false, MXT_GIB, 20 * MXT_GIB,
     "checkpoints go here unless the config says otherwise; one of an 8B model in bf16 takes 16 GB",
     "make room, or set output_dir to a larger file system"},
    {"/tmp", "tmp", "temporary files (/tmp)", false, MXT_GIB, 0,
     "compilers and kernel caches write here, and fail in the middle of a run", "make room, or set TMPDIR"},
};

static void find_storage(const struct mxt_survey *survey, const struct storage_row *row,
			 struct mxt_check_result *result)
{
	struct mxt_disk_space space = mxt_disk_space_read(survey->root, row->path, &result->failed);
	struct mxt_reading reading = row->by_total ? space.total_bytes : space.free_bytes;
	char size[MXT_SIZE_TEXT];
	mxt_fact_number(result, row->key, reading);
	if (!reading.reported) {
		mxt_find(result, MXT_CHECK_OK, "%s: not reported", row->title);
		return;
	}
	enum mxt_check_status status = reading.value < row->warn_below   ? MXT_CHECK_WARN
				       : reading.value < row->note_below ? MXT_CHECK_NOTE
									 : MXT_CHECK_OK;
	mxt_find(result, status, "%s: %s%s", row->title, mxt_size_text(size, reading.value),
		 row->by_total ? "" : " free");
	if (status == MXT_CHECK_OK)
		return;
	mxt_wrong(result, "%s", row->wrong);
	mxt_todo(result, "%s", row->todo);
}

void mxt_check_storage(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(storage_rows); i++)
		find_storage(survey, &storage_rows[i], result);
}
