/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One change to the text of a YAML file: each function appends the whole changed text to *out and copies every byte
 * that the change does not concern. Nothing here knows what the text means: whoever calls reads the result again. New
 * lines end as those before them do. Memory: mxt_buf_status().
 */
#ifndef MXT_LAUNCH_YAML_SPLICE_H
#define MXT_LAUNCH_YAML_SPLICE_H

#include <stdbool.h>

#include "compiler.h"

struct mxt_buf;
struct mxt_yaml_item;
struct mxt_yaml_outline;

/*
 * Puts `value` (one line) in the place of an item's value. A comment behind a value, or behind the header of a text
 * block, stays. False, with nothing appended, for a block list or map behind an anchor or a tag.
 */
bool mxt_yaml_splice_value(const struct mxt_yaml_outline *outline, const struct mxt_yaml_item *item, const char *value,
			   struct mxt_buf *out) MXT_WUR;

/* Takes out the lines of an item, with a comment behind its value. */
void mxt_yaml_splice_out(const struct mxt_yaml_outline *outline, const struct mxt_yaml_item *item, struct mxt_buf *out);

/* Appends `key: value`, or with `list` the key and an indented line `- value`. */
void mxt_yaml_splice_key(const struct mxt_yaml_outline *outline, const char *key, const char *value, bool list,
			 struct mxt_buf *out);

/* Appends an element to an item that is a list in brackets or a block list. */
void mxt_yaml_splice_element(const struct mxt_yaml_outline *outline, const struct mxt_yaml_item *item,
			     const char *element, struct mxt_buf *out);

#endif
