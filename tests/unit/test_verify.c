/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in folders, held against a manifest that was made of them, or against a list for b3sum. */
#include "verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "b3_list.h"
#include "b3_name.h"
#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "manifest_create.h"
#include "manifest_files.h"
#include "scratch.h"

#define FAR_FUTURE_NS INT64_C(4000000000000000000) /* by then everything is settled */

static void put(const char *folder, const char *name, const char *text)
{
	free(mxt_scratch_write(folder, name, text));
}

static void make_folder(const char *folder, const char *name)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, name);
	assert_return_code(mkdir(path, 0777), errno);
}

static void take_away(const char *folder, const char *name)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, name);
	assert_return_code(unlink(path), errno);
}

static void move(const char *folder, const char *from, const char *to)
{
	MXT_CLEANUP_FREE char *old = mxt_scratch_path(folder, from);
	MXT_CLEANUP_FREE char *new = mxt_scratch_path(folder, to);
	assert_return_code(rename(old, new), errno);
}

static void link_to(const char *folder, const char *name, const char *target)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, name);
	assert_return_code(symlink(target, path), errno);
}

/* A run with two datasets, one of them a file, and a checkpoint in its own folder; and its manifest. */
struct fixture {
	char *top, *run, *data, *file, *out, *cache;
	struct mxt_manifest *manifest;
	struct mxt_verify_request request;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	if (!f || mxt_scratch_setup((void **)&f->top) < 0)
		return -1;
	f->run = mxt_scratch_path(f->top, "run");
	f->data = mxt_scratch_path(f->top, "data");
	f->file = mxt_scratch_path(f->top, "more.jsonl");
	f->out = mxt_scratch_path(f->run, "out");
	f->cache = mxt_scratch_path(f->top, "cache/verify");
	make_folder(f->top, "run");
	make_folder(f->top, "data");
	make_folder(f->top, "data/sub");
	make_folder(f->run, "out");
	put(f->run, "train.log", "step 1\n");
	put(f->run, "empty", "");
	link_to(f->run, "latest", "out");
	put(f->data, "a.txt", "first");
	put(f->data, "sub/b.txt", "second");
	put(f->top, "more.jsonl", "{}\n");
	put(f->out, "notes.txt", "weights");
	char *datasets[] = {f->data, f->file, NULL};
	const struct mxt_manifest_request make = {
	    .run_folder = f->run, .datasets = datasets, .checkpoint = f->out, .now_ns = 1};
	struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_manifest_create(&make, &f->manifest, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	f->request = (struct mxt_verify_request){
	    .manifest = f->manifest, .run_folder = f->run, .threads = 1, .now_ns = FAR_FUTURE_NS};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	void *top = f->top;
	int rc = mxt_scratch_teardown(&top);
	mxt_manifest_destroy(f->manifest);
	free(f->run);
	free(f->data);
	free(f->file);
	free(f->out);
	free(f->cache);
	free(f);
	return rc;
}

static void put_findings(const struct mxt_manifest *manifest, const struct mxt_verify_report *report,
			 struct mxt_buf *text)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct mxt_finding *finding = &report->findings[i];
		mxt_buf_printf(text, "%s ", mxt_finding_name(finding->kind));
		if (manifest)
			mxt_list_label(manifest, finding->list, text);
		mxt_buf_printf(text, " %s\n", finding->kind == MXT_FINDING_ROOT ? "-" : finding->path);
	}
}

