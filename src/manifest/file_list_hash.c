/* SPDX-License-Identifier: Apache-2.0 */
#include <blake3.h>
#include <string.h>

#include "b3_list.h"
#include "file_list.h"

static void put_in_hasher(void *sink, const void *bytes, size_t len)
{
	blake3_hasher_update(sink, bytes, len);
}

static void hash_files(const struct mxt_file_list *list, blake3_hasher *hasher)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->entries[i].kind == MXT_ENTRY_FILE)
			mxt_b3_line(list->entries[i].hash, list->entries[i].path, put_in_hasher, hasher);
}

static void hash_links(const struct mxt_file_list *list, blake3_hasher *hasher)
{
	uint8_t of_target[MXT_HASH_SIZE];
	const char *before = "\n"; /* once */
	for (size_t i = 0; i < list->count; i++) {
		const struct mxt_file_entry *entry = &list->entries[i];
		if (entry->kind != MXT_ENTRY_LINK)
			continue;
		blake3_hasher_update(hasher, before, strlen(before));
		before = "";
		mxt_hash_bytes(entry->target, strlen(entry->target), of_target);
		mxt_b3_line(of_target, entry->path, put_in_hasher, hasher);
	}
}

void mxt_file_list_hash(const struct mxt_file_list *list, uint8_t ret_hash[MXT_HASH_SIZE])
{
	blake3_hasher hasher;
	blake3_hasher_init(&hasher);
	hash_files(list, &hasher);
	hash_links(list, &hasher);
	blake3_hasher_finalize(&hasher, ret_hash, MXT_HASH_SIZE);
}
