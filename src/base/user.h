/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who runs this program, as passwd has it: what environments often say, and need not.
 */
#ifndef MXT_BASE_USER_H
#define MXT_BASE_USER_H

struct mxt_buf;

/* Appends home folder and name; nothing where passwd does not know the user. NULL: not asked. */
void mxt_user_passwd(struct mxt_buf *home, struct mxt_buf *name);

#endif
