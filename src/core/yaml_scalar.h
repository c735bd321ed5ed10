/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plain scalar means: YAML 1.1 as PyYAML's safe loader has it, which is what Axolotl reads its config with. yes
 * and off are booleans, 012 is octal, 1:30 is 90, 1e-4 is a string.
 */
#ifndef MXT_CORE_YAML_SCALAR_H
#define MXT_CORE_YAML_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mxt_yaml_kind {
	MXT_YAML_NULL,
	MXT_YAML_BOOL,
	MXT_YAML_INT,
	MXT_YAML_FLOAT,
	MXT_YAML_STRING,
	MXT_YAML_TIMESTAMP,
	MXT_YAML_SEQUENCE,
	MXT_YAML_MAPPING,
	MXT_YAML_MERGE, /* the key << */
	MXT_YAML_VALUE, /* = alone: a key as text, an error elsewhere */
};

struct mxt_yaml_value {
	enum mxt_yaml_kind kind;
	bool boolean;
	bool overflow; /* an integer beyond 64 bits: `integer` is the nearest that fits */
	int64_t integer;
	double real;
};

/*
 * `text` is NUL-terminated and holds no NUL. Returns 0, or -EINVAL for what looks like a number or date and is none
 * (0x_, 2024-13-01): PyYAML fails on it; -ENOMEM.
 */
int mxt_yaml_scalar_resolve(const char *text, size_t len, struct mxt_yaml_value *ret_value);

/* What the tag !!float makes of a text: also decimal digits without a point; -EINVAL for anything else, -ENOMEM. */
int mxt_yaml_scalar_float(const char *text, size_t len, struct mxt_yaml_value *ret_value);

/* "a string", "a whole number" and so on, for messages. */
const char *mxt_yaml_kind_name(enum mxt_yaml_kind kind);

#endif
