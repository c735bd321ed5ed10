/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets top-level keys of a YAML file and leaves every other byte as it is: comments, order, quotes, line ends.
 */
#ifndef MXT_LAUNCH_YAML_EDIT_H
#define MXT_LAUNCH_YAML_EDIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "compiler.h"

struct mxt_error;

struct mxt_yaml_change {
	const char *key;   /* at the top of the file; a plain scalar as it is */
	const char *value; /* YAML text of the value, on one line, as it is written; NULL: the key goes (or becomes
			      false, as below) */
	bool keep_false; /* with value NULL: a key that is there becomes `false` where it is true, and stays where it is
			    false or empty */
	bool append;     /* the value is one more element of a list: `plugins` */
};

/*
 * Appends the edited text to *out, and to *ret_changes (new reference) one object per change that was made:
 * {"key", "line": number in the new text, "from": old text or absent, "to": new text or absent}. What is there already,
 * equal in meaning, is not touched. An existing key (also an empty one) is replaced in place with its comment kept; a
 * missing one is appended at the end, with the file's own line end.
 *
 * MXT_E_YAML_SYNTAX, MXT_E_YAML_REFUSED as from mxt_yaml_tree_parse(); MXT_E_LAUNCH_YAML with the line for what cannot
 * be edited safely: a top level that is no block map, a key that comes out of a merge or an alias. The text that comes
 * out was parsed again, and differs from the old one in the changed keys only.
 */
int mxt_yaml_edit(const char *name, const char *bytes, size_t len, const struct mxt_yaml_change *changes,
		  size_t n_changes, struct mxt_buf *out, json_t **ret_changes, struct mxt_error *err) MXT_WUR;

/* Appends the difference as lines: "12  - flash_attention: true", "12  + flash_attention: false". */
void mxt_yaml_changes_text(const json_t *changes, struct mxt_buf *buf);

#endif
