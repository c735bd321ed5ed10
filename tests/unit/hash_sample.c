/* SPDX-License-Identifier: Apache-2.0 */
#include "hash_sample.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "scratch.h"
#include "tree.h"

/* xorshift64*, begun with the name's first byte: files of one size differ. */
static uint8_t *make_bytes(const char *name, size_t size)
{
	uint8_t *bytes = malloc(size + sizeof(uint64_t));
	assert_non_null(bytes);
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15) ^ (uint8_t)name[0];
	for (size_t i = 0; i < size; i += sizeof x) {
		x ^= x >> 12;
		x ^= x << 25;
		x ^= x >> 27;
		memcpy(bytes + i, &x, sizeof x);
	}
	return bytes;
}

void mxt_hash_sample_write(const char *folder, const char *name, size_t size)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, name);
	MXT_CLEANUP_FREE uint8_t *bytes = make_bytes(name, size);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

void mxt_hash_sample_expect(size_t size, const char *name, const uint8_t hash[MXT_HASH_SIZE])
{
	uint8_t expected[MXT_HASH_SIZE];
	MXT_CLEANUP_FREE uint8_t *bytes = make_bytes(name, size);
	mxt_hash_bytes(bytes, size, expected);
	assert_memory_equal(hash, expected, MXT_HASH_SIZE);
}

void mxt_hash_sample_list(const char *folder, struct mxt_file_list *list)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_tree_request request = {.root = folder, .role = MXT_LIST_RUN};
	*list = (struct mxt_file_list)MXT_FILE_LIST_INIT;
	int rc = mxt_tree_list(&request, list, &err);
	if (rc < 0)
		fail_msg("%s", mxt_error_text(&err));
}
