/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a verification fails once: an error, never a finding that is not there, and nothing leaks. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc_faults.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "manifest_create.h"
#include "scratch.h"
#include "verify.h"

struct fixture {
	struct mxt_manifest *manifest;
	char *run, *data, *cache;
	size_t n_findings;
	bool quick;
};

static int setup(struct fixture *f, const char *top)
{
	f->run = mxt_scratch_path(top, "run");
	f->data = mxt_scratch_path(top, "data");
	f->cache = mxt_scratch_path(top, "cache");
	MXT_CLEANUP_FREE char *link = mxt_scratch_path(f->run, "link");
	assert_return_code(mkdir(f->run, 0777), errno);
	assert_return_code(mkdir(f->data, 0777), errno);
	assert_return_code(symlink("file", link), errno);
	free(mxt_scratch_write(f->run, "file", "1"));
	free(mxt_scratch_write(f->run, "other", "1"));
	free(mxt_scratch_write(f->data, "file", "1"));
	char *datasets[] = {f->data, NULL};
	const struct mxt_manifest_request make = {.run_folder = f->run, .datasets = datasets, .now_ns = 1};
	return mxt_manifest_create(&make, &f->manifest, NULL);
}

static void finish(struct fixture *f)
{
	mxt_manifest_destroy(f->manifest);
	free(f->run);
	free(f->data);
	free(f->cache);
}

static int verify(void *context)
{
	struct fixture *f = context;
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	const struct mxt_verify_request request = {.manifest = f->manifest,
						   .run_folder = f->run,
						   .threads = 1,
						   .cache = f->cache,
						   .quick = f->quick,
						   .now_ns = INT64_C(4000000000000000000)};
	int rc = mxt_verify(&request, &report, &err);
	if (rc == 0 && !mxt_test_allocation_failed())
		assert_int_equal(report.count, f->n_findings);
	return rc;
}

static void test_nothing_changed(void **state)
{
	struct fixture f = {.quick = true};
	assert_int_equal(setup(&f, *state), 0);
	assert_true(mxt_test_each_allocation(verify, &f) > 10);
	finish(&f);
}

static void test_findings(void **state)
{
	struct fixture f = {.n_findings = 4};
	assert_int_equal(setup(&f, *state), 0);
	MXT_CLEANUP_FREE char *fifo = mxt_scratch_path(f.data, "fifo");
	MXT_CLEANUP_FREE char *file = mxt_scratch_path(f.run, "file");
	assert_return_code(mkfifo(fifo, 0600), errno);
	assert_return_code(unlink(file), errno);
	free(mxt_scratch_write(f.run, "other", "2"));
	free(mxt_scratch_write(f.run, "manifest.b3", "x"));
	assert_true(mxt_test_each_allocation(verify, &f) > 20);
	finish(&f);
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup_teardown(function, mxt_scratch_setup, mxt_scratch_teardown)
	const struct CMUnitTest tests[] = {
	    ROW(test_nothing_changed),
	    ROW(test_findings),
	};
#undef ROW
	return cmocka_run_group_tests(tests, NULL, NULL);
}
