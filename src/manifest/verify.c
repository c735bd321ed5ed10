/* SPDX-License-Identifier: Apache-2.0 */
#include "verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "b3_list.h"
#include "b3_name.h"
#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "json.h"
#include "list_check.h"
#include "list_scope.h"
#include "run_files.h"

/* ---- places ---- */

static const struct mxt_file_list *list_at(const struct mxt_verify_request *request, size_t i)
{
	return mxt_manifest_list(request->manifest, i);
}

/* How many lists before number `end` have this role. */
static size_t count_role(const struct mxt_verify_request *request, enum mxt_list_role role, size_t end)
{
	size_t n = 0;
	for (size_t i = 0; i < end; i++)
		n += list_at(request, i)->role == role;
	return n;
}

static size_t count_given(char *const *names)
{
	size_t n = 0;
	while (names && names[n])
		n++;
	return n;
}

static const char *given_place(const struct mxt_verify_request *request, size_t i)
{
	enum mxt_list_role role = list_at(request, i)->role;
	if (role == MXT_LIST_RUN)
		return request->run_folder;
	if (role == MXT_LIST_CHECKPOINT)
		return request->checkpoint;
	size_t number = count_role(request, role, i);
	return number < count_given(request->datasets) ? request->datasets[number] : NULL;
}

/* Where a folder lies that the run's folder was in, if the way to it is still the same; NULL: unknown. */
static char *above(const struct mxt_verify_request *request, const char *way)
{
	MXT_CLEANUP_FREE char *here = realpath(request->run_folder, NULL);
	if (!here)
		return NULL;
	size_t len = strlen(here), way_len = strlen(way);
	if (len < way_len + 2 || strcmp(here + len - way_len, way) != 0 || here[len - way_len - 1] != '/')
		return NULL;
	here[len - way_len - 1] = '\0';
	return mxt_steal_ptr(&here);
}

void mxt_verify_place(const struct mxt_verify_request *request, size_t i, struct mxt_buf *buf)
{
	const char *given = given_place(request, i);
	const char *run = list_at(request, 0)->root, *listed = list_at(request, i)->root;
	const char *down = mxt_list_below(run, listed), *up = mxt_list_below(listed, run);
	MXT_CLEANUP_FREE char *folder = up ? above(request, up) : NULL;
	if (!given && down)
		mxt_buf_printf(buf, "%s/%s", request->run_folder, down);
	else
		mxt_buf_puts(buf, given ? given : folder ? folder : listed);
}

int mxt_verify_check_places(const struct mxt_verify_request *request, struct mxt_error *err)
{
	size_t n = mxt_manifest_n_lists(request->manifest);
	size_t datasets = count_role(request, MXT_LIST_DATASET, n);
	if (request->plan && !json_object_get(mxt_manifest_document(request->manifest), "plan"))
		return mxt_error_set(err, -EINVAL, MXT_E_VERIFY_PLACE,
				     "the manifest is of a run without a plan: leave --plan out");
	if (count_given(request->datasets) > datasets)
		return mxt_error_set(err, -EINVAL, MXT_E_VERIFY_PLACE,
				     "of datasets the manifest lists %zu, and %zu places are given: leave --dataset "
				     "out, or give it once "
				     "for each",
				     datasets, count_given(request->datasets));
	if (request->checkpoint && count_role(request, MXT_LIST_CHECKPOINT, n) == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_VERIFY_PLACE,
				     "the manifest lists no checkpoint: leave --checkpoint out");
	return 0;
}

/* ---- what stands beside the lists ---- */

/* One small file that must hold exactly these bytes. `is_ours`: it may be absent, but no link. */
static int check_bytes(const char *path, const char *name, const char *expected_hex, bool is_ours,
		       struct mxt_verify_report *report, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	char hex[MXT_HASH_HEX_SIZE];
	int rc = (is_ours ? mxt_file_read_no_link : mxt_file_read)(path, MXT_MANIFEST_MAX_BYTES, &text, &why);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc == -ENOENT)
		return is_ours ? 0
			       : mxt_verify_report_add(report, MXT_FINDING_MISSING, 0, name, expected_hex, NULL, err);
	if (rc == -ELOOP && is_ours)
		return mxt_verify_report_add(report, MXT_FINDING_KIND, 0, name, "a file", "a link", err);
	if (rc < 0)
		return mxt_verify_report_add(report, MXT_FINDING_UNREADABLE, 0, name, expected_hex, strerror(-rc), err);
	mxt_hash_hex(mxt_buf_text(&text), text.len, hex);
	if (strcmp(hex, expected_hex) == 0)
		return 0;
	return mxt_verify_report_add(report, MXT_FINDING_CONTENT, 0, name, expected_hex, hex, err);
}

/* A copy of the plan stands for plan.json in the run's folder, too, which may be missing then. */
static int check_plan(const struct mxt_verify_request *request, struct mxt_verify_report *report, struct mxt_error *err)
{
	const json_t *plan = json_object_get(mxt_manifest_document(request->manifest), "plan");
	const struct mxt_file_entry *entry = mxt_file_list_find(list_at(request, 0), MXT_RUN_PLAN);
	char hex[MXT_HASH_HEX_SIZE];
	if (!request->plan)
		return 0;
	int rc = check_bytes(request->plan, request->plan, mxt_json_text(plan, "blake3"), false, report, err);
	if (rc < 0 || !entry)
		return rc;
	mxt_hash_to_hex(entry->hash, hex);
	if (strcmp(hex, mxt_json_text(plan, "blake3")) == 0)
		return 0;
	return check_bytes(request->plan, request->plan, hex, false, report, err);
}

