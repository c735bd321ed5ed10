/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `verify` says: a table of what is not as it should be, or what was held against what.
 */
#ifndef MXT_CLI_VERIFY_PRINT_H
#define MXT_CLI_VERIFY_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "buf.h"
#include "compiler.h"
#include "file_list.h"
#include "verify.h"

struct mxt_error;

/* What was verified: a manifest, or one list of a name. */
struct mxt_verify_subject {
	const struct mxt_verify_request *request;
	const char *list_name;            /* NULL: the request's manifest */
	const struct mxt_file_list *list; /* with list_name, and where its files lie */
	const char *list_place;
	const char *signed_by; /* NULL: no signature was asked for */
};

int mxt_verify_print_text(FILE *out, const struct mxt_verify_subject *subject, const struct mxt_verify_report *report,
			  struct mxt_error *err) MXT_WUR;
int mxt_verify_print_json(FILE *out, const struct mxt_verify_subject *subject, const struct mxt_verify_report *report,
			  struct mxt_error *err) MXT_WUR;

/* MXT_E_VERIFY_FAILED with the number of findings of each kind; 0 when there is none. */
int mxt_verify_verdict(const struct mxt_verify_subject *subject, const struct mxt_verify_report *report,
		       struct mxt_error *err) MXT_WUR;

#endif
