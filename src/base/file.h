/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole-file reads with a size limit, and atomic replacement.
 */
#ifndef MXT_BASE_FILE_H
#define MXT_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct mxt_error;

/*
 * Appends the whole content of `path` to *buf ("-" reads standard input). More than `max_bytes` is MXT_E_TOO_LARGE,
 * a directory, FIFO or device is MXT_E_NOT_REGULAR (standard input may be anything). Never blocks on a FIFO.
 */
int mxt_file_read(const char *path, size_t max_bytes, struct mxt_buf *buf, struct mxt_error *err) MXT_WUR;

/* The same, and a symlink is MXT_E_NOT_REGULAR, -ELOOP: where others may write, it could lead anywhere. */
int mxt_file_read_no_link(const char *path, size_t max_bytes, struct mxt_buf *buf, struct mxt_error *err) MXT_WUR;

/* At most `size` bytes at `offset` of an open file; how many, fewer at its end or after a failure. */
size_t mxt_file_read_at(int fd, void *bytes, size_t size, uint64_t offset);

/* 0 or -errno. */
int mxt_file_write_all(int fd, const void *bytes, size_t len) MXT_WUR;

/*
 * Replaces `path` by `len` bytes: temporary file in the same directory, fsync, rename, fsync of the directory. At any
 * moment the path holds the old content or the new one. A symlink is followed, so that the link survives and its
 * target is replaced; an existing file keeps its mode; a directory, FIFO, socket or device is refused
 * (MXT_E_NOT_REGULAR) and left alone. The temporary file is removed on every failure.
 */
int mxt_file_replace(const char *path, const void *bytes, size_t len, struct mxt_error *err) MXT_WUR;

/*
 * The same, and nobody may write the file then, whatever was there before. A symlink is replaced, not followed: in a
 * folder that others may write to, it could stand for any file of the caller's.
 */
int mxt_file_replace_read_only(const char *path, const void *bytes, size_t len, struct mxt_error *err) MXT_WUR;

/* Takes `path` away where it is a symlink, so that mxt_file_replace() does not replace what it leads to. */
void mxt_file_drop_link(const char *path);

/* Fails early, before any work is done, when mxt_file_replace() on `path` could not succeed. */
int mxt_file_check_writable(const char *path, struct mxt_error *err) MXT_WUR;

#endif
