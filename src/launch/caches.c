/* SPDX-License-Identifier: Apache-2.0 */
#include "caches.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "buf.h"
#include "cache_place.h"
#include "cache_walk.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "json.h"

#define MAX_ADDED    8
#define MAX_ENTRIES  200000
#define MAX_FILES    256 /* of places that are files */
#define MAX_EXAMPLES 5
#define LIMIT_NS     (2 * MXT_NS_PER_S) /* for all places together */

/* A file that was there when the run began. Folders are too large to be remembered, files are few. */
struct known_file {
	char *path; /* owned: place and name */
	struct timespec changed;
	off_t bytes;
};

struct mxt_caches {
	struct mxt_cache_place places[MXT_CACHE_PLACE_MAX + MAX_ADDED]; /* owned */
	size_t n_places;
	struct timespec start; /* of the kernel's last tick, which is what files get */
	struct known_file files[MAX_FILES];
	size_t n_files;
};

void mxt_caches_destroy(struct mxt_caches *caches)
{
	for (size_t i = 0; caches && i < caches->n_places; i++)
		mxt_cache_place_finish(&caches->places[i]);
	for (size_t i = 0; caches && i < caches->n_files; i++)
		free(caches->files[i].path);
	free(caches);
}

static int walk(const struct mxt_cache_place *place, uint64_t deadline_ns,
		int (*visit)(void *context, const char *path, const struct stat *st, struct mxt_error *err),
		void *context, bool *ret_partly, struct mxt_error *err)
{
	const struct mxt_cache_walk request = {place->folder, place->pattern, MAX_ENTRIES, deadline_ns, visit, context};
	return mxt_cache_walk(&request, ret_partly, err);
}

/* ---- what is there already ---- */

struct survey {
	struct mxt_caches *caches;
	const struct mxt_cache_place *place;
};

static char *file_path(const struct mxt_cache_place *place, const char *name)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", place->folder, name);
	return mxt_buf_steal(&path);
}

static int remember(void *context, const char *path, const struct stat *st, struct mxt_error *err)
{
	const struct survey *survey = context;
	struct mxt_caches *caches = survey->caches;
	if (caches->n_files == MAX_FILES)
		return 0;
	struct known_file file = {file_path(survey->place, path), st->st_ctim, st->st_size};
	if (!file.path)
		return mxt_error_oom(err);
	caches->files[caches->n_files++] = file;
	return 0;
}

static int survey_files(struct mxt_caches *caches, struct mxt_error *err)
{
	uint64_t deadline_ns = mxt_now_ns(&mxt_clock_monotonic) + LIMIT_NS;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < caches->n_places; i++) {
		struct survey survey = {caches, &caches->places[i]};
		bool partly = false;
		if (survey.place->pattern)
			rc = walk(survey.place, deadline_ns, remember, &survey, &partly, err);
	}
	return rc;
}

int mxt_caches_create(char *const *environment, struct mxt_caches **ret_caches, struct mxt_error *err)
{
	struct mxt_caches *caches = calloc(1, sizeof *caches);
	if (!caches)
		return mxt_error_oom(err);
	int rc = mxt_cache_places_find(environment, caches->places, &caches->n_places, err);
	if (rc == 0)
		rc = survey_files(caches, err);
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &caches->start);
	if (rc < 0)
		mxt_caches_destroy(caches);
	else
		*ret_caches = caches;
	return rc;
}

int mxt_caches_add(struct mxt_caches *caches, const char *cache, const char *folder, struct mxt_error *err)
{
	const char *tuned = mxt_cache_tuned_patterns(cache);
	if (caches->n_places == MXT_ARRAY_LEN(caches->places))
		return mxt_error_set(err, -E2BIG, MXT_E_INTERNAL, "too many folders of caches");
	struct mxt_cache_place place = {cache, tuned ? tuned : "", strdup(folder), NULL};
	if (!place.folder)
		return mxt_error_oom(err);
	caches->places[caches->n_places++] = place;
	return 0;
}

/* ---- what has changed ---- */

