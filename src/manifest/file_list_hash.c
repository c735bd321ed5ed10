/* SPDX-License-Identifier: Apache-2.0 */
#include <blake3.h>
#include <string.h>

#include "b3_list.h"
#include "file_list.h"

/* Lines are short, and a hasher is fast with many chunks at once: they are gathered. */
struct sink {
	blake3_hasher hasher;
	size_t len;
	unsigned char bytes[16 * 1024];
};

static void sink_flush(struct sink *sink)
{
	blake3_hasher_update(&sink->hasher, sink->bytes, sink->len);
	sink->len = 0;
}

static void sink_put(void *context, const void *bytes, size_t len)
{
	struct sink *sink = context;
	if (len > sizeof sink->bytes - sink->len)
		sink_flush(sink);
	if (len > sizeof sink->bytes) {
		blake3_hasher_update(&sink->hasher, bytes, len);
		return;
	}
	memcpy(sink->bytes + sink->len, bytes, len);
	sink->len += len;
}

static void put_files(const struct mxt_file_list *list, struct sink *sink)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->entries[i].kind == MXT_ENTRY_FILE)
			mxt_b3_line(list->entries[i].hash, list->entries[i].path, sink_put, sink);
}

static void put_links(const struct mxt_file_list *list, struct sink *sink)
{
	uint8_t of_target[MXT_HASH_SIZE];
	const char *before = "\n"; /* once */
	for (size_t i = 0; i < list->count; i++) {
		const struct mxt_file_entry *entry = &list->entries[i];
		if (entry->kind != MXT_ENTRY_LINK)
			continue;
		sink_put(sink, before, strlen(before));
		before = "";
		mxt_hash_bytes(entry->target, strlen(entry->target), of_target);
		mxt_b3_line(of_target, entry->path, sink_put, sink);
	}
}

void mxt_file_list_hash(const struct mxt_file_list *list, uint8_t ret_hash[MXT_HASH_SIZE])
{
	struct sink sink;
	blake3_hasher_init(&sink.hasher);
	sink.len = 0;
	put_files(list, &sink);
	put_links(list, &sink);
	sink_flush(&sink);
	blake3_hasher_finalize(&sink.hasher, ret_hash, MXT_HASH_SIZE);
}
