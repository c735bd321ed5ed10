/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a YAML file as they are before any parser sees them: checked UTF-8, with places. libyaml's marks count
 * characters from behind a byte-order mark; here they become byte offsets and lines.
 */
#ifndef MXT_CORE_YAML_TEXT_H
#define MXT_CORE_YAML_TEXT_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;

struct mxt_yaml_text {
	const char *name;  /* file, for messages; borrowed */
	const char *bytes; /* borrowed; offsets count from here */
	size_t len;
	size_t start;  /* first byte behind a byte-order mark */
	size_t *lines; /* owned: offset of each line's first byte; LF, CR and CR LF end a line */
	size_t n_lines;
	size_t *strides; /* owned: offset of every 64th character from `start` on */
	size_t n_strides;
};

/*
 * Refuses what the trainer's reader refuses: text that is not UTF-8 or holds control characters (MXT_E_YAML_SYNTAX).
 * Also a byte-order mark that is not at the start, which some readers skip and others keep (MXT_E_YAML_REFUSED).
 */
int mxt_yaml_text_init(struct mxt_yaml_text *text, const char *name, const char *bytes, size_t len,
		       struct mxt_error *err) MXT_WUR;
void mxt_yaml_text_finish(struct mxt_yaml_text *text);

/* Byte offset of a character, counted as libyaml's marks count; the end of the text when there are fewer. */
size_t mxt_yaml_text_offset(const struct mxt_yaml_text *text, size_t character);

/* Line, from 1, that holds a byte. */
size_t mxt_yaml_text_line(const struct mxt_yaml_text *text, size_t offset);

#endif
