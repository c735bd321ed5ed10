/* SPDX-License-Identifier: Apache-2.0 */
#include "user.h"

#include <pwd.h>
#include <stddef.h>
#include <unistd.h>

#include "buf.h"

#define ENTRY_BYTES 4096

void mxt_user_passwd(struct mxt_buf *home, struct mxt_buf *name)
{
	char text[ENTRY_BYTES];
	struct passwd entry, *found = NULL;
	if (getpwuid_r(getuid(), &entry, text, sizeof text, &found) != 0 || !found)
		return;
	if (home)
		mxt_buf_puts(home, entry.pw_dir);
	if (name)
		mxt_buf_puts(name, entry.pw_name);
}
