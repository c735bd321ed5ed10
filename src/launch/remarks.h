/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is found before a run starts: notes, warnings, and what the run is refused for. All of it is gathered, so that
 * one attempt names everything that is wrong, each thing once.
 */
#ifndef MXT_LAUNCH_REMARKS_H
#define MXT_LAUNCH_REMARKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "error.h"

enum mxt_remark_kind {
	MXT_REMARK_NOTE,    /* good to know */
	MXT_REMARK_WARNING, /* probably not what the user means; the run goes on */
	MXT_REMARK_ALLOWED, /* would be refused, but an --allow option says otherwise; marks the run */
	MXT_REMARK_REFUSED, /* the run does not start */
};

/* What an option of the command line lets through. */
enum mxt_allowance {
	MXT_ALLOW_NOTHING = 0,
	MXT_ALLOW_MISMATCH = 1,  /* the plan is for another machine, stack or workload */
	MXT_ALLOW_SIMULATED = 2, /* the plan was made on simulated hardware */
	MXT_ALLOW_JIT = 4,       /* something tunes while the job runs */
};

struct mxt_remark {
	enum mxt_remark_kind kind;
	enum mxt_error_id id;         /* of what is refused or allowed; MXT_E_NONE for others */
	enum mxt_allowance allowance; /* that lets it through; MXT_ALLOW_NOTHING: none does */
	char *text;                   /* owned: what, where ("run.yaml:12" or a variable), what to do */
};

struct mxt_remarks {
	unsigned allowed;         /* of enum mxt_allowance, as the command line says */
	struct mxt_remark *items; /* owned */
	size_t count, capacity;
	bool failed; /* memory ran out: looked at once, in mxt_remarks_verdict() */
};
#define MXT_REMARKS_INIT                                                                                               \
	{                                                                                                              \
		0, NULL, 0, 0, false                                                                                   \
	}
#define MXT_CLEANUP_REMARKS MXT_CLEANUP(mxt_remarks_finish)

void mxt_remarks_finish(struct mxt_remarks *remarks);

void mxt_remark_note(struct mxt_remarks *remarks, const char *fmt, ...) MXT_PRINTF(2, 3);
void mxt_remark_warn(struct mxt_remarks *remarks, const char *fmt, ...) MXT_PRINTF(2, 3);

/* Refused, or allowed where `allowance` is among remarks->allowed. */
void mxt_remark_refuse(struct mxt_remarks *remarks, enum mxt_error_id id, enum mxt_allowance allowance, const char *fmt,
		       ...) MXT_PRINTF(4, 5);

/* The same for an error that was met; *err is moved from. Memory that ran out stays what it is. */
void mxt_remark_refuse_error(struct mxt_remarks *remarks, enum mxt_allowance allowance, struct mxt_error *err);

/*
 * 0, memory that ran out, the only refusal, or how many there are, with the id of the first, or of the first that no
 * option lets through. What is said of options lets all of them through.
 */
int mxt_remarks_verdict(const struct mxt_remarks *remarks, struct mxt_error *err) MXT_WUR;

/* "note", "warning", "allowed", "refused". */
const char *mxt_remark_kind_name(enum mxt_remark_kind kind);

/* The option that lets it through, as it is typed: "--allow-jit"; NULL for MXT_ALLOW_NOTHING. */
const char *mxt_allowance_option(enum mxt_allowance allowance);

/* [{"kind", "text", "id", "allowed_by"}]: new reference; NULL when memory ran out. */
json_t *mxt_remarks_json(const struct mxt_remarks *remarks);

#endif
