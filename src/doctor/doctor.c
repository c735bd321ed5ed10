/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "checks.h"
#include "error.h"
#include "sysroot.h"

struct check_row {
	const char *id, *title;
	void (*run)(const struct mxt_survey *survey, struct mxt_check_result *result);
};

static const struct check_row check_rows[] = {
#define MXT_CHECK(id, title, function) {id, title, function},
#include "checks.def"
#undef MXT_CHECK
};

#define N_CHECKS MXT_ARRAY_LEN(check_rows)

int mxt_doctor_require_machine(const struct mxt_sysroot *root, struct mxt_error *err)
{
	if (mxt_sysroot_is_live(root))
		return 0;
	struct stat st;
	if (stat(root->prefix, &st) < 0)
		return mxt_error_set(err, -errno, MXT_E_NOT_A_MACHINE,
				     "--sysroot %s: %s; name a folder that scripts/record-host.sh wrote", root->prefix,
				     strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return mxt_error_set(err, -ENOTDIR, MXT_E_NOT_A_MACHINE,
				     "--sysroot %s: not a folder; name one that scripts/record-host.sh wrote",
				     root->prefix);
	if (!mxt_sysroot_exists(root, "/proc") && !mxt_sysroot_exists(root, "/sys"))
		return mxt_error_set(err, -EINVAL, MXT_E_NOT_A_MACHINE,
				     "--sysroot %s: not a recorded machine: it holds neither proc nor sys; name a "
				     "folder that scripts/record-host.sh wrote",
				     root->prefix);
	return 0;
}

static int run_check(const struct check_row *row, const struct mxt_survey *survey, struct mxt_doctor_report *report,
		     struct mxt_error *err)
{
	struct mxt_check_result *result = &report->checks[report->n_checks++];
	mxt_check_result_init(result, row->id, row->title);
	row->run(survey, result);
	return mxt_check_result_status(result, err);
}

int mxt_doctor_run(const struct mxt_doctor_request *request, struct mxt_doctor_report *ret_report,
		   struct mxt_error *err)
{
	MXT_CLEANUP_DOCTOR_REPORT struct mxt_doctor_report report = MXT_DOCTOR_REPORT_INIT;
	MXT_CLEANUP(mxt_survey_finish) struct mxt_survey survey = {.root = NULL};
	int rc = mxt_doctor_require_machine(request->root, err);
	if (rc == 0)
		rc = mxt_survey_init(&survey, request, err);
	if (rc < 0)
		return rc;
	report.checks = calloc(N_CHECKS, sizeof *report.checks);
	if (!report.checks)
		return mxt_error_oom(err);
	for (size_t i = 0; i < N_CHECKS && rc == 0; i++)
		rc = run_check(&check_rows[i], &survey, &report, err);
	if (rc < 0)
		return rc;
	*ret_report = report;
	report = (struct mxt_doctor_report)MXT_DOCTOR_REPORT_INIT;
	return 0;
}

void mxt_doctor_report_finish(struct mxt_doctor_report *report)
{
	for (size_t i = 0; i < report->n_checks; i++)
		mxt_check_result_finish(&report->checks[i]);
	free(report->checks);
	*report = (struct mxt_doctor_report)MXT_DOCTOR_REPORT_INIT;
}

size_t mxt_doctor_report_count(const struct mxt_doctor_report *report, enum mxt_check_status status)
{
	size_t count = 0;
	for (size_t i = 0; i < report->n_checks; i++)
		for (size_t k = 0; k < report->checks[i].n_findings; k++)
			count += report->checks[i].findings[k].status == status;
	return count;
}
