/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of files and texts of links in JSON: as text under one key where they are some (mxt_json_is_text()), else as
 * the digits of their bytes, in lower-case hexadecimal, under another. A name has one of the two forms only.
 */
#ifndef MXT_MANIFEST_NAME_JSON_H
#define MXT_MANIFEST_NAME_JSON_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;

int mxt_name_json_set(json_t *object, const char *key, const char *bytes_key, const char *name,
		      struct mxt_error *err) MXT_WUR;

/* The name, for the caller to free(); NULL with what is wrong in *ret_fault, or with NULL there: memory ran out. */
char *mxt_name_json_read(const json_t *object, const char *key, const char *bytes_key, const char **ret_fault) MXT_WUR;

#endif
