/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds what lies here against a manifest, or against one list.
 */
#ifndef MXT_MANIFEST_VERIFY_H
#define MXT_MANIFEST_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "hash_files.h"
#include "manifest.h"
#include "verify_report.h"

struct mxt_error;

struct mxt_verify_request {
	const struct mxt_manifest *manifest;
	const char *run_folder; /* where the list "run" lies: the manifest's own folder */
	const char *plan;       /* a copy of plan.json elsewhere; NULL: in the run's folder */
	char *const *datasets;  /* NULL-ended, in the order of the manifest's lists; NULL: where the manifest says */
	const char *checkpoint; /* NULL: where the manifest says */
	bool allows_extra;
	const char *cache; /* folder of quick caches; NULL: nothing is known, nor kept */
	bool quick;        /* trusts sizes and times of the cache */
	int64_t now_ns;    /* CLOCK_REALTIME, for the cache */
	unsigned threads;
	struct mxt_hash_watch watch;
};

/*
 * Appends where list `i` is to be looked for: where the request says; else, for what lay in the run's folder, there;
 * else where the manifest says.
 */
void mxt_verify_place(const struct mxt_verify_request *request, size_t i, struct mxt_buf *buf);

/* MXT_E_VERIFY_PLACE: a place is given for something that the manifest does not have. */
int mxt_verify_check_places(const struct mxt_verify_request *request, struct mxt_error *err) MXT_WUR;

/* 0: it was looked at, whatever was found. Checks the places, too. */
int mxt_verify(const struct mxt_verify_request *request, struct mxt_verify_report *ret_report,
	       struct mxt_error *err) MXT_WUR;

/*
 * One list of mxt_b3_list_read(), whose files lie at `place`; `left_out`: the path there that is not looked at, such as
 * the list's own, or NULL. Of the request, manifest and places are not read.
 */
int mxt_verify_list(const struct mxt_verify_request *request, const struct mxt_file_list *list, const char *place,
		    const char *left_out, struct mxt_verify_report *ret_report, struct mxt_error *err) MXT_WUR;

#endif
