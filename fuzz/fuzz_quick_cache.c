/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of the quick check: it is all of the list or nothing, and what it says is what stands there.
 */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "quick_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_FILES 64

/* What was read is read again from the plain form of it. */
static void check_again(const struct mxt_file_identity *identities, size_t count)
{
	MXT_CLEANUP_BUF struct mxt_buf lines = MXT_BUF_INIT;
	struct mxt_file_identity again[MAX_FILES];
	for (size_t i = 0; i < count; i++)
		mxt_buf_printf(&lines, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			       identities[i].device, identities[i].inode, (uint64_t)identities[i].size,
			       (uint64_t)identities[i].mtime_ns, (uint64_t)identities[i].ctime_ns);
	bool parsed = mxt_quick_cache_parse(mxt_buf_text(&lines), count, again);
	assert(parsed && memcmp(again, identities, count * sizeof *again) == 0);
	(void)parsed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mxt_file_identity identities[MAX_FILES];
	MXT_CLEANUP_FREE char *text = malloc(size + 1);
	if (!text)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	size_t parsed = 0;
	for (size_t count = 0; count <= MAX_FILES; count++) {
		if (!mxt_quick_cache_parse(text, count, identities))
			continue;
		parsed++;
		check_again(identities, count);
	}
	assert(parsed <= 1);
	return 0;
}
