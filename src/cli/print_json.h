/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Printing what was gathered first, so that half of it never is. main() looks at the stream at the end.
 */
#ifndef MXT_CLI_PRINT_JSON_H
#define MXT_CLI_PRINT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "compiler.h"

struct mxt_buf;
struct mxt_error;

/* -ENOMEM, and nothing is printed, when an append to the buffer failed. */
int mxt_print_buf(FILE *out, const struct mxt_buf *buf, struct mxt_error *err) MXT_WUR;

/* Prints one object in its canonical form as a line and releases it; NULL: memory ran out. */
int mxt_print_json(FILE *out, json_t *object, struct mxt_error *err) MXT_WUR;

#endif
