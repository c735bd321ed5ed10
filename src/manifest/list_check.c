/* SPDX-License-Identifier: Apache-2.0 */
#include "list_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "b3_list.h"
#include "cleanup.h"
#include "error.h"
#include "oddities.h"
#include "quick_cache.h"
#include "tree.h"

#define NO_TWIN SIZE_MAX

void mxt_list_check_finish(struct mxt_list_check *check)
{
	mxt_cleanup_close_(&check->root_fd);
	mxt_file_list_finish(&check->here);
	free(check->left_out);
	free(check->twins);
	free(check->skip);
	free(check->identities);
	*check = (struct mxt_list_check)MXT_LIST_CHECK_INIT;
}

static int add(const struct mxt_list_check *check, enum mxt_finding_kind kind, const char *path, const char *expected,
	       const char *found, struct mxt_verify_report *report, struct mxt_error *err)
{
	return mxt_verify_report_add(report, kind, check->number, path, expected, found, err);
}

/* ---- what lies there ---- */

/* Whether there is a place at all. Memory that runs out is an error; all else is found. */
static int list_place(struct mxt_list_check *check, const char *place, const struct mxt_hash_watch *watch,
		      struct mxt_oddities *oddities, struct mxt_verify_report *report, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	const struct mxt_tree_request request = {
	    .root = place,
	    .role = check->list->role,
	    .left_out = check->left_out,
	    .passes_over = mxt_oddities_take,
	    .context = oddities,
	    .watch = watch,
	};
	int rc = mxt_tree_list(&request, &check->here, &why);
	if (rc == 0)
		rc = mxt_tree_open_root(check->here.root, &check->root_fd, &why);
	if (rc == -ENOMEM || oddities->failed)
		return mxt_error_oom(err);
	if (rc == -ECANCELED)
		mxt_error_move(err, &why);
	if (rc == -ECANCELED)
		return rc;
	if (rc < 0)
		return add(check, MXT_FINDING_ROOT, place, check->list->single ? "a file" : "a folder",
			   why.id == MXT_E_TREE_KIND ? "a FIFO, socket or device"
			   : rc == -ENOENT           ? "nothing"
						     : strerror(-rc),
			   report, err);
	if (check->here.single && !check->list->single)
		return add(check, MXT_FINDING_ROOT, place, "a folder", "a file", report, err);
	check->is_there = true;
	mxt_oddities_sort(oddities);
	return 0;
}

static int allocate(struct mxt_list_check *check, struct mxt_error *err)
{
	check->twins = calloc(check->here.count + 1, sizeof *check->twins);
	check->skip = calloc(check->here.count + 1, sizeof *check->skip);
	check->identities = calloc(check->list->count + 1, sizeof *check->identities);
	return check->twins && check->skip && check->identities ? 0 : mxt_error_oom(err);
}

static int find_missing(const struct mxt_list_check *check, size_t i, struct mxt_oddities *oddities,
			struct mxt_verify_report *report, struct mxt_error *err)
{
	const struct mxt_file_entry *entry = &check->list->entries[i];
	char hex[MXT_HASH_HEX_SIZE] = "";
	if (mxt_oddities_cover(oddities, entry->path))
		return 0;
	if (check->elsewhere && strcmp(check->elsewhere, entry->path) == 0)
		return 0;
	if (entry->kind == MXT_ENTRY_FILE)
		mxt_hash_to_hex(entry->hash, hex);
	return add(check, MXT_FINDING_MISSING, entry->path, entry->target ? entry->target : hex, NULL, report, err);
}

/* Of a list for one file, all that lies beside it is none of its matter. */
static bool is_tolerated(const struct mxt_list_check *check, const struct mxt_file_entry *here, bool allows_extra)
{
	if (allows_extra || check->list->single)
		return true;
	return check->files_only && (here->kind == MXT_ENTRY_LINK || !mxt_b3_can_name(here->path));
}

static int find_extra(const struct mxt_list_check *check, size_t i, bool allows_extra, struct mxt_verify_report *report,
		      struct mxt_error *err)
{
	const struct mxt_file_entry *here = &check->here.entries[i];
	char size[32] = "a link";
	if (is_tolerated(check, here, allows_extra))
		return 0;
	if (here->kind == MXT_ENTRY_FILE)
		(void)snprintf(size, sizeof size, "%" PRId64 " bytes", here->size);
	return add(check, MXT_FINDING_EXTRA, here->path, NULL, size, report, err);
}

