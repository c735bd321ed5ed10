/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a manifest in the folder of its run: manifest.json, and for each of its lists one that b3sum reads
 * (b3_name.h).
 */
#ifndef MXT_MANIFEST_MANIFEST_FILES_H
#define MXT_MANIFEST_MANIFEST_FILES_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_manifest;

/*
 * Writes all of them. At any moment manifest.json is the old one or the new one, and no list or signature of another
 * manifest lies beside it. *ret_left_out: how many files the lists cannot name.
 */
int mxt_manifest_write(const struct mxt_manifest *manifest, const char *run_folder, size_t *ret_left_out,
		       struct mxt_error *err) MXT_WUR;

#endif
