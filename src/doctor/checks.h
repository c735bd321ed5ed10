/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of checks.def. Each adds facts and findings to its result; memory that ran out is reported by the result.
 */
#ifndef MXT_DOCTOR_CHECKS_H
#define MXT_DOCTOR_CHECKS_H

struct mxt_check_result;
struct mxt_survey;

#define MXT_CHECK(id, title, function) void function(const struct mxt_survey *survey, struct mxt_check_result *result);
#include "checks.def"
#undef MXT_CHECK

#endif
