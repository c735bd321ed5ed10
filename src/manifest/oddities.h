/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no list can hold, where one is looked for: FIFOs, folders that cannot be read, names with a newline.
 */
#ifndef MXT_MANIFEST_ODDITIES_H
#define MXT_MANIFEST_ODDITIES_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "verify_report.h"

struct mxt_error;

struct mxt_oddity {
	char *path; /* owned */
	enum mxt_finding_kind kind;
	char *found;    /* owned: in a few words */
	bool is_listed; /* itself, or something below it */
};

struct mxt_oddities {
	struct mxt_oddity *items; /* owned */
	size_t count, capacity;
	bool failed; /* memory ran out: they are not all there */
};
#define MXT_CLEANUP_ODDITIES MXT_CLEANUP(mxt_oddities_finish)
void mxt_oddities_finish(struct mxt_oddities *oddities);

/* For mxt_tree_list(): keeps what cannot be listed. `context`: the oddities. */
void mxt_oddities_take(void *context, const char *path, const struct mxt_error *err);

void mxt_oddities_sort(struct mxt_oddities *oddities);

/* Whether the path is one, or lies below one, which is marked then. They are sorted. */
bool mxt_oddities_cover(struct mxt_oddities *oddities, const char *path);

/* Tells of those that are listed, or of all. */
int mxt_oddities_report(const struct mxt_oddities *oddities, bool all, size_t list, struct mxt_verify_report *report,
			struct mxt_error *err) MXT_WUR;

#endif
