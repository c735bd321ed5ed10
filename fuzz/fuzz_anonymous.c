/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts whose names are taken out. Input: a first byte that picks a kind of file, and its text. What comes out names
 * nobody of those that are known, whatever stands around them.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "anonymous.h"
#include "buf.h"
#include "compiler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = {NULL, "/a", "/x/properties", "/x/unique_id", "/x/serial_number"};
static char home[] = "HOME=/home/karin", user[] = "USER=karin";
static char *environment[] = {home, user, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_ANONYMOUS struct mxt_anonymous anonymous;
	MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
	if (size == 0)
		return 0;
	mxt_anonymous_init(&anonymous, "node17", environment);
	mxt_anonymous_text(&anonymous, paths[data[0] % MXT_ARRAY_LEN(paths)], (const char *)data + 1, size - 1, &out);
	assert(!anonymous.failed);
	if (size < 5 || memcmp(data + 1, "\177ELF", 4) != 0) {
		assert(!memmem(mxt_buf_text(&out), out.len, " karin ", 7));
		assert(data[0] % MXT_ARRAY_LEN(paths) == 0 || !memmem(mxt_buf_text(&out), out.len, " node17 ", 8));
	}
	return 0;
}