/* "KIND LIST PATH" in lines */
static void expect(const struct mxt_verify_request *request, const char *expected)
{
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_verify(request, &report, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	put_findings(request->manifest, &report, &text);
	assert_string_equal(mxt_buf_text(&text), expected);
}

static void test_nothing_changed(void **state)
{
	struct fixture *f = *state;
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	assert_int_equal(mxt_verify(&f->request, &report, NULL), 0);
	assert_int_equal(report.count, 0);
	assert_int_equal(report.files_hashed, 6);
	assert_int_equal(report.files_trusted, 0);
	assert_int_equal(report.bytes_hashed, 7 + 5 + 6 + 3 + 7);
}

static void test_every_kind_of_change(void **state)
{
	struct fixture *f = *state;
	put(f->run, "train.log", "step 2\n");
	put(f->run, "empty", "x");
	take_away(f->run, "latest");
	link_to(f->run, "latest", "../data");
	put(f->run, "new", "x");
	take_away(f->data, "a.txt");
	link_to(f->data, "a.txt", "sub/b.txt");
	take_away(f->data, "sub/b.txt");
	put(f->out, "notes.txt", "Weights");
	expect(&f->request, "size run empty\nlink run latest\nextra run new\ncontent run train.log\n"
			    "kind dataset-1 a.txt\nmissing dataset-1 sub/b.txt\ncontent checkpoint notes.txt\n");
	f->request.allows_extra = true;
	f->request.checkpoint = f->out;
	expect(&f->request, "size run empty\nlink run latest\ncontent run train.log\n"
			    "kind dataset-1 a.txt\nmissing dataset-1 sub/b.txt\ncontent checkpoint notes.txt\n");
}

static void test_findings_say_what_was_expected(void **state)
{
	struct fixture *f = *state;
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	put(f->run, "empty", "x");
	take_away(f->run, "train.log");
	take_away(f->run, "latest");
	assert_int_equal(mxt_verify(&f->request, &report, NULL), 0);
	assert_int_equal(report.count, 3);
	assert_string_equal(report.findings[0].expected, "0 bytes");
	assert_string_equal(report.findings[0].found, "1 bytes");
	assert_string_equal(report.findings[1].expected, "out");
	assert_null(report.findings[1].found);
	assert_int_equal(strlen(report.findings[2].expected), 64);
}

/* What no list can hold does not hide the rest, and is the list's matter only where it is listed. */
static void test_what_cannot_be_listed(void **state)
{
	struct fixture *f = *state;
	MXT_CLEANUP_FREE char *listed = mxt_scratch_path(f->data, "a.txt");
	MXT_CLEANUP_FREE char *extra = mxt_scratch_path(f->data, "pipe");
	put(f->run, "two\nlines", "x");
	take_away(f->data, "a.txt");
	assert_return_code(mkfifo(listed, 0600), errno);
	assert_return_code(mkfifo(extra, 0600), errno);
	expect(&f->request, "extra run two\nlines\nkind dataset-1 a.txt\nkind dataset-1 pipe\n");
	f->request.allows_extra = true;
	expect(&f->request, "kind dataset-1 a.txt\n");
}

static void test_a_file_where_a_folder_was(void **state)
{
	struct fixture *f = *state;
	move(f->data, "sub", "sup");
	put(f->data, "sub", "x");
	expect(&f->request, "extra dataset-1 sub\nmissing dataset-1 sub/b.txt\nextra dataset-1 sup/b.txt\n");
}

static void test_copies_elsewhere(void **state)
{
	struct fixture *f = *state;
	move(f->top, "data", "data2");
	move(f->top, "more.jsonl", "other.jsonl");
	expect(&f->request, "root dataset-1 -\nroot dataset-2 -\n");
	MXT_CLEANUP_FREE char *data = mxt_scratch_path(f->top, "data2");
	MXT_CLEANUP_FREE char *file = mxt_scratch_path(f->top, "other.jsonl");
	char *datasets[] = {data, file, NULL};
	f->request.datasets = datasets;
	expect(&f->request, "");
	put(f->top, "other.jsonl", "[]\n");
	expect(&f->request, "content dataset-2 more.jsonl\n");
	datasets[1] = NULL;
	expect(&f->request, "root dataset-2 -\n");
	datasets[0] = file;
	expect(&f->request, "root dataset-1 -\nroot dataset-2 -\n");
}

/* What lay in the run's folder is looked for in it, wherever it is now. */
static void test_a_moved_run(void **state)
{
	struct fixture *f = *state;
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(f->top, "moved");
	move(f->top, "run", "moved");
	f->request.run_folder = run;
	expect(&f->request, "");
	put(run, "out/notes.txt", "Weights");
	expect(&f->request, "content checkpoint notes.txt\n");
}

/* A run's folder in the one that the training wrote to: both are looked for where the manifest is now. */
static void test_a_run_in_its_output(void **state)
{
	struct fixture *f = *state;
	MXT_CLEANUP_FREE char *job = mxt_scratch_path(f->top, "job");
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(job, "run");
	MXT_CLEANUP_FREE char *moved = mxt_scratch_path(f->top, "job2/run");
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	make_folder(f->top, "job");
	make_folder(job, "run");
	put(job, "notes.txt", "weights");
	put(run, "train.log", "step 1\n");
	const struct mxt_manifest_request make = {.run_folder = run, .checkpoint = job, .now_ns = 1};
	assert_int_equal(mxt_manifest_create(&make, &manifest, NULL), 0);
	move(f->top, "job", "job2");
	const struct mxt_verify_request request = {.manifest = manifest, .run_folder = moved, .threads = 1};
	expect(&request, "");
	put(moved, "new", "x");
	put(moved, "../notes.txt", "Weights");
	expect(&request, "extra run new\ncontent checkpoint notes.txt\n");
}

static void test_places_that_the_manifest_has_no_use_for(void **state)
{
	struct fixture *f = *state;
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	f->request.plan = "plan.json";
	assert_int_equal(mxt_verify(&f->request, &report, &err), -EINVAL);
	assert_int_equal(err.id, MXT_E_VERIFY_PLACE);
	f->request.plan = NULL;
	char *datasets[] = {f->data, f->file, f->data, NULL};
	f->request.datasets = datasets;
	assert_int_equal(mxt_verify(&f->request, &report, &err), -EINVAL);
	assert_int_equal(err.id, MXT_E_VERIFY_PLACE);
}

/* Lists for b3sum beside the manifest may be missing, but say nothing else. */
static void test_lists_beside_the_manifest(void **state)
{
	struct fixture *f = *state;
	size_t left_out = 0;
	assert_int_equal(mxt_manifest_write(f->manifest, f->run, &left_out, NULL), 0);
	expect(&f->request, "");
	put(f->run, "manifest.b3", "x");
	put(f->run, "manifest.dataset.b3", "x");
	put(f->run, "manifest.dataset-2.b3", "x");
	put(f->run, "manifest.checkpoint.b3", "x");
	expect(&f->request, "content run manifest.b3\ncontent run manifest.checkpoint.b3\n"
			    "content run manifest.dataset-2.b3\ncontent run manifest.dataset.b3\n");
	take_away(f->run, "manifest.b3");
	take_away(f->run, "manifest.dataset.b3");
	take_away(f->run, "manifest.dataset-2.b3");
	take_away(f->run, "manifest.checkpoint.b3");
	expect(&f->request, "");
}

/* ---- the quick check ---- */

static void expect_work(const struct mxt_verify_request *request, size_t n_findings, size_t hashed, size_t trusted)
{
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	assert_int_equal(mxt_verify(request, &report, NULL), 0);
	assert_int_equal(report.count, n_findings);
	assert_int_equal(report.files_hashed, hashed);
	assert_int_equal(report.files_trusted, trusted);
}

static void test_quick_trusts_what_was_seen(void **state)
{
	struct fixture *f = *state;
	f->request.cache = f->cache;
	f->request.quick = true;
	expect_work(&f->request, 0, 6, 0);
	expect_work(&f->request, 0, 0, 6);
	put(f->data, "a.txt", "First"); /* same size; another time of change */
	expect_work(&f->request, 1, 1, 5);
	expect_work(&f->request, 1, 1, 5);
	put(f->data, "a.txt", "first");
	expect_work(&f->request, 0, 1, 5);
	expect_work(&f->request, 0, 0, 6);
	f->request.quick = false;
	expect_work(&f->request, 0, 6, 0);
}

/* Another file of the same size and times of modification has another inode, and another time of change. */
static void test_quick_sees_a_file_in_place_of_another(void **state)
{
	struct fixture *f = *state;
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(f->data, "a.txt");
	MXT_CLEANUP_FREE char *other = mxt_scratch_path(f->top, "new");
	struct stat st;
	f->request.cache = f->cache;
	f->request.quick = true;
	expect_work(&f->request, 0, 6, 0);
	put(f->top, "new", "First");
	assert_return_code(stat(path, &st), errno);
	const struct timespec times[2] = {st.st_atim, st.st_mtim};
	assert_return_code(utimensat(AT_FDCWD, other, times, 0), errno);
	move(f->top, "new", "data/a.txt");
	expect_work(&f->request, 1, 1, 5);
}

/* What changed right before it was read could change once more unseen. */
static void test_quick_waits_until_files_are_settled(void **state)
{
	struct fixture *f = *state;
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(f->data, "a.txt");
	struct stat st;
	assert_return_code(stat(path, &st), errno);
	f->request.cache = f->cache;
	f->request.quick = true;
	f->request.now_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
	expect_work(&f->request, 0, 6, 0);
	expect_work(&f->request, 0, 6, 0);
}

/* Another place with the same files is another place. */
static void test_quick_knows_places(void **state)
{
	struct fixture *f = *state;
	f->request.cache = f->cache;
	f->request.quick = true;
	expect_work(&f->request, 0, 6, 0);
	char *datasets[] = {f->data, f->data, NULL};
	f->request.datasets = datasets;
	expect_work(&f->request, 1, 0, 5);
	MXT_CLEANUP_FREE char *moved = mxt_scratch_path(f->top, "moved");
	f->request.datasets = NULL;
	move(f->top, "run", "moved");
	f->request.run_folder = moved;
	expect_work(&f->request, 0, 3, 3);
}

/* A folder that others may write to proves nothing, and one that cannot be made is no loss. */
static void test_quick_without_a_cache_of_its_own(void **state)
{
	struct fixture *f = *state;
	f->request.cache = f->cache;
	f->request.quick = true;
	expect_work(&f->request, 0, 6, 0);
	assert_return_code(chmod(f->cache, 0777), errno);
	expect_work(&f->request, 0, 6, 0);
	f->request.cache = f->file;
	expect_work(&f->request, 0, 6, 0);
}

/* ---- a list for b3sum ---- */

static void expect_list(const struct fixture *f, const char *text, const char *left_out, const char *expected)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	MXT_CLEANUP_BUF struct mxt_buf found = MXT_BUF_INIT;
	const struct mxt_verify_request request = {.threads = 1};
	assert_int_equal(mxt_b3_list_read("list", text, strlen(text), &list, NULL), 0);
	assert_int_equal(mxt_verify_list(&request, &list, f->data, left_out, &report, NULL), 0);
	put_findings(NULL, &report, &found);
	assert_string_equal(mxt_buf_text(&found), expected);
}

