/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of b3sum: what was read is written as a list that reads the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "b3_list.h"
#include "buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static void check_entries(const struct mxt_file_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *path = list->entries[i].path;
		demand(mxt_entry_path_fault(path, strlen(path)) == NULL);
		demand(mxt_file_list_find(list, path) == &list->entries[i]);
		demand(i == 0 || strcmp(list->entries[i - 1].path, path) < 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT, again = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	size_t left_out = 0;
	if (mxt_b3_list_read("list", (const char *)data, size, &list, NULL) < 0)
		return 0;
	check_entries(&list);
	mxt_b3_list_text(&list, &text, &left_out);
	if (left_out == list.count)
		return 0;
	demand(mxt_b3_list_read("list", text.data, text.len, &again, NULL) == 0);
	demand(again.count == list.count - left_out);
	check_entries(&again);
	return 0;
}