/* Finds each entry's twin; both lists are sorted. */
static int pair(struct mxt_list_check *check, bool allows_extra, struct mxt_oddities *oddities,
		struct mxt_verify_report *report, struct mxt_error *err)
{
	const struct mxt_file_list *list = check->list, *here = &check->here;
	size_t i = 0, j = 0;
	int rc = 0;
	while (rc == 0 && (i < list->count || j < here->count)) {
		int order = i == list->count   ? 1
			    : j == here->count ? -1
					       : strcmp(list->entries[i].path, here->entries[j].path);
		if (list->single && here->single && i < list->count && j < here->count)
			order = 0; /* a copy may have another name */
		if (order < 0)
			rc = find_missing(check, i, oddities, report, err);
		if (order > 0)
			rc = find_extra(check, j, allows_extra, report, err);
		if (j < here->count && order >= 0)
			check->twins[j] = order == 0 ? i : NO_TWIN;
		i += order <= 0;
		j += order >= 0;
	}
	return rc;
}

static int compare_sizes(const struct mxt_list_check *check, const struct mxt_file_entry *listed, int64_t size,
			 bool *ret_equal, struct mxt_verify_report *report, struct mxt_error *err)
{
	char expected[32], found[32];
	*ret_equal = listed->size < 0 || listed->size == size;
	if (*ret_equal)
		return 0;
	(void)snprintf(expected, sizeof expected, "%" PRId64 " bytes", listed->size);
	(void)snprintf(found, sizeof found, "%" PRId64 " bytes", size);
	return add(check, MXT_FINDING_SIZE, listed->path, expected, found, report, err);
}

/* All but the content. *ret_equal: the file is still to be hashed, or the link is right. */
static int compare(const struct mxt_list_check *check, const struct mxt_file_entry *listed,
		   const struct mxt_file_entry *here, bool *ret_equal, struct mxt_verify_report *report,
		   struct mxt_error *err)
{
	static const char *const kinds[] = {[MXT_ENTRY_FILE] = "a file", [MXT_ENTRY_LINK] = "a link"};
	*ret_equal = false;
	if (listed->kind != here->kind)
		return add(check, MXT_FINDING_KIND, listed->path, kinds[listed->kind], kinds[here->kind], report, err);
	if (listed->kind == MXT_ENTRY_FILE)
		return compare_sizes(check, listed, here->size, ret_equal, report, err);
	*ret_equal = strcmp(listed->target, here->target) == 0;
	if (*ret_equal)
		return 0;
	return add(check, MXT_FINDING_LINK, listed->path, listed->target, here->target, report, err);
}

static struct mxt_quick_cache cache_of(const struct mxt_list_check *check, const struct mxt_verify_request *request)
{
	return (struct mxt_quick_cache){
	    .folder = request->cache, .id = check->id, .root = check->here.root, .list = check->list};
}

/* What needs no hashing is skipped; `identities` holds what the cache knows, and then what can be trusted. */
static int compare_all(struct mxt_list_check *check, struct mxt_verify_report *report, struct mxt_error *err)
{
	for (size_t j = 0; j < check->here.count; j++) {
		const struct mxt_file_entry *here = &check->here.entries[j];
		bool equal = false, trusted = false;
		size_t i = check->twins[j];
		int rc = i == NO_TWIN ? 0 : compare(check, &check->list->entries[i], here, &equal, report, err);
		if (rc < 0)
			return rc;
		if (equal && here->kind == MXT_ENTRY_FILE)
			trusted = mxt_quick_is_known(&check->identities[i]) &&
				  mxt_file_identity_equal(&check->identities[i], &here->seen);
		check->skip[j] = !equal || trusted || here->kind == MXT_ENTRY_LINK;
		if (!trusted && i != NO_TWIN)
			check->identities[i] = (struct mxt_file_identity){.inode = 0};
		report->files_trusted += trusted;
		check->files_left += !check->skip[j];
		check->bytes += check->skip[j] ? 0 : (uint64_t)here->size;
	}
	return 0;
}

