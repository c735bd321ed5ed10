/* SPDX-License-Identifier: Apache-2.0 */
#include "machine_file.h"

#include <errno.h>

#include "buf.h"
#include "sysroot.h"

#define MAX_SMALL_FILE 65536

const char *mxt_machine_text(const struct mxt_sysroot *root, const char *path, struct mxt_buf *buf, bool *failed)
{
	int rc = mxt_sysroot_read(root, path, MAX_SMALL_FILE, buf, NULL);
	if (rc == -ENOMEM)
		*failed = true;
	if (rc < 0)
		mxt_buf_truncate(buf, 0);
	return mxt_buf_text(buf);
}

bool mxt_machine_exists(const struct mxt_sysroot *root, const char *path, bool *failed)
{
	int exists = mxt_sysroot_look(root, path);
	if (exists < 0)
		*failed = true;
	return exists == 1;
}

struct mxt_reading mxt_machine_number(const struct mxt_sysroot *root, const char *path, bool *failed)
{
	struct mxt_reading reading = {0, false};
	int rc = mxt_sysroot_read_u64(root, path, &reading.value, NULL);
	if (rc == -ENOMEM)
		*failed = true;
	reading.reported = rc == 0;
	return reading;
}
