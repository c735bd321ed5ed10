/* SPDX-License-Identifier: Apache-2.0 */
#include "host_cgroup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "number.h"
#include "sysroot.h"

#define MAX_TABLE_BYTES 1048576             /* mountinfo of a host with thousands of containers fits */
#define NO_LIMIT        (UINT64_C(1) << 62) /* version 1 writes about 2^63 when there is none */

/* A piece of a table's text; not NUL-terminated. */
struct word {
	const char *at;
	size_t len;
};

/* Cuts the word before `separator` off a line at *at; false at the end of the line. */
static bool next_word(const char **at, char separator, struct word *ret_word)
{
	const char *start = *at;
	if (*start == '\0' || *start == '\n')
		return false;
	const char *end = start;
	while (*end && *end != '\n' && *end != separator)
		end++;
	*ret_word = (struct word){start, (size_t)(end - start)};
	*at = *end == separator ? end + 1 : end;
	return true;
}

static bool word_is(struct word word, const char *text)
{
	return strlen(text) == word.len && memcmp(word.at, text, word.len) == 0;
}

/* Is `name` one of the comma-separated words of `list`? */
static bool list_has(struct word list, const char *name)
{
	size_t len = strlen(name);
	const char *end = list.at + list.len;
	for (const char *at = list.at; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma ? comma : end;
		if ((size_t)(stop - at) == len && memcmp(at, name, len) == 0)
			return true;
		at = stop + 1;
	}
	return false;
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');
	return end ? end + 1 : NULL;
}

/* The group's path of version 1 where it has the controller ("4:memory:/a"), else that of version 2 ("0::/a"). */
static unsigned find_membership(const char *membership, const char *controller, struct word *ret_path)
{
	unsigned version = 0;
	for (const char *line = membership; line && version != 1; line = next_line(line)) {
		const char *at = line;
		struct word id, list, path;
		if (!next_word(&at, ':', &id) || !next_word(&at, ':', &list) || !next_word(&at, '\n', &path))
			continue;
		bool unified = word_is(id, "0") && list.len == 0;
		if (!unified && !list_has(list, controller))
			continue;
		version = unified ? 2 : 1;
		*ret_path = path;
	}
	return version;
}

struct mount {
	struct word root, point;
};

/* "31 23 0:28 ROOT POINT options [tags] - TYPE source SUPEROPTIONS" */
static bool parse_mount(const char *line, struct mount *ret_mount, struct word *ret_type, struct word *ret_options)
{
	struct word word, source;
	const char *at = line;
	for (int i = 0; i < 3; i++)
		if (!next_word(&at, ' ', &word))
			return false;
	if (!next_word(&at, ' ', &ret_mount->root) || !next_word(&at, ' ', &ret_mount->point))
		return false;
	while (!word_is(word, "-"))
		if (!next_word(&at, ' ', &word))
			return false;
	return next_word(&at, ' ', ret_type) && next_word(&at, ' ', &source) && next_word(&at, ' ', ret_options);
}

static bool find_mount(const char *mountinfo, unsigned version, const char *controller, struct mount *ret_mount)
{
	for (const char *line = mountinfo; line; line = next_line(line)) {
		struct word type, options;
		if (!parse_mount(line, ret_mount, &type, &options))
			continue;
		if (version == 2 ? word_is(type, "cgroup2") : word_is(type, "cgroup") && list_has(options, controller))
			return true;
	}
	return false;
}

/* Three octal digits of a byte; not of NUL, which no path holds. */
static bool is_octal(const char *at)
{
	return at[0] >= '0' && at[0] <= '3' && at[1] >= '0' && at[1] <= '7' && at[2] >= '0' && at[2] <= '7' &&
	       memcmp(at, "000", 3) != 0;
}

