/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a recorded machine, from its file `environ`, whose entries end with NUL (a copy of
 * /proc/PID/environ) or with a newline (as env(1) prints it).
 */
#ifndef MXT_DOCTOR_ENVIRON_LIST_H
#define MXT_DOCTOR_ENVIRON_LIST_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_sysroot;

struct mxt_environ_list {
	char **entries; /* owned, NULL-ended; NULL: none was recorded */
	char *text;     /* owned: what the entries point into */
};

#define MXT_ENVIRON_LIST_INIT                                                                                          \
	{                                                                                                              \
		NULL, NULL                                                                                             \
	}
#define MXT_CLEANUP_ENVIRON MXT_CLEANUP(mxt_environ_list_finish)

/* Splits `len` bytes. Entries without '=' or without a name are left out. Returns 0 or -ENOMEM. */
int mxt_environ_list_parse(const char *bytes, size_t len, struct mxt_environ_list *ret_list) MXT_WUR;

/* DIR/environ of a recorded machine; entries stay NULL when there is none. */
int mxt_environ_list_read(const struct mxt_sysroot *root, struct mxt_environ_list *ret_list,
			  struct mxt_error *err) MXT_WUR;

void mxt_environ_list_finish(struct mxt_environ_list *list);

#endif
