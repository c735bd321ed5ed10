/* SPDX-License-Identifier: Apache-2.0 */
#include "file_list.h"

#include <stdlib.h>

void mxt_file_list_finish(struct mxt_file_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->entries[i].path);
		free(list->entries[i].target);
	}
	free(list->entries);
	free(list->root);
	*list = (struct mxt_file_list)MXT_FILE_LIST_INIT;
}

const char *mxt_list_role_name(enum mxt_list_role role)
{
	static const char *const names[] = {
	    [MXT_LIST_RUN] = "run",
	    [MXT_LIST_DATASET] = "dataset",
	    [MXT_LIST_CHECKPOINT] = "checkpoint",
	};
	return names[role];
}
