/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one check of `doctor` found: facts (numbers and names for programs) and findings (sentences for people).
 * Adding never fails in place: memory exhaustion sets `failed`, and mxt_check_result_status() reports it once.
 * All text is made printable on the way in: it may come from a damaged or hostile machine.
 */
#ifndef MXT_DOCTOR_CHECK_RESULT_H
#define MXT_DOCTOR_CHECK_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "reading.h"

struct mxt_error;

/* In the order of severity. FAIL: nothing can be measured on this machine until it is mended. */
enum mxt_check_status { MXT_CHECK_OK, MXT_CHECK_NOTE, MXT_CHECK_WARN, MXT_CHECK_FAIL, MXT_CHECK_STATUS_COUNT };

const char *mxt_check_status_name(enum mxt_check_status status); /* "ok", "note", "warn", "fail" */

struct mxt_check_finding {
	enum mxt_check_status status;
	char *what;  /* owned: what is there */
	char *wrong; /* owned: what is wrong with it; NULL for MXT_CHECK_OK */
	char *todo;  /* owned: what to do; NULL where nothing needs doing */
};

struct mxt_check_result {
	const char *id, *title;             /* borrowed from the table of checks */
	struct mxt_check_finding *findings; /* owned */
	size_t n_findings, capacity;
	json_t *facts;        /* owned object: only what the machine reports */
	json_t *not_reported; /* owned array: the keys that it does not */
	bool failed;
};

void mxt_check_result_init(struct mxt_check_result *result, const char *id, const char *title);
void mxt_check_result_finish(struct mxt_check_result *result);

/* 0, or -ENOMEM with *err filled when anything could not be added. */
int mxt_check_result_status(const struct mxt_check_result *result, struct mxt_error *err);

/* The worst status among the findings. */
enum mxt_check_status mxt_check_result_worst(const struct mxt_check_result *result);

/* Facts. A text that is NULL or empty, and a reading that is not there, go to not_reported. */
void mxt_fact_number(struct mxt_check_result *result, const char *key, struct mxt_reading value);
void mxt_fact_flag(struct mxt_check_result *result, const char *key, struct mxt_reading value);
void mxt_fact_text(struct mxt_check_result *result, const char *key, const char *text);
/* Takes the reference; NULL counts as exhausted memory. */
void mxt_fact_json(struct mxt_check_result *result, const char *key, json_t *value);

/* Appends a row to the fact `libraries`, a list. A text that the machine does not tell (NULL or "") is left out. */
struct mxt_fact_part {
	const char *key, *text;
};
void mxt_fact_library(struct mxt_check_result *result, const struct mxt_fact_part *parts, size_t n_parts);

/* Starts a finding; mxt_wrong() and mxt_todo() complete the last one that was started. */
void mxt_find(struct mxt_check_result *result, enum mxt_check_status status, const char *fmt, ...) MXT_PRINTF(3, 4);
void mxt_wrong(struct mxt_check_result *result, const char *fmt, ...) MXT_PRINTF(2, 3);
void mxt_todo(struct mxt_check_result *result, const char *fmt, ...) MXT_PRINTF(2, 3);

#endif
