/* SPDX-License-Identifier: Apache-2.0 */
#include "disk_space.h"

#include <string.h>
#include <sys/statvfs.h>

#include "buf.h"
#include "machine_file.h"
#include "number.h"
#include "sysroot.h"

/* Behind the number and one blank, or NULL. */
static const char *take_number(const char *at, struct mxt_reading *reading)
{
	reading->reported = mxt_parse_u64(at, &at, &reading->value) == 0 && *at == ' ';
	return reading->reported ? at + 1 : NULL;
}

static bool parse_line(const char *line, const char *path, struct mxt_disk_space *space)
{
	const char *at = take_number(line, &space->total_bytes);
	at = at ? take_number(at, &space->free_bytes) : NULL;
	size_t len = strlen(path);
	return at && strncmp(at, path, len) == 0 && (at[len] == '\n' || at[len] == '\0') &&
	       space->free_bytes.value <= space->total_bytes.value;
}

struct mxt_disk_space mxt_disk_space_find(const char *text, const char *path)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		struct mxt_disk_space space;
		line += *line == '\n';
		if (parse_line(line, path, &space))
			return space;
	}
	return (struct mxt_disk_space){{0, false}, {0, false}};
}

static struct mxt_reading product(uint64_t blocks, uint64_t size)
{
	return (struct mxt_reading){blocks * size, size && blocks <= UINT64_MAX / size};
}

struct mxt_disk_space mxt_disk_space_read(const struct mxt_sysroot *root, const char *path, bool *failed)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct statvfs st;
	if (!mxt_sysroot_is_live(root))
		return mxt_disk_space_find(mxt_machine_text(root, "/filesystems", &text, failed), path);
	if (statvfs(path, &st) < 0)
		return (struct mxt_disk_space){{0, false}, {0, false}};
	return (struct mxt_disk_space){product(st.f_blocks, st.f_frsize), product(st.f_bavail, st.f_frsize)};
}
