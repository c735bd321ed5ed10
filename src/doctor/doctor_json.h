/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report of doctor for programs: one canonical object {event: "doctor", v: 1, status, recorded, checks: [...]}.
 * Each check: {id, status, facts, not_reported, findings: [{status, what, wrong, todo}]}. Facts hold only what the
 * machine reports, not_reported the keys that it does not; wrong and todo are left out where there is nothing to say.
 */
#ifndef MXT_DOCTOR_DOCTOR_JSON_H
#define MXT_DOCTOR_DOCTOR_JSON_H

#include <stdbool.h>

#include "buf.h"

struct mxt_doctor_report;
struct mxt_error;

/* Appends the object, without a newline. */
int mxt_doctor_json(const struct mxt_doctor_report *report, bool recorded, struct mxt_buf *buf,
		    struct mxt_error *err) MXT_WUR;

#endif