int mxt_list_check_look(struct mxt_list_check *check, const struct mxt_verify_request *request, const char *place,
			struct mxt_verify_report *report, struct mxt_error *err)
{
	MXT_CLEANUP_ODDITIES struct mxt_oddities oddities = {.items = NULL};
	int rc = list_place(check, place, &request->watch, &oddities, report, err);
	if (rc < 0 || !check->is_there)
		return rc;
	rc = allocate(check, err);
	if (rc == 0)
		rc = pair(check, request->allows_extra, &oddities, report, err);
	if (rc == 0)
		rc = mxt_oddities_report(&oddities, !request->allows_extra && !check->list->single, check->number,
					 report, err);
	const struct mxt_quick_cache cache = cache_of(check, request);
	if (rc == 0 && request->quick && request->cache)
		(void)mxt_quick_cache_load(&cache, check->identities);
	return rc < 0 ? rc : compare_all(check, report, err);
}

/* ---- what it holds ---- */

static int judge_failure(const struct mxt_list_check *check, const struct mxt_file_entry *listed, int status,
			 struct mxt_verify_report *report, struct mxt_error *err)
{
	char hex[MXT_HASH_HEX_SIZE];
	mxt_hash_to_hex(listed->hash, hex);
	switch (status) {
	case -ENOMEM:
		return mxt_error_oom(err);
	case -ENOENT:
		return add(check, MXT_FINDING_MISSING, listed->path, hex, NULL, report, err);
	case -ESTALE:
	case -ELOOP: /* it was a file just now */
	case -ENOTDIR:
	case -EINVAL:
		return add(check, MXT_FINDING_UNSTABLE, listed->path, hex, "changed while it was read", report, err);
	default:
		return add(check, MXT_FINDING_UNREADABLE, listed->path, hex, strerror(-status), report, err);
	}
}

static int judge(struct mxt_list_check *check, size_t i, const struct mxt_hash_outcome *outcome,
		 struct mxt_verify_report *report, struct mxt_error *err)
{
	const struct mxt_file_entry *listed = &check->list->entries[i];
	char expected[MXT_HASH_HEX_SIZE], found[MXT_HASH_HEX_SIZE];
	if (outcome->status < 0)
		return judge_failure(check, listed, outcome->status, report, err);
	check->files_hashed++;
	report->files_hashed++;
	report->bytes_hashed += (uint64_t)outcome->identity.size;
	if (memcmp(outcome->hash, listed->hash, MXT_HASH_SIZE) == 0) {
		check->identities[i] = outcome->identity;
		return 0;
	}
	mxt_hash_to_hex(listed->hash, expected);
	mxt_hash_to_hex(outcome->hash, found);
	return add(check, MXT_FINDING_CONTENT, listed->path, expected, found, report, err);
}

int mxt_list_check_hash(struct mxt_list_check *check, const struct mxt_verify_request *request, uint64_t before,
			uint64_t total, struct mxt_verify_report *report, struct mxt_error *err)
{
	if (check->files_left == 0)
		return 0;
	MXT_CLEANUP_FREE struct mxt_hash_outcome *outcomes = calloc(check->here.count, sizeof *outcomes);
	if (!outcomes)
		return mxt_error_oom(err);
	const struct mxt_hash_request hash = {
	    .root_fd = check->root_fd,
	    .entries = check->here.entries,
	    .count = check->here.count,
	    .skip = check->skip,
	    .threads = request->threads,
	    .watch = request->watch,
	    .bytes_before = before,
	    .bytes_total = total,
	};
	int rc = mxt_hash_files(&hash, outcomes, err);
	for (size_t j = 0; rc == 0 && j < check->here.count; j++)
		if (!check->skip[j])
			rc = judge(check, check->twins[j], &outcomes[j], report, err);
	return rc;
}

void mxt_list_check_remember(const struct mxt_list_check *check, const struct mxt_verify_request *request)
{
	const struct mxt_quick_cache cache = cache_of(check, request);
	if (request->cache && check->files_hashed > 0)
		(void)mxt_quick_cache_store(&cache, check->identities, request->now_ns);
}
