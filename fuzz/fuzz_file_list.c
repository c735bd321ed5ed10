/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of a manifest: what was read is written as the same JSON. The sums of a list that was made at random hardly fit
 * it, so each input is tried as it is, and with the sums that belong to it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "file_list.h"
#include "json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static void check_list(const struct mxt_file_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct mxt_file_entry *entry = &list->entries[i];
		demand(mxt_entry_path_fault(entry->path, strlen(entry->path)) == NULL);
		demand(!mxt_list_is_record(list->role, entry->path));
		demand((entry->kind == MXT_ENTRY_LINK) == (entry->target != NULL));
		demand(i == 0 || strcmp(list->entries[i - 1].path, entry->path) < 0);
	}
}

/* The hash that a reader would find wrong: that of the files alone, as far as they can be read. */
static void set_sums(json_t *json)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	json_t *files = json_object_get(json, "files");
	uint64_t bytes = 0;
	for (size_t i = 0; i < json_array_size(files); i++) {
		const json_t *file = json_array_get(files, i);
		struct mxt_file_entry entry = {.path = strdup(mxt_json_text(file, "path"))};
		const char *link = json_string_value(json_object_get(file, "link"));
		if (link) {
			entry.kind = MXT_ENTRY_LINK;
			entry.target = strdup(link);
		}
		(void)mxt_hash_from_hex(mxt_json_text(file, "blake3"), entry.hash);
		bytes += (uint64_t)mxt_json_integer(file, "size");
		if (mxt_file_list_add(&list, &entry, NULL) < 0)
			return;
	}
	uint8_t hash[MXT_HASH_SIZE];
	char hex[MXT_HASH_HEX_SIZE];
	mxt_file_list_hash(&list, hash);
	mxt_hash_to_hex(hash, hex);
	(void)json_object_set_new(json, "hash", json_string(hex));
	(void)json_object_set_new(json, "bytes", json_integer((json_int_t)bytes));
}

static void round_trip(const json_t *json)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_JSON json_t *again = NULL;
	if (mxt_file_list_read(json, &list, NULL) < 0)
		return;
	check_list(&list);
	demand(mxt_file_list_json(&list, &again, NULL) == 0);
	demand(json_equal(json, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_JSON json_t *json = NULL;
	if (mxt_json_parse("list", (const char *)data, size, MXT_JSON_FOREIGN, &json, NULL) < 0)
		return 0;
	round_trip(json);
	if (json_is_object(json))
		set_sums(json);
	round_trip(json);
	return 0;
}
