/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files of the machine whose absence is an answer of its own.
 */
#ifndef MXT_DOCTOR_MACHINE_FILE_H
#define MXT_DOCTOR_MACHINE_FILE_H

#include <stdbool.h>

#include "reading.h"

struct mxt_buf;
struct mxt_sysroot;

/*
 * The text of a file, at most 64 KiB, without its final newline; "" when it cannot be read. *failed is set, and never
 * cleared, when memory ran out. The text lives in *buf, which must be empty.
 */
const char *mxt_machine_text(const struct mxt_sysroot *root, const char *path, struct mxt_buf *buf, bool *failed);

/* Whether there is anything at `path`. */
bool mxt_machine_exists(const struct mxt_sysroot *root, const char *path, bool *failed);

/* The one number that fills a file. */
struct mxt_reading mxt_machine_number(const struct mxt_sysroot *root, const char *path, bool *failed);

#endif
