/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was found where files were held against a list.
 */
#ifndef MXT_MANIFEST_VERIFY_REPORT_H
#define MXT_MANIFEST_VERIFY_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

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
	MXT_FINDING_ROOT,     /* what is listed is not where it was: say where it is */
	MXT_FINDING_KINDS
};

/* One word: "missing". */
const char *mxt_finding_name(enum mxt_finding_kind kind);

struct mxt_finding {
	enum mxt_finding_kind kind;
	size_t list;            /* of the manifest */
	char *path;             /* owned: as it is in the list, any bytes; the root for MXT_FINDING_ROOT */
	char *expected, *found; /* owned: hash, size, link text or words for people; NULL: nothing */
};

struct mxt_verify_report {
	struct mxt_finding *findings; /* owned: sorted by list and path */
	size_t count, capacity;
	size_t files_hashed, files_trusted; /* trusted: by size and time */
	uint64_t bytes_hashed;
};
#define MXT_VERIFY_REPORT_INIT                                                                                         \
	{                                                                                                              \
		.findings = NULL                                                                                       \
	}
#define MXT_CLEANUP_VERIFY_REPORT MXT_CLEANUP(mxt_verify_report_finish)
void mxt_verify_report_finish(struct mxt_verify_report *report);

/* Copies the strings; `expected` and `found` may be NULL. */
int mxt_verify_report_add(struct mxt_verify_report *report, enum mxt_finding_kind kind, size_t list, const char *path,
			  const char *expected, const char *found, struct mxt_error *err) MXT_WUR;

void mxt_verify_report_sort(struct mxt_verify_report *report);

#endif
