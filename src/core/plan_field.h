/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a plan, as a table (plan_fields.def), and the check that a document keeps to it.
 */
#ifndef MXT_CORE_PLAN_FIELD_H
#define MXT_CORE_PLAN_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"

struct mxt_error;
struct mxt_json_path;

enum mxt_plan_object {
	MXT_PLAN_OBJECT_PLAN,
	MXT_PLAN_OBJECT_DECISION,
	MXT_PLAN_OBJECT_PLATFORM,
	MXT_PLAN_OBJECT_STACK,
	MXT_PLAN_OBJECT_WORKLOAD,
	MXT_PLAN_OBJECT_MODEL,
	MXT_PLAN_OBJECT_TRAINING,
	MXT_PLAN_OBJECT_SCALED,
	MXT_PLAN_OBJECT_ATTENTION,
	MXT_PLAN_OBJECT_GEMM,
	MXT_PLAN_OBJECT_LIBRARIES,
	MXT_PLAN_OBJECT_PIN,
	MXT_PLAN_OBJECT_PRODUCT,
	MXT_PLAN_OBJECT_COLLECTIVE,
	MXT_PLAN_OBJECT_MESSAGE,
	/* From here on unknown keys are ignored. */
	MXT_PLAN_OBJECT_EVIDENCE,
	MXT_PLAN_OBJECT_BUDGET,
	MXT_PLAN_OBJECT_LENGTHS,
	MXT_PLAN_OBJECT_SAMPLE,
	MXT_PLAN_OBJECT_CHOICE,
	MXT_PLAN_OBJECT_NEW_LENGTHS,
	MXT_PLAN_OBJECT_FIRST_CALL,
	MXT_PLAN_OBJECT_WARM_UP,
	MXT_PLAN_OBJECT_HEURISTIC,
	MXT_PLAN_OBJECT_RANKING,
	MXT_PLAN_OBJECT_COUNT,
};

enum mxt_field_kind {
	MXT_FIELD_INTEGER,  /* from min to max */
	MXT_FIELD_FLAG,     /* only the boolean `min`: the other one is the default */
	MXT_FIELD_WORD,     /* one of words */
	MXT_FIELD_WORDS,    /* array of some words, in the order of the rule; not empty */
	MXT_FIELD_NAME,     /* 1 to 256 printable ASCII characters */
	MXT_FIELD_NAMES,    /* array of names, ascending; not empty */
	MXT_FIELD_TEXT,     /* any string */
	MXT_FIELD_TEXTS,    /* array of strings */
	MXT_FIELD_HASH,     /* 64 lower-case hexadecimal digits */
	MXT_FIELD_OBJECT,   /* `child` */
	MXT_FIELD_LIST,     /* array of `child`; not empty in a decision */
	MXT_FIELD_ENV,      /* object of selectors and their values; not empty */
	MXT_FIELD_UNSET,    /* array of names of selectors, ascending; not empty */
	MXT_FIELD_CONTRACT, /* object of contract variables and their values; not empty */
	MXT_FIELD_ANY,
	MXT_FIELD_KIND_COUNT,
};

struct mxt_field_rule {
	enum mxt_field_kind kind;
	int64_t min, max;
	const char *words; /* separated by blanks */
	enum mxt_plan_object child;
};

struct mxt_plan_field {
	enum mxt_plan_object object;
	const char *key;
	bool required;
	struct mxt_field_rule rule;
	const char *omitted; /* what leaving it out means; "" when it is required */
	const char *meaning;
};

size_t mxt_plan_field_count(void);
const struct mxt_plan_field *mxt_plan_field_at(size_t i);
const char *mxt_plan_object_name(enum mxt_plan_object object); /* "platform" */

/* Appends what the rule expects: "a whole number from 1 to 65535". */
void mxt_field_rule_text(const struct mxt_field_rule *rule, struct mxt_buf *buf);

/* 0 when the value, found at `path`, is such an object and all below keeps to the table; else MXT_E_PLAN_* . */
int mxt_plan_object_check(enum mxt_plan_object object, const json_t *value, const struct mxt_json_path *path,
			  struct mxt_error *err) MXT_WUR;

#endif
