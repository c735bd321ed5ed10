/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"

#define MAX_DEPTH  12
#define LOOK_EVERY 256 /* entries between two looks at the clock */

struct walker {
	const struct mxt_cache_walk *walk;
	struct mxt_buf path; /* of what is looked at, relative to the folder */
	size_t entries;
	bool partly;
	struct mxt_error *err;
};

/* One more entry: false when that is too many, or too late. */
static bool goes_on(struct walker *w)
{
	w->entries++;
	bool late = w->entries % LOOK_EVERY == 0 && mxt_now_ns(&mxt_clock_monotonic) > w->walk->deadline_ns;
	w->partly = w->partly || late || w->entries > w->walk->most;
	return !w->partly;
}

static int walk_folder(struct walker *w, int fd, int depth);

static int look_at(struct walker *w, int folder, const char *name, int depth)
{
	struct stat st;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (S_ISREG(st.st_mode))
		return w->walk->pattern && fnmatch(w->walk->pattern, name, 0) != 0
			   ? 0
			   : w->walk->visit(w->walk->context, mxt_buf_text(&w->path), &st, w->err);
	if (!S_ISDIR(st.st_mode) || w->walk->pattern)
		return 0;
	w->partly = w->partly || depth == MAX_DEPTH;
	if (depth == MAX_DEPTH)
		return 0;
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? 0 : walk_folder(w, fd, depth + 1);
}

/* Takes the descriptor over. */
static int walk_folder(struct walker *w, int fd, int depth)
{
	MXT_CLEANUP_DIR DIR *dir = fdopendir(fd);
	const struct dirent *row;
	size_t parent = w->path.len;
	int rc = 0;
	if (!dir)
		(void)close(fd);
	while (dir && rc == 0 && (row = readdir(dir)) && goes_on(w)) {
		if (strcmp(row->d_name, ".") == 0 || strcmp(row->d_name, "..") == 0)
			continue;
		mxt_buf_truncate(&w->path, parent);
		mxt_buf_printf(&w->path, "%s%s", parent > 0 ? "/" : "", row->d_name);
		rc = mxt_buf_status(&w->path, w->err);
		if (rc == 0)
			rc = look_at(w, fd, row->d_name, depth);
	}
	mxt_buf_truncate(&w->path, parent);
	return rc;
}

int mxt_cache_walk(const struct mxt_cache_walk *walk, bool *ret_partly, struct mxt_error *err)
{
	struct walker w = {walk, MXT_BUF_INIT, 0, false, err};
	int fd = open(walk->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 ? 0 : walk_folder(&w, fd, 0);
	mxt_buf_finish(&w.path);
	if (rc == 0)
		*ret_partly = w.partly;
	return rc;
}
