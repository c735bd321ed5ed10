/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a whole run of doctor on recorded machines fails once: -ENOMEM or the whole report, no leak. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "alloc_faults.h"
#include "buf.h"
#include "cmocka_all.h"
#include "doctor.h"
#include "doctor_json.h"
#include "doctor_text.h"
#include "environ_list.h"
#include "error.h"
#include "sysroot.h"

/* Both renderings, one after the other. */
static int show(const struct mxt_doctor_report *report, struct mxt_buf *buf, struct mxt_error *err)
{
	const struct mxt_doctor_style style = {80, false};
	int rc = mxt_doctor_json(report, true, buf, err);
	if (rc == 0) {
		mxt_doctor_text(report, &style, buf);
		rc = mxt_buf_status(buf, err);
	}
	return rc;
}

struct run {
	const char *prefix;
	json_t *nvidia;          /* read before: jansson's reader loses bytes when its memory runs out */
	struct mxt_buf expected; /* what a run without faults shows */
};

static int examine(const struct run *run, struct mxt_buf *buf)
{
	const struct mxt_sysroot root = {.prefix = run->prefix};
	MXT_CLEANUP_ENVIRON struct mxt_environ_list environment = MXT_ENVIRON_LIST_INIT;
	MXT_CLEANUP_DOCTOR_REPORT struct mxt_doctor_report report = MXT_DOCTOR_REPORT_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_environ_list_read(&root, &environment, &err);
	const struct mxt_doctor_request request = {&root, environment.entries, NULL, run->nvidia};
	if (rc == 0)
		rc = mxt_doctor_run(&request, &report, &err);
	if (rc == 0)
		rc = show(&report, buf, &err);
	if (rc < 0)
		assert_int_equal(err.id, MXT_E_NO_MEMORY);
	return rc;
}

static int examine_again(void *context)
{
	const struct run *run = context;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = examine(run, &buf);
	if (rc == 0)
		assert_string_equal(mxt_buf_text(&buf), mxt_buf_text(&run->expected));
	return rc;
}

/* NULL when the host has none. */
static json_t *read_nvidia(const char *prefix)
{
	char path[600];
	(void)snprintf(path, sizeof path, "%s/nvidia.json", prefix);
	return json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
}

static void test_host(void **state)
{
	static const char *const hosts[] = {"two-torches", "epyc-guest", "h200-2x", "mi300x-vf"};
	(void)state;
	for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
		char prefix[512];
		(void)snprintf(prefix, sizeof prefix, "%s/tests/fixtures/hosts/%s", getenv("MXT_SOURCE_ROOT"),
			       hosts[i]);
		struct run run = {prefix, read_nvidia(prefix), MXT_BUF_INIT};
		assert_int_equal(examine(&run, &run.expected), 0);
		assert_true(mxt_test_each_allocation(examine_again, &run) > 500);
		mxt_buf_finish(&run.expected);
		json_decref(run.nvidia);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_host)};
	json_set_alloc_funcs(mxt_test_malloc, free);
	return cmocka_run_group_tests_name("doctor_memory", tests, NULL, NULL);
}
