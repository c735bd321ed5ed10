/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a tar archive of small files in the ustar form of POSIX.1-1988, which every tar reads: regular files of mode
 * 0644 that belong to nobody and are of no date, so that equal content makes equal archives.
 */
#ifndef MXT_BASE_TAR_H
#define MXT_BASE_TAR_H

#include <stddef.h>

#include "buf.h"
#include "compiler.h"

struct mxt_error;

/*
 * Appends a file to the archive. `name` is relative. MXT_E_IO (-ENAMETOOLONG) for one that a header cannot hold: more
 * than 255 bytes, or no '/' where it would have to be divided.
 */
int mxt_tar_add(struct mxt_buf *tar, const char *name, const void *bytes, size_t len, struct mxt_error *err) MXT_WUR;

/* Ends the archive; 0 or -ENOMEM. */
int mxt_tar_end(struct mxt_buf *tar, struct mxt_error *err) MXT_WUR;

#endif
