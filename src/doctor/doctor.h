/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is on this machine, what is wrong with it, and what to do about it.
 */
#ifndef MXT_DOCTOR_DOCTOR_H
#define MXT_DOCTOR_DOCTOR_H

#include <stddef.h>

#include "check_result.h"
#include "survey.h"

struct mxt_error;
struct mxt_sysroot;

struct mxt_doctor_report {
	struct mxt_check_result *checks; /* owned, in the order of checks.def */
	size_t n_checks;
};

#define MXT_DOCTOR_REPORT_INIT                                                                                         \
	{                                                                                                              \
		NULL, 0                                                                                                \
	}
#define MXT_CLEANUP_DOCTOR_REPORT MXT_CLEANUP(mxt_doctor_report_finish)

/* MXT_E_NOT_A_MACHINE when a recorded machine is none: no such folder, or neither proc nor sys in it. */
int mxt_doctor_require_machine(const struct mxt_sysroot *root, struct mxt_error *err) MXT_WUR;

/* Runs every check, where mxt_doctor_require_machine() allows. */
int mxt_doctor_run(const struct mxt_doctor_request *request, struct mxt_doctor_report *ret_report,
		   struct mxt_error *err) MXT_WUR;
void mxt_doctor_report_finish(struct mxt_doctor_report *report);

/* The number of findings of a status. */
size_t mxt_doctor_report_count(const struct mxt_doctor_report *report, enum mxt_check_status status);

#endif