static void test_a_list_for_b3sum(void **state)
{
	struct fixture *f = *state;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	size_t left_out = 0;
	mxt_b3_list_text(mxt_manifest_list(f->manifest, 1), &text, &left_out);
	link_to(f->data, "link", "a.txt");
	put(f->data, "no\xffutf8", "x");
	put(f->data, "data.b3", "x");
	expect_list(f, mxt_buf_text(&text), "data.b3", "");
	put(f->data, "a.txt", "first and more");
	take_away(f->data, "sub/b.txt");
	expect_list(f, mxt_buf_text(&text), NULL, "content  a.txt\nextra  data.b3\nmissing  sub/b.txt\n");
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
	    ROW(test_nothing_changed),
	    ROW(test_every_kind_of_change),
	    ROW(test_findings_say_what_was_expected),
	    ROW(test_what_cannot_be_listed),
	    ROW(test_a_file_where_a_folder_was),
	    ROW(test_copies_elsewhere),
	    ROW(test_a_moved_run),
	    ROW(test_a_run_in_its_output),
	    ROW(test_places_that_the_manifest_has_no_use_for),
	    ROW(test_lists_beside_the_manifest),
	    ROW(test_quick_trusts_what_was_seen),
	    ROW(test_quick_sees_a_file_in_place_of_another),
	    ROW(test_quick_waits_until_files_are_settled),
	    ROW(test_quick_knows_places),
	    ROW(test_quick_without_a_cache_of_its_own),
	    ROW(test_a_list_for_b3sum),
	};
#undef ROW
	return cmocka_run_group_tests(tests, NULL, NULL);
}
