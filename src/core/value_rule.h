/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which values an environment variable may have in a plan: closed forms only, so that no value can name code, a file or
 * a command.
 */
#ifndef MXT_CORE_VALUE_RULE_H
#define MXT_CORE_VALUE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

enum mxt_value_kind {
	MXT_VALUE_NONE,       /* no value at all */
	MXT_VALUE_INTEGER,    /* decimal, from min to max, without sign for zero or above, without leading zeros */
	MXT_VALUE_WORD,       /* one of words */
	MXT_VALUE_ANY_CASE,   /* one of words; the reader does not distinguish case */
	MXT_VALUE_WORDS,      /* words, comma-separated, each at most once; a leading ^ excludes them */
	MXT_VALUE_PLACES,     /* OMP_PLACES: threads(4), or {0,1},{2:2:1} */
	MXT_VALUE_PROCESSORS, /* GOMP_CPU_AFFINITY: 0-3 7,9-15:2 */
	MXT_VALUE_FILE,       /* @file:NAME@ with the NAME in words */
};

struct mxt_value_rule {
	enum mxt_value_kind kind;
	int64_t min, max;
	const char *words; /* separated by blanks */
};

bool mxt_value_allowed(const struct mxt_value_rule *rule, const char *value);

/* Appends what is allowed: "a whole number from 1 to 4096", "one of 0, 1". */
void mxt_value_rule_text(const struct mxt_value_rule *rule, struct mxt_buf *buf);

#endif
