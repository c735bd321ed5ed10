/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions over the names of modules, as peft applies them: Python's syntax, and the whole name must match.
 * Understood: characters, `.`, classes, \d \w \s and their opposites, groups without a name, `|`, `*`, `+`, `?`, `^` at
 * the start, `$` at the end. Time is bounded by the product of the two lengths, whatever the pattern.
 */
#ifndef MXT_CORE_MODULE_PATTERN_H
#define MXT_CORE_MODULE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

#define MXT_MODULE_PATTERN_MAX 512

struct mxt_module_step {
	uint8_t kind;
	int16_t first, second; /* relative to this step */
	uint8_t set[32];       /* bytes that it takes, as bits */
};

/* Caller's memory; nothing to finish. */
struct mxt_module_pattern {
	size_t count;
	struct mxt_module_step steps[MXT_MODULE_PATTERN_MAX];
};

/* -ENOTSUP: beyond what is understood, damaged, or too long. */
int mxt_module_pattern_parse(const char *text, struct mxt_module_pattern *ret_pattern) MXT_WUR;

bool mxt_module_pattern_matches(const struct mxt_module_pattern *pattern, const char *name);

#endif
