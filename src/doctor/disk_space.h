/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The size of file systems: asked of the live machine, or read from a recorded machine's file `filesystems`.
 */
#ifndef MXT_DOCTOR_DISK_SPACE_H
#define MXT_DOCTOR_DISK_SPACE_H

#include "reading.h"

struct mxt_sysroot;

struct mxt_disk_space {
	struct mxt_reading total_bytes;
	struct mxt_reading free_bytes; /* for a user without privileges */
};

/* A line "TOTAL FREE PATH" of the file `filesystems`, in bytes. Any text will do. */
struct mxt_disk_space mxt_disk_space_find(const char *text, const char *path);

/* The file system that `path` ("." is the current directory) is on. *failed is set when memory ran out. */
struct mxt_disk_space mxt_disk_space_read(const struct mxt_sysroot *root, const char *path, bool *failed);

#endif
