/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a document as a table, and the check that a document keeps to it: plans (plan_field.h) and manifests.
 */
#ifndef MXT_CORE_FIELD_TABLE_H
#define MXT_CORE_FIELD_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "error.h"

struct mxt_json_path;

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
	MXT_FIELD_LIST,     /* array of `min` or more `child` */
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
	unsigned child;    /* an object of the table */
};

struct mxt_field {
	unsigned object; /* that has the key */
	const char *key;
	bool required;
	struct mxt_field_rule rule;
	const char *omitted; /* what leaving it out means; "" when it is required */
	const char *meaning;
};

struct mxt_field_table {
	const struct mxt_field *fields;
	size_t count;
	unsigned first_open; /* in objects from here on unknown keys are ignored */
	enum mxt_error_id unknown_key, bad_value;
	/* Members that are not looked at; NULL: there are none. */
	bool (*skips)(unsigned object, const json_t *value, const char *key);
};

/* Appends what the rule expects: "a whole number from 1 to 65535". */
void mxt_field_rule_text(const struct mxt_field_rule *rule, struct mxt_buf *buf);

/* 0 when the value, found at `path`, is such an object and all below keeps to the table. */
int mxt_field_object_check(const struct mxt_field_table *table, unsigned object, const json_t *value,
			   const struct mxt_json_path *path, struct mxt_error *err) MXT_WUR;

#endif
