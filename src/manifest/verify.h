/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds what lies here against a manifest.
 */
#ifndef MXT_MANIFEST_VERIFY_H
#define MXT_MANIFEST_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "hash_files.h"
#include "manifest.h"

struct mxt_error;

enum mxt_finding_kind {
	MXT_FINDING_MISSING,
	MXT_FINDING_EXTRA,
	MXT_FINDING_CONTENT, /* same size, another hash */
	MXT_FINDING_SIZE,
	MXT_FINDING_LINK, /* leads elsewhere */
	MXT_FINDING_KIND, /* a file that is a link now, or the other way, or neither */
	MXT_FINDING_UNREADABLE,
	MXT_FINDING_UNSTABLE, /* changed while it was read */
	MXT_FINDING_ROOT,     /* a listed folder is not where it was: say where it is */
};

struct mxt_finding {
	enum mxt_finding_kind kind;
	size_t list;            /* of the manifest */
	char *path;             /* owned: as it is in the list, any bytes but newline; the root for MXT_FINDING_ROOT */
	char *expected, *found; /* owned: hash, size or link text for people; NULL: nothing */
};

struct mxt_verify_request {
	const struct mxt_manifest *manifest;
	const char *run_folder; /* where the list "run" lies: the manifest's own folder */
	const char *plan;       /* a copy of plan.json elsewhere; NULL: in the run's folder */
	char *const *datasets;  /* NULL-ended, in the order of the manifest's lists; NULL: where the manifest says */
	const char *checkpoint; /* NULL: where the manifest says */
	bool allows_extra;
	const char *cache; /* folder of quick caches; NULL: there is none */
	bool quick;        /* trusts sizes and times of the cache */
	unsigned threads;
	struct mxt_hash_watch watch;
};

struct mxt_verify_report {
	struct mxt_finding *findings; /* owned: sorted by list and path */
	size_t count;
	size_t files_hashed, files_trusted; /* trusted: by size and time */
	uint64_t bytes_hashed;
};
#define MXT_CLEANUP_VERIFY_REPORT MXT_CLEANUP(mxt_verify_report_finish)
void mxt_verify_report_finish(struct mxt_verify_report *report);

/* 0: it was looked at, whatever was found. */
int mxt_verify(const struct mxt_verify_request *request, struct mxt_verify_report *ret_report,
	       struct mxt_error *err) MXT_WUR;

#endif
