/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists that `b3sum --check` takes: "HASH  PATH" lines, where a path with a backslash is escaped and its line begins
 * with one (b3sum 1.2 and later).
 */
#ifndef MXT_MANIFEST_B3_LIST_H
#define MXT_MANIFEST_B3_LIST_H

#include <stddef.h>

#include "buf.h"
#include "compiler.h"
#include "file_list.h"

struct mxt_error;

/* Appends the list's files. Names that b3sum cannot check (no UTF-8) are left out and counted; links always are. */
void mxt_b3_list_text(const struct mxt_file_list *list, struct mxt_buf *buf, size_t *ret_left_out);

/*
 * Reads one as untrusted: blank or malformed hashes, absolute paths, "..", doubles are MXT_E_LIST_* with the line.
 * Sizes are not known (-1). The list is sorted; its root is not set.
 */
int mxt_b3_list_read(const char *name, const char *text, size_t len, struct mxt_file_list *ret_list,
		     struct mxt_error *err) MXT_WUR;

#endif
