/* SPDX-License-Identifier: Apache-2.0 */
#include "make_manifest.h"

#include <stdio.h>

#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "file.h"
#include "hash_meter.h"
#include "manifest.h"
#include "manifest_create.h"
#include "manifest_files.h"
#include "quick_cache.h"
#include "run_files.h"

/* Hours of hashing are not spent on a folder that nothing can be written to. */
static int check_writable(const char *folder, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/" MXT_RUN_MANIFEST, folder);
	int rc = mxt_buf_status(&path, err);
	if (rc < 0)
		return rc;
	mxt_file_drop_link(path.data);
	return mxt_file_check_writable(path.data, err);
}

int mxt_make_manifest(const struct mxt_cli *cli, struct mxt_manifest_request *request,
		      struct mxt_manifest **ret_manifest, size_t *ret_left_out, struct mxt_error *err)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	const struct mxt_hash_meter_request shown = {.out = stderr, .environment = cli->environment};
	MXT_CLEANUP_BUF struct mxt_buf cache = MXT_BUF_INIT;
	struct mxt_hash_meter meter;
	int rc = check_writable(request->run_folder, err);
	mxt_quick_cache_folder(cli->environment, &cache);
	if (rc == 0)
		rc = mxt_hash_meter_start(&meter, &shown, err);
	if (rc < 0)
		return rc;
	request->watch = meter.watch;
	request->environment = cli->environment;
	request->now_ns = mxt_real_time_ns();
	request->cache = cache.len > 0 && !cache.failed ? cache.data : NULL;
	rc = mxt_manifest_create(request, &manifest, err);
	if (rc == 0)
		rc = mxt_manifest_write(manifest, request->run_folder, ret_left_out, err);
	rc = mxt_hash_meter_end(&meter, rc, err);
	if (rc == 0)
		*ret_manifest = mxt_steal_ptr(&manifest);
	return rc;
}