/* mountinfo writes blanks and backslashes as \ooo. */
static void append_unescaped(struct mxt_buf *buf, struct word word)
{
	for (size_t i = 0; i < word.len; i++) {
		const char *at = word.at + i;
		if (*at == '\\' && word.len - i > 3 && is_octal(at + 1)) {
			mxt_buf_putc(buf, (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0')));
			i += 3;
		} else {
			mxt_buf_putc(buf, *at);
		}
	}
}

/*
 * What of `path` lies below `root`, the part of the hierarchy that is mounted. A path outside of it (a group of an
 * outer namespace) has no folder here: the mount point is the nearest that can be read.
 */
static struct word below_root(struct word path, const char *root)
{
	size_t len = strlen(root);
	while (len && root[len - 1] == '/')
		len--;
	bool inside = path.len >= len && memcmp(path.at, root, len) == 0 && (path.len == len || path.at[len] == '/');
	bool outer = path.len >= 3 && memcmp(path.at, "/..", 3) == 0;
	if (!inside || outer)
		return (struct word){path.at, 0};
	struct word rest = {path.at + len, path.len - len};
	while (rest.len && rest.at[rest.len - 1] == '/')
		rest.len--;
	return rest;
}

int mxt_cgroup_locate(const char *membership, const char *mountinfo, const char *controller,
		      struct mxt_cgroup_place *ret_place)
{
	struct word path = {"", 0};
	struct mount mount = {{"", 0}, {"", 0}};
	unsigned version = find_membership(membership, controller, &path);
	if (version == 0 || !find_mount(mountinfo, version, controller, &mount)) {
		*ret_place = (struct mxt_cgroup_place){0, NULL, 0};
		return 0;
	}
	MXT_CLEANUP_BUF struct mxt_buf root = MXT_BUF_INIT;
	append_unescaped(&root, mount.root);
	struct word rest = below_root(path, mxt_buf_text(&root));
	struct mxt_buf dir = MXT_BUF_INIT;
	append_unescaped(&dir, mount.point);
	size_t mount_len = dir.len;
	mxt_buf_append(&dir, rest.at, rest.len);
	char *text = root.failed ? NULL : mxt_buf_steal(&dir);
	mxt_buf_finish(&dir);
	if (!text)
		return -ENOMEM;
	*ret_place = (struct mxt_cgroup_place){version, text, mount_len};
	return 0;
}

/* quota / period in thousandths; at least 1, so that a tiny quota is not "no limit". */
static uint64_t milli(uint64_t quota, uint64_t period)
{
	if (period == 0 || quota > UINT64_MAX / 1000)
		return 0;
	uint64_t value = quota * 1000 / period;
	return value ? value : 1;
}

uint64_t mxt_cgroup_parse_cpu_max(const char *text)
{
	const char *end = NULL;
	uint64_t quota = 0, period = 0;
	if (mxt_parse_u64(text, &end, &quota) < 0 || *end != ' ' || mxt_parse_u64(end + 1, &end, &period) < 0)
		return 0;
	return milli(quota, period);
}

static int read_cpu_max(const struct mxt_sysroot *root, const char *path, uint64_t *ret_value)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_sysroot_read(root, path, 64, &buf, NULL);
	if (rc < 0)
		return rc;
	*ret_value = mxt_cgroup_parse_cpu_max(mxt_buf_text(&buf));
	return 0;
}

/* The quota file holds -1 without a limit, which is not a number here. */
static int read_cfs_quota(const struct mxt_sysroot *root, const char *path, uint64_t *ret_value)
{
	static const char quota_name[] = "quota_us", period_name[] = "period_us";
	MXT_CLEANUP_BUF struct mxt_buf period_path = MXT_BUF_INIT;
	mxt_buf_append(&period_path, path, strlen(path) - strlen(quota_name));
	mxt_buf_puts(&period_path, period_name);
	uint64_t quota = 0, period = 0;
	int rc = mxt_buf_status(&period_path, NULL);
	if (rc == 0)
		rc = mxt_sysroot_read_u64(root, path, &quota, NULL);
	if (rc == 0)
		rc = mxt_sysroot_read_u64(root, mxt_buf_text(&period_path), &period, NULL);
	if (rc == 0)
		*ret_value = milli(quota, period);
	return rc;
}

static int read_bytes(const struct mxt_sysroot *root, const char *path, uint64_t *ret_value)
{
	uint64_t value = 0;
	int rc = mxt_sysroot_read_u64(root, path, &value, NULL); /* "max" is not a number */
	if (rc == 0)
		*ret_value = value < NO_LIMIT ? value : 0;
	return rc;
}

struct limit_row {
	const char *controller;
	unsigned version;
	const char *file;
	/* 0 with *ret_value (0: no limit); -ENOENT, -EINVAL: not a limit; -ENOMEM. */
	int (*read)(const struct mxt_sysroot *root, const char *path, uint64_t *ret_value);
};

static const struct limit_row limit_rows[] = {
    {"cpu", 1, "cpu.cfs_quota_us", read_cfs_quota},     {"cpu", 2, "cpu.max", read_cpu_max},
    {"memory", 1, "memory.limit_in_bytes", read_bytes}, {"memory", 2, "memory.max", read_bytes},
    {"memory", 2, "memory.high", read_bytes},
};

/* Lowers *limit to what the row's file in `dir` says, when that is tighter. */
static int apply_row(const struct mxt_sysroot *root, const struct limit_row *row, const char *dir,
		     struct mxt_cgroup_limit *limit)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", dir, row->file);
	if (path.failed)
		return -ENOMEM;
	uint64_t value = 0;
	int rc = row->read(root, mxt_buf_text(&path), &value);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0 || value == 0 || (limit->value && limit->value <= value))
		return 0;
	char *file = mxt_buf_steal(&path);
	if (!file)
		return -ENOMEM;
	free(limit->file);
	*limit = (struct mxt_cgroup_limit){value, file};
	return 0;
}

