/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owning locals: declare with a MXT_CLEANUP_* macro and an initialiser (NULL, -1), hand ownership out with a steal.
 */
#ifndef MXT_BASE_CLEANUP_H
#define MXT_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compiler.h"

static inline void mxt_cleanup_free_(void *p)
{
	free(*(void **)p);
}

static inline void mxt_cleanup_close_(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void mxt_cleanup_file_(FILE **file)
{
	if (*file)
		(void)fclose(*file);
}

static inline void mxt_cleanup_dir_(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

#define MXT_CLEANUP_FREE  MXT_CLEANUP(mxt_cleanup_free_)
#define MXT_CLEANUP_CLOSE MXT_CLEANUP(mxt_cleanup_close_)
#define MXT_CLEANUP_FILE  MXT_CLEANUP(mxt_cleanup_file_)
#define MXT_CLEANUP_DIR   MXT_CLEANUP(mxt_cleanup_dir_)

/* Takes the descriptor out of an owning local. */
static inline int mxt_steal_fd(int *fd)
{
	int out = *fd;
	*fd = -1;
	return out;
}

/* Takes the pointer out of an owning local; assign to the same pointer type. */
static inline void *mxt_steal_ptr(void *p)
{
	void **slot = (void **)p;
	void *out = *slot;
	*slot = NULL;
	return out;
}

#endif
