/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_place.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "error.h"
#include "user.h"

enum cache_kind { CACHE_FOLDER, CACHE_FILE };

static const struct cache_row {
	const char *cache, *base, *below;
	enum cache_kind kind;
	const char *tuned;
} rows[] = {
#define MXT_CACHE(cache, base, below, kind, tuned) {cache, base, below, CACHE_##kind, tuned},
#include "caches.def"
#undef MXT_CACHE
};

void mxt_cache_place_finish(struct mxt_cache_place *place)
{
	free(place->folder);
	free(place->pattern);
}

const char *mxt_cache_tuned_patterns(const char *cache)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].cache, cache) == 0)
			return rows[i].tuned;
	return NULL;
}

/* ---- who runs it ---- */

/* Whose environment it is. */
struct user {
	char *const *environment;
	struct mxt_buf home, name; /* owned */
};

static void user_finish(struct user *user)
{
	mxt_buf_finish(&user->home);
	mxt_buf_finish(&user->name);
}

static const char *get_set(char *const *environment, const char *name)
{
	const char *value = mxt_environ_get(environment, name);
	return value && *value ? value : NULL;
}

/* As Python's expanduser() and getpass.getuser() look. */
static int user_init(struct user *user, char *const *environment, struct mxt_error *err)
{
	static const char *const names[] = {"LOGNAME", "USER", "LNAME", "USERNAME"};
	MXT_CLEANUP_BUF struct mxt_buf home = MXT_BUF_INIT, name = MXT_BUF_INIT;
	const char *home_set = get_set(environment, "HOME"), *name_set = NULL;
	for (size_t i = 0; i < MXT_ARRAY_LEN(names) && !name_set; i++)
		name_set = get_set(environment, names[i]);
	mxt_user_passwd(&home, &name);
	user->environment = environment;
	mxt_buf_puts(&user->home, home_set ? home_set : mxt_buf_text(&home));
	mxt_buf_puts(&user->name, name_set ? name_set : mxt_buf_text(&name));
	int rc = mxt_buf_status(&user->home, err);
	return rc < 0 ? rc : mxt_buf_status(&user->name, err);
}

/* ---- where a row's place is ---- */

static const char *base_of(const struct cache_row *row, const struct user *user)
{
	if (row->base[0] == '/' || row->base[0] == '.')
		return row->base;
	if (strcmp(row->base, "~") == 0)
		return user->home.len > 0 ? mxt_buf_text(&user->home) : NULL;
	return get_set(user->environment, row->base);
}

/* PyTorch replaces what no name of a file may hold anywhere. */
static void append_user(struct mxt_buf *path, const char *name)
{
	for (; *name; name++)
		mxt_buf_putc(path, strchr("\\/:*?\"<>|", *name) ? '_' : *name);
}

static void append_below(struct mxt_buf *path, const char *below, const struct user *user)
{
	const char *mark = strstr(below, "%u");
	if (!*below)
		return;
	mxt_buf_putc(path, '/');
	mxt_buf_append(path, below, mark ? (size_t)(mark - below) : strlen(below));
	if (mark)
		append_user(path, mxt_buf_text(&user->name));
}

/* Characters of a name, escaped for fnmatch(). */
static void append_literal(struct mxt_buf *pattern, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (strchr("*?[]\\", text[i]))
			mxt_buf_putc(pattern, '\\');
		mxt_buf_putc(pattern, text[i]);
	}
}

/* "results.csv" and "results%d.csv" both stand for results0.csv and so on. */
static void append_pattern(struct mxt_buf *pattern, const char *name)
{
	const char *number = strstr(name, "%d");
	const char *dot = strrchr(name, '.');
	size_t stem = number ? (size_t)(number - name) : dot ? (size_t)(dot - name) : strlen(name);
	const char *rest = name + stem + (number ? 2 : 0);
	append_literal(pattern, name, stem);
	mxt_buf_putc(pattern, '*');
	append_literal(pattern, rest, strlen(rest));
}

/* Splits the path of a file into its folder and a pattern. */
static int make_file_place(struct mxt_buf *path, struct mxt_cache_place *place, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf pattern = MXT_BUF_INIT, folder = MXT_BUF_INIT;
	const char *text = mxt_buf_text(path), *slash = strrchr(text, '/');
	append_pattern(&pattern, slash ? slash + 1 : text);
	if (slash)
		mxt_buf_append(&folder, text, slash == text ? 1 : (size_t)(slash - text));
	else
		mxt_buf_putc(&folder, '.');
	place->pattern = mxt_buf_steal(&pattern);
	place->folder = mxt_buf_steal(&folder);
	return place->pattern && place->folder ? 0 : mxt_error_oom(err);
}

static int make_place(const struct cache_row *row, const char *base, const struct user *user,
		      struct mxt_cache_place *place, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_puts(&path, base);
	append_below(&path, row->below, user);
	int rc = mxt_buf_status(&path, err);
	if (rc < 0)
		return rc;
	*place = (struct mxt_cache_place){.cache = row->cache, .tuned = row->tuned};
	if (row->kind == CACHE_FILE)
		rc = make_file_place(&path, place, err);
	else
		place->folder = mxt_buf_steal(&path);
	if (rc < 0)
		mxt_cache_place_finish(place);
	return rc;
}

int mxt_cache_places_find(char *const *environment, struct mxt_cache_place places[MXT_CACHE_PLACE_MAX],
			  size_t *ret_count, struct mxt_error *err)
{
	MXT_CLEANUP(user_finish) struct user user = {NULL, MXT_BUF_INIT, MXT_BUF_INIT};
	const char *done = ""; /* the cache that has its place: rows of one stand together */
	size_t count = 0;
	int rc = user_init(&user, environment, err);
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(rows) && count < MXT_CACHE_PLACE_MAX; i++) {
		const char *base = strcmp(rows[i].cache, done) == 0 ? NULL : base_of(&rows[i], &user);
		if (!base)
			continue;
		done = rows[i].cache;
		rc = make_place(&rows[i], base, &user, &places[count], err);
		count += rc == 0 ? 1 : 0;
	}
	for (size_t i = 0; rc < 0 && i < count; i++)
		mxt_cache_place_finish(&places[i]);
	if (rc == 0)
		*ret_count = count;
	return rc;
}

bool mxt_cache_place_tunes(const struct mxt_cache_place *place, const char *path)
{
	char pattern[32];
	for (const char *at = place->tuned; *at;) {
		size_t len = strcspn(at, " ");
		if (len < sizeof pattern) {
			memcpy(pattern, at, len);
			pattern[len] = '\0';
			if (fnmatch(pattern, path, 0) == 0)
				return true;
		}
		at += len;
		at += strspn(at, " ");
	}
	return false;
}
