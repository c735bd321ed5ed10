/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was changed in a YAML file, as a JSON array with one object per change: {"key", "line": number in the new text
 * (in the old one where the key went), "from": old text of the value or absent, "to": new text or absent; "- element"
 * for what was appended to a list}.
 */
#ifndef MXT_LAUNCH_YAML_CHANGES_H
#define MXT_LAUNCH_YAML_CHANGES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_buf;
struct mxt_error;
struct mxt_yaml_outline;

/* One change: `from` (with its length) and `to` may be NULL. */
struct mxt_yaml_changed {
	const char *key;
	size_t line;
	const char *from;
	size_t from_len;
	const char *to;
	bool element; /* `to` was appended to a list */
};

int mxt_yaml_changes_add(json_t *changes, const struct mxt_yaml_changed *changed, struct mxt_error *err) MXT_WUR;

/* Sets the lines to those of the text as it is in the end. */
int mxt_yaml_changes_number(json_t *changes, const struct mxt_yaml_outline *outline, struct mxt_error *err) MXT_WUR;

/*
 * Appends the difference as lines: "12  - flash_attention: true", "12  + flash_attention: false". Of texts of several
 * lines, the first.
 */
void mxt_yaml_changes_text(const json_t *changes, struct mxt_buf *buf);

#endif