struct tally {
	const struct mxt_caches *caches;
	const struct mxt_cache_place *place;
	json_int_t fresh, tuned;
	json_t *choices, *others; /* owned: examples */
};

static void tally_finish(struct tally *tally)
{
	json_decref(tally->choices);
	json_decref(tally->others);
}

static bool is_after(const struct timespec *time, const struct timespec *start)
{
	return time->tv_sec > start->tv_sec || (time->tv_sec == start->tv_sec && time->tv_nsec >= start->tv_nsec);
}

/* 1: it changed since the run began, 0: it did not; -ENOMEM. */
static int is_fresh(const struct tally *tally, const char *path, const struct stat *st, struct mxt_error *err)
{
	if (!tally->place->pattern)
		return is_after(&st->st_ctim, &tally->caches->start);
	MXT_CLEANUP_FREE char *whole = file_path(tally->place, path);
	if (!whole)
		return mxt_error_oom(err);
	for (size_t i = 0; i < tally->caches->n_files; i++) {
		const struct known_file *file = &tally->caches->files[i];
		if (strcmp(file->path, whole) == 0)
			return file->bytes != st->st_size || file->changed.tv_sec != st->st_ctim.tv_sec ||
			       file->changed.tv_nsec != st->st_ctim.tv_nsec;
	}
	return 1;
}

static int count_file(void *context, const char *path, const struct stat *st, struct mxt_error *err)
{
	struct tally *tally = context;
	int fresh = is_fresh(tally, path, st, err);
	if (fresh <= 0)
		return fresh;
	bool tuned = mxt_cache_place_tunes(tally->place, path);
	json_t *examples = tuned ? tally->choices : tally->others;
	tally->fresh++;
	tally->tuned += tuned ? 1 : 0;
	if (json_array_size(examples) == MAX_EXAMPLES)
		return 0;
	return json_array_append_new(examples, mxt_json_clean_text(path, strlen(path))) == 0 ? 0 : mxt_error_oom(err);
}

static int add_row(const struct tally *tally, bool partly, json_t *changes, struct mxt_error *err)
{
	for (size_t i = 0; json_array_size(tally->choices) < MAX_EXAMPLES && i < json_array_size(tally->others); i++)
		if (json_array_append(tally->choices, json_array_get(tally->others, i)) < 0)
			return mxt_error_oom(err);
	const char *folder = tally->place->folder;
	json_t *row = json_pack("{s:s, s:o, s:I, s:I, s:O}", "cache", tally->place->cache, "path",
				mxt_json_clean_text(folder, strlen(folder)), "new", tally->fresh, "tuned", tally->tuned,
				"examples", tally->choices);
	if (!row || (partly && json_object_set_new(row, "partly", json_true()) < 0)) {
		json_decref(row);
		return mxt_error_oom(err);
	}
	return json_array_append_new(changes, row) == 0 ? 0 : mxt_error_oom(err);
}

static int count_place(const struct mxt_caches *caches, const struct mxt_cache_place *place, uint64_t deadline_ns,
		       json_t *changes, struct mxt_error *err)
{
	MXT_CLEANUP(tally_finish) struct tally tally = {caches, place, 0, 0, json_array(), json_array()};
	bool partly = false;
	if (!tally.choices || !tally.others)
		return mxt_error_oom(err);
	int rc = walk(place, deadline_ns, count_file, &tally, &partly, err);
	return rc < 0 || (tally.fresh == 0 && !partly) ? rc : add_row(&tally, partly, changes, err);
}

int mxt_caches_changes(const struct mxt_caches *caches, json_t **ret_changes, struct mxt_error *err)
{
	uint64_t deadline_ns = mxt_now_ns(&mxt_clock_monotonic) + LIMIT_NS;
	MXT_CLEANUP_JSON json_t *changes = json_array();
	int rc = changes ? 0 : mxt_error_oom(err);
	for (size_t i = 0; rc == 0 && i < caches->n_places; i++)
		rc = count_place(caches, &caches->places[i], deadline_ns, changes, err);
	if (rc == 0)
		*ret_changes = json_incref(changes);
	return rc;
}
