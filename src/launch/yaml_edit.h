/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets top-level keys of a YAML file and leaves every other byte as it is: comments, order, quotes, line ends.
 */
#ifndef MXT_LAUNCH_YAML_EDIT_H
#define MXT_LAUNCH_YAML_EDIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "yaml_changes.h"

struct mxt_buf;
struct mxt_error;

struct mxt_yaml_change {
	const char *key;   /* at the top of the file; a plain scalar as it is */
	const char *value; /* YAML text of the value, as it is written: a scalar, or a list or map in brackets, on one
			      line; NULL: the key goes (or becomes false, as below) */
	bool keep_false;   /* with value NULL: a key that is there becomes `false`, unless it is false or empty */
	bool append;       /* the value is one more element of a list: `plugins` */
};

/*
 * Appends the edited text to *out, and gives what was changed (new reference, yaml_changes.h). What is there already,
 * equal in meaning, is not touched. An existing key (also an empty one) is replaced in place with its comment kept, a
 * value of several lines whole; a missing one is appended at the end, before `...`, with the file's own line end. Keys
 * that go, go last.
 *
 * MXT_E_YAML_SYNTAX, MXT_E_YAML_REFUSED as from mxt_yaml_tree_parse(); MXT_E_LAUNCH_YAML with the line for what cannot
 * be edited safely: a top level that is no block map, a key that comes out of a merge, a value that an alias uses
 * again, an append to what is no list. After each change the text is read again, and must differ in the changed key
 * only.
 */
int mxt_yaml_edit(const char *name, const struct mxt_buf *text, const struct mxt_yaml_change *changes, size_t n_changes,
		  struct mxt_buf *out, json_t **ret_changes, struct mxt_error *err) MXT_WUR;

#endif
