/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every read of /proc, /sys and /etc that describes the machine goes through a sysroot, so that a recorded machine
 * can be inspected in its place (`--sysroot DIR`).
 */
#ifndef MXT_BASE_SYSROOT_H
#define MXT_BASE_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct mxt_error;

/* Told what is looked at, so that it can be recorded. Paths are those of the machine, without the prefix. */
struct mxt_sysroot_tap {
	/* A file was read, as far as it was asked for. */
	void (*read)(void *context, const char *path, const char *data, size_t len);
	/* Something is at this path. */
	void (*seen)(void *context, const char *path);
	void *context;
};

struct mxt_sysroot {
	const char *prefix;                /* "" for the live machine; borrowed */
	const struct mxt_sysroot_tap *tap; /* borrowed; NULL: nobody is told */
};

#define MXT_SYSROOT_LIVE                                                                                               \
	{                                                                                                              \
		.prefix = ""                                                                                           \
	}

bool mxt_sysroot_is_live(const struct mxt_sysroot *root);

/* prefix + path; the caller frees. NULL when memory ran out. */
char *mxt_sysroot_path(const struct mxt_sysroot *root, const char *path);

/* 1 when there is something at `path`, 0 when there is not, -ENOMEM. */
int mxt_sysroot_look(const struct mxt_sysroot *root, const char *path);

/* The same, where a lack of memory counts as nothing there. */
bool mxt_sysroot_exists(const struct mxt_sysroot *root, const char *path);

/* A descriptor for reading, which the caller closes: never blocks. A negative errno value when there is none. */
int mxt_sysroot_open(const struct mxt_sysroot *root, const char *path);

/*
 * Appends at most `max_bytes` of a pseudo file to *buf, without its final newline. -ENOENT when it is not there
 * (callers treat that as "not reported"), other statuses are real faults.
 */
int mxt_sysroot_read(const struct mxt_sysroot *root, const char *path, size_t max_bytes, struct mxt_buf *buf,
		     struct mxt_error *err) MXT_WUR;

/* One unsigned decimal (or 0x…) number that fills the file; -EINVAL when it holds something else. */
int mxt_sysroot_read_u64(const struct mxt_sysroot *root, const char *path, uint64_t *ret_value,
			 struct mxt_error *err) MXT_WUR;

#endif
