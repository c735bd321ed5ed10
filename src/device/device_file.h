/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether this process may open a device file for reading and writing. A recorded machine has no device files: its file
 * `device-files` holds a line "open PATH", "denied PATH" or "forbidden PATH" for each that was there.
 */
#ifndef MXT_DEVICE_DEVICE_FILE_H
#define MXT_DEVICE_DEVICE_FILE_H

#include "compiler.h"

struct mxt_sysroot;

enum mxt_device_access {
	MXT_DEVICE_NOT_RECORDED, /* a recorded machine that does not tell */
	MXT_DEVICE_OPEN,
	MXT_DEVICE_ABSENT,    /* no such file */
	MXT_DEVICE_DENIED,    /* by its owner, group and mode */
	MXT_DEVICE_FORBIDDEN, /* by the container's rules for devices */
	MXT_DEVICE_ACCESS_COUNT,
};

const char *mxt_device_access_name(enum mxt_device_access access); /* "open", "absent", "denied", ... */

/* -ENOMEM is the only failure. */
int mxt_device_file_access(const struct mxt_sysroot *root, const char *path,
			   enum mxt_device_access *ret_access) MXT_WUR;

/* The line of `path` in the text of `device-files`. */
enum mxt_device_access mxt_device_file_find(const char *text, const char *path);

#endif
