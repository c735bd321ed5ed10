/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PyYAML refuses and libyaml takes. Works on the bytes between and inside the scalars that libyaml found.
 */
#ifndef MXT_CORE_YAML_STRICT_H
#define MXT_CORE_YAML_STRICT_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_yaml_text;

enum mxt_yaml_style { MXT_YAML_PLAIN, MXT_YAML_QUOTED, MXT_YAML_BLOCK };

/* A scalar in the file: its token without anchor and tag, which belong to the space before it. */
struct mxt_yaml_span {
	size_t begin, end; /* bytes; end is one behind the last */
	enum mxt_yaml_style style;
	bool in_flow; /* inside [] or {} */
};

/* Spans in the order of the file. MXT_E_YAML_SYNTAX or MXT_E_YAML_REFUSED with the line. */
int mxt_yaml_strict_check(const struct mxt_yaml_text *text, const struct mxt_yaml_span *spans, size_t count,
			  struct mxt_error *err) MXT_WUR;

/* Where a scalar's token starts that has an anchor or a tag in front of it, both at `begin` or behind. */
size_t mxt_yaml_strict_skip_properties(const struct mxt_yaml_text *text, size_t begin, size_t end);

#endif
