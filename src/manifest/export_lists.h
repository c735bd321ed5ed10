/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists of a manifest that one export is about, with the SHA-256 of their files.
 */
#ifndef MXT_MANIFEST_EXPORT_LISTS_H
#define MXT_MANIFEST_EXPORT_LISTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "file_list.h"
#include "libcrypto.h"
#include "sha256.h"
#include "verify.h"

struct mxt_error;

struct mxt_export_list {
	const struct mxt_file_list *list;   /* borrowed of the manifest */
	char *root;                         /* owned: where it lies now, as realpath(3) says */
	size_t index;                       /* in the manifest */
	size_t number;                      /* of a dataset, from 1 */
	uint8_t (*sha256)[MXT_SHA256_SIZE]; /* owned: one per entry */
};

struct mxt_export_lists {
	struct mxt_libcrypto library;
	struct mxt_export_list *items; /* owned */
	size_t count;
};
#define MXT_EXPORT_LISTS_INIT                                                                                          \
	{                                                                                                              \
		.items = NULL                                                                                          \
	}
#define MXT_CLEANUP_EXPORT_LISTS MXT_CLEANUP(mxt_export_lists_finish)
void mxt_export_lists_finish(struct mxt_export_lists *lists);

/*
 * Reads the files of all lists, or of the checkpoint's alone. MXT_E_EXPORT for a name that JSON cannot hold, before
 * anything is read.
 */
int mxt_export_lists_read(const struct mxt_verify_request *where, bool checkpoint_only,
			  struct mxt_export_lists *ret_lists, struct mxt_error *err) MXT_WUR;

#endif
