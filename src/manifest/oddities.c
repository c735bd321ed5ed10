/* SPDX-License-Identifier: Apache-2.0 */
#include "oddities.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"

static void oddity_finish(struct mxt_oddity *oddity)
{
	free(oddity->path);
	free(oddity->found);
}

void mxt_oddities_finish(struct mxt_oddities *oddities)
{
	for (size_t i = 0; i < oddities->count; i++)
		oddity_finish(&oddities->items[i]);
	free(oddities->items);
}

static bool make_room(struct mxt_oddities *oddities)
{
	struct mxt_oddity *items =
	    mxt_array_reserve(oddities->items, oddities->count, &oddities->capacity, sizeof *items);
	oddities->items = items ? items : oddities->items;
	return items != NULL;
}

/* What it is, in a few words. */
static enum mxt_finding_kind describe(const struct mxt_error *err, const char **ret_found)
{
	switch (err->id) {
	case MXT_E_TREE_KIND:
		*ret_found = "a FIFO, socket or device";
		return MXT_FINDING_KIND;
	case MXT_E_TREE_CHANGED:
		*ret_found = "went away while it was looked at";
		return MXT_FINDING_UNSTABLE;
	case MXT_E_LIST_PATH:
		*ret_found = "a name that no list may hold";
		return MXT_FINDING_EXTRA;
	default:
		*ret_found = strerror(-err->status);
		return MXT_FINDING_UNREADABLE;
	}
}

void mxt_oddities_take(void *context, const char *path, const struct mxt_error *err)
{
	struct mxt_oddities *oddities = context;
	const char *found = NULL;
	enum mxt_finding_kind kind = describe(err, &found);
	struct mxt_oddity oddity = {.path = strdup(path), .kind = kind, .found = strdup(found)};
	if (!oddity.path || !oddity.found || !make_room(oddities)) {
		oddity_finish(&oddity);
		oddities->failed = true;
		return;
	}
	oddities->items[oddities->count++] = oddity;
}

static int by_path(const void *a, const void *b)
{
	const struct mxt_oddity *x = a, *y = b;
	return strcmp(x->path, y->path);
}

void mxt_oddities_sort(struct mxt_oddities *oddities)
{
	if (oddities->count > 1)
		qsort(oddities->items, oddities->count, sizeof *oddities->items, by_path);
}

/* The first bytes of a path. */
struct part {
	const char *path;
	size_t len;
};

static int part_by_path(const void *key, const void *item)
{
	const struct part *part = key;
	const struct mxt_oddity *oddity = item;
	int order = strncmp(part->path, oddity->path, part->len);
	return order || !oddity->path[part->len] ? order : -1;
}

bool mxt_oddities_cover(struct mxt_oddities *oddities, const char *path)
{
	size_t len = oddities->count ? strlen(path) : 0;
	while (len > 0) {
		const struct part part = {path, len};
		struct mxt_oddity *oddity =
		    bsearch(&part, oddities->items, oddities->count, sizeof *oddities->items, part_by_path);
		if (oddity) {
			oddity->is_listed = true;
			return true;
		}
		const char *slash = memrchr(path, '/', len);
		len = slash ? (size_t)(slash - path) : 0;
	}
	return false;
}

int mxt_oddities_report(const struct mxt_oddities *oddities, bool all, size_t list, struct mxt_verify_report *report,
			struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < oddities->count; i++) {
		const struct mxt_oddity *oddity = &oddities->items[i];
		if (all || oddity->is_listed)
			rc = mxt_verify_report_add(report, oddity->kind, list, oddity->path, NULL, oddity->found, err);
	}
	return rc;
}
