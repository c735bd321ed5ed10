/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists that `b3sum --check` takes: "HASH  PATH" lines, where a path with a backslash is escaped and its line begins
 * with one (b3sum 1.2 and later).
 */
#ifndef MXT_MANIFEST_B3_LIST_H
#define MXT_MANIFEST_B3_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "file_list.h"

struct mxt_error;

/* One line, piece by piece, as b3sum 1.2 to 1.5 print it; a carriage return stands as it is there. */
typedef void (*mxt_b3_put)(void *sink, const void *bytes, size_t len);
void mxt_b3_line(const uint8_t hash[MXT_HASH_SIZE], const char *path, mxt_b3_put put, void *sink);

/*
 * False for a name that b3sum --check of some version refuses or takes for another one: no UTF-8, U+FFFD, a carriage
 * return (versions since 1.6 escape it), "-" alone, or longer than what open(2) takes.
 */
bool mxt_b3_can_name(const char *path);

/* Appends the list's files. Names that b3sum cannot check are left out and counted; links are left out. */
void mxt_b3_list_text(const struct mxt_file_list *list, struct mxt_buf *buf, size_t *ret_left_out);

/*
 * Reads one as untrusted: blank or malformed hashes and lines are MXT_E_LIST_FORM, absolute paths, ".." and the like
 * MXT_E_LIST_PATH, both with the line, doubles with their path. A list without a line is MXT_E_LIST_FORM: it was cut,
 * or never filled. Sizes are not known (-1). The list is sorted; its root is not set, its role is the first one.
 */
int mxt_b3_list_read(const char *name, const char *text, size_t len, struct mxt_file_list *ret_list,
		     struct mxt_error *err) MXT_WUR;

#endif
