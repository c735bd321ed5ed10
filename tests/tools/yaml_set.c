/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of the YAML editor: each line of standard input is a JSON object {"text": YAML, "set": [{"key",
 * "value": text or null, "keep_false", "append"}]}, and is answered with one line: {"text": the edited YAML, "changes",
 * "shown": the changes as text} or {"error": "MXT-302", "text": what it says}.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "error.h"
#include "json.h"
#include "yaml_edit.h"

#define MAX_CHANGES 16

static size_t read_changes(const json_t *list, struct mxt_yaml_change changes[MAX_CHANGES])
{
	size_t i = 0;
	const json_t *change = NULL;
	json_array_foreach(list, i, change)
	{
		if (i == MAX_CHANGES)
			break;
		changes[i] = (struct mxt_yaml_change){
		    .key = mxt_json_text(change, "key"),
		    .value = json_string_value(json_object_get(change, "value")),
		    .keep_false = json_is_true(json_object_get(change, "keep_false")),
		    .append = json_is_true(json_object_get(change, "append")),
		};
	}
	return i;
}

static json_t *fault_json(struct mxt_error *err)
{
	char id[12];
	json_t *fault = json_pack("{s:s, s:s}", "error", mxt_error_id_text(err->id, id), "text", mxt_error_text(err));
	mxt_error_clear(err);
	return fault;
}

static json_t *answer(const json_t *question)
{
	struct mxt_yaml_change changes[MAX_CHANGES];
	struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	json_t *made = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const json_t *given = json_object_get(question, "text");
	mxt_buf_append(&text, json_string_value(given), json_string_length(given));
	size_t count = read_changes(json_object_get(question, "set"), changes);
	if (mxt_yaml_edit("input", &text, changes, count, &out, &made, &err) < 0)
		return fault_json(&err);
	mxt_yaml_changes_text(made, &shown);
	return json_pack("{s:o, s:o, s:s}", "text", json_stringn(mxt_buf_text(&out), out.len), "changes", made, "shown",
			 mxt_buf_text(&shown));
}

int main(void)
{
	for (;;) {
		json_t *question = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, NULL);
		if (!question)
			return feof(stdin) ? 0 : 1;
		json_t *line = json_is_string(json_object_get(question, "text")) ? answer(question) : NULL;
		if (!line || json_dumpf(line, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) < 0)
			return 1;
		(void)putchar('\n');
		json_decref(line);
		json_decref(question);
	}
}