static int apply_folder(const struct mxt_sysroot *root, const char *controller, unsigned version, const char *dir,
			struct mxt_cgroup_limit *limit)
{
	int rc = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(limit_rows) && rc == 0; i++)
		if (limit_rows[i].version == version && strcmp(limit_rows[i].controller, controller) == 0)
			rc = apply_row(root, &limit_rows[i], dir, limit);
	return rc;
}

/* From the group's own folder up to the mount point. */
static int walk_up(const struct mxt_sysroot *root, const char *controller, struct mxt_cgroup_place *place,
		   struct mxt_cgroup_limit *limit)
{
	size_t len = strlen(place->dir);
	for (;;) {
		place->dir[len] = '\0';
		int rc = apply_folder(root, controller, place->version, place->dir, limit);
		if (rc < 0 || len <= place->mount_len)
			return rc;
		while (len > place->mount_len && place->dir[len - 1] != '/')
			len--;
		if (len > place->mount_len)
			len--; /* the slash */
	}
}

static int read_limit(const struct mxt_sysroot *root, const char *membership, const char *mountinfo,
		      const char *controller, struct mxt_cgroup_limit *limit)
{
	struct mxt_cgroup_place place;
	int rc = mxt_cgroup_locate(membership, mountinfo, controller, &place);
	if (rc < 0 || place.version == 0)
		return rc;
	rc = walk_up(root, controller, &place, limit);
	free(place.dir);
	return rc;
}

/* A table that is not there (or not readable, in a sandbox) is empty. */
static int read_table(const struct mxt_sysroot *root, const char *path, struct mxt_buf *buf)
{
	int rc = mxt_sysroot_read(root, path, MAX_TABLE_BYTES, buf, NULL);
	return rc == -ENOMEM ? rc : 0;
}

int mxt_host_cgroup_read(const struct mxt_sysroot *root, struct mxt_host_cgroup *ret_cgroup, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf membership = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf mountinfo = MXT_BUF_INIT;
	struct mxt_host_cgroup cgroup = {{0, NULL}, {0, NULL}};
	int rc = read_table(root, "/proc/self/cgroup", &membership);
	if (rc == 0)
		rc = read_table(root, "/proc/self/mountinfo", &mountinfo);
	const char *groups = mxt_buf_text(&membership), *mounts = mxt_buf_text(&mountinfo);
	if (rc == 0)
		rc = read_limit(root, groups, mounts, "cpu", &cgroup.cpu_milli);
	if (rc == 0)
		rc = read_limit(root, groups, mounts, "memory", &cgroup.memory_bytes);
	if (rc < 0) {
		mxt_host_cgroup_finish(&cgroup);
		return mxt_error_oom(err);
	}
	*ret_cgroup = cgroup;
	return 0;
}

void mxt_host_cgroup_finish(struct mxt_host_cgroup *cgroup)
{
	free(cgroup->cpu_milli.file);
	free(cgroup->memory_bytes.file);
	*cgroup = (struct mxt_host_cgroup){{0, NULL}, {0, NULL}};
}