/* The list for b3sum beside the manifest, where there is one, says the same. */
static int check_b3(const struct mxt_verify_request *request, size_t i, struct mxt_verify_report *report,
		    struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char hex[MXT_HASH_HEX_SIZE];
	size_t left_out = 0;
	mxt_b3_name(request->manifest, i, &name);
	mxt_buf_printf(&path, "%s/%s", request->run_folder, mxt_buf_text(&name));
	mxt_b3_list_text(list_at(request, i), &text, &left_out);
	if (name.failed || path.failed || text.failed)
		return mxt_error_oom(err);
	mxt_hash_hex(mxt_buf_text(&text), text.len, hex);
	return check_bytes(path.data, name.data, hex, true, report, err);
}

/* ---- all lists ---- */

struct checks {
	struct mxt_list_check *items; /* owned */
	size_t count;
};

static void checks_finish(struct checks *checks)
{
	for (size_t i = 0; i < checks->count; i++)
		mxt_list_check_finish(&checks->items[i]);
	free(checks->items);
}

static int scope(const struct mxt_verify_request *request, size_t i, const char ***ret_left_out, struct mxt_error *err)
{
	size_t n = mxt_manifest_n_lists(request->manifest);
	MXT_CLEANUP_FREE const char **roots = calloc(n, sizeof *roots);
	if (!roots)
		return mxt_error_oom(err);
	for (size_t k = 0; k < n; k++)
		roots[k] = list_at(request, k)->root;
	return mxt_list_scope(roots, n, i, ret_left_out, err);
}

static int look_at_one(const struct mxt_verify_request *request, size_t i, struct mxt_list_check *check,
		       struct mxt_verify_report *report, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf place = MXT_BUF_INIT;
	check->list = list_at(request, i);
	check->number = i;
	check->id = mxt_manifest_id(request->manifest);
	check->elsewhere = i == 0 && request->plan ? MXT_RUN_PLAN : NULL;
	mxt_verify_place(request, i, &place);
	int rc = mxt_buf_status(&place, err);
	if (rc == 0)
		rc = scope(request, i, &check->left_out, err);
	return rc < 0 ? rc : mxt_list_check_look(check, request, place.data, report, err);
}

static int look_at_all(const struct mxt_verify_request *request, struct checks *checks,
		       struct mxt_verify_report *report, struct mxt_error *err)
{
	size_t n = mxt_manifest_n_lists(request->manifest);
	checks->items = calloc(n + 1, sizeof *checks->items);
	if (!checks->items)
		return mxt_error_oom(err);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		checks->items[i] = (struct mxt_list_check)MXT_LIST_CHECK_INIT;
		checks->count++;
		rc = look_at_one(request, i, &checks->items[i], report, err);
	}
	return rc;
}

static int hash_all(const struct mxt_verify_request *request, const struct checks *checks,
		    struct mxt_verify_report *report, struct mxt_error *err)
{
	uint64_t total = 0, before = 0;
	int rc = 0;
	for (size_t i = 0; i < checks->count; i++)
		total += checks->items[i].bytes;
	for (size_t i = 0; rc == 0 && i < checks->count; i++) {
		rc = mxt_list_check_hash(&checks->items[i], request, before, total, report, err);
		before += checks->items[i].bytes;
	}
	for (size_t i = 0; rc == 0 && i < checks->count; i++)
		mxt_list_check_remember(&checks->items[i], request);
	return rc;
}

static void hand_out(struct mxt_verify_report *report, struct mxt_verify_report *ret_report)
{
	mxt_verify_report_sort(report);
	*ret_report = *report;
	*report = (struct mxt_verify_report)MXT_VERIFY_REPORT_INIT;
}

int mxt_verify(const struct mxt_verify_request *request, struct mxt_verify_report *ret_report, struct mxt_error *err)
{
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	MXT_CLEANUP(checks_finish) struct checks checks = {.items = NULL};
	int rc = mxt_verify_check_places(request, err);
	if (rc == 0)
		rc = look_at_all(request, &checks, &report, err);
	if (rc == 0)
		rc = check_plan(request, &report, err);
	for (size_t i = 0; rc == 0 && i < checks.count; i++)
		rc = check_b3(request, i, &report, err);
	if (rc == 0)
		rc = hash_all(request, &checks, &report, err);
	if (rc == 0)
		hand_out(&report, ret_report);
	return rc;
}

int mxt_verify_list(const struct mxt_verify_request *request, const struct mxt_file_list *list, const char *place,
		    const char *left_out, struct mxt_verify_report *ret_report, struct mxt_error *err)
{
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	MXT_CLEANUP_LIST_CHECK struct mxt_list_check check = MXT_LIST_CHECK_INIT;
	uint8_t hash[MXT_HASH_SIZE];
	char id[MXT_HASH_HEX_SIZE];
	mxt_file_list_hash(list, hash);
	mxt_hash_to_hex(hash, id);
	check.list = list;
	check.id = id;
	check.files_only = true;
	check.left_out = calloc(2, sizeof *check.left_out);
	if (!check.left_out)
		return mxt_error_oom(err);
	check.left_out[0] = left_out;
	int rc = mxt_list_check_look(&check, request, place, &report, err);
	if (rc == 0)
		rc = mxt_list_check_hash(&check, request, 0, check.bytes, &report, err);
	if (rc < 0)
		return rc;
	mxt_list_check_remember(&check, request);
	hand_out(&report, ret_report);
	return 0;
}
