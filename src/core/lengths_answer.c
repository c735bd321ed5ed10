/* SPDX-License-Identifier: Apache-2.0 */
#include "lengths_answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json.h"

#define SCHEMA    "mindxtrain.lengths/1"
#define MOST_TEXT 512 /* bytes of a text that is kept */

void mxt_lengths_answer_finish(struct mxt_lengths_answer *answer)
{
	free(answer->folder);
	for (size_t i = 0; i < answer->n_notes; i++)
		free(answer->notes[i]);
	*answer = (struct mxt_lengths_answer)MXT_LENGTHS_ANSWER_INIT;
}

static int refuse(struct mxt_error *err, const char *key, const char *what)
{
	return mxt_error_set(err, -EINVAL, MXT_E_LENGTHS_ANSWER, "the answer of the reader of lengths: %s %s", key,
			     what);
}

static int take_count(const json_t *json, const char *key, int64_t max, int64_t *ret_count, struct mxt_error *err)
{
	const json_t *value = json_object_get(json, key);
	if (!json_is_integer(value) || json_integer_value(value) < 1 || json_integer_value(value) > max)
		return refuse(err, key, "is not a positive whole number in range");
	*ret_count = json_integer_value(value);
	return 0;
}

/* A copy of at most MOST_TEXT bytes, made printable. */
static int take_text(const json_t *value, const char *key, char **ret_text, struct mxt_error *err)
{
	if (!json_is_string(value))
		return refuse(err, key, "is not a text");
	MXT_CLEANUP_JSON json_t *clean = mxt_json_clean_text(json_string_value(value), MOST_TEXT);
	char *copy = clean ? strdup(json_string_value(clean)) : NULL;
	if (!copy)
		return mxt_error_oom(err);
	*ret_text = copy;
	return 0;
}

static int take_sample(const json_t *json, struct mxt_lengths *lengths, struct mxt_error *err)
{
	const json_t *sample = json_object_get(json, "sample");
	int64_t expected = lengths->documents < MXT_LENGTH_SAMPLES ? lengths->documents : MXT_LENGTH_SAMPLES;
	if (!json_is_array(sample) || (int64_t)json_array_size(sample) != expected)
		return refuse(err, "sample", "does not have the length that it must have");
	int64_t before = 1;
	for (size_t i = 0; i < (size_t)expected; i++) {
		const json_t *value = json_array_get(sample, i);
		if (!json_is_integer(value) || json_integer_value(value) < before ||
		    json_integer_value(value) > lengths->longest)
			return refuse(err, "sample", "is not ascending up to the longest");
		before = json_integer_value(value);
		lengths->samples[i] = (int32_t)before;
	}
	lengths->n_samples = (uint32_t)expected;
	return 0;
}

static int take_lengths(const json_t *json, struct mxt_lengths *lengths, struct mxt_error *err)
{
	int64_t longest = 1;
	int rc = take_count(json, "documents", MXT_JSON_MAX_INT, &lengths->documents, err);
	if (rc == 0)
		rc = take_count(json, "tokens", MXT_JSON_MAX_INT, &lengths->tokens, err);
	if (rc == 0)
		rc = take_count(json, "longest", INT32_MAX, &longest, err);
	if (rc == 0)
		rc = take_count(json, "distinct", lengths->documents, &lengths->values, err);
	if (rc < 0)
		return rc;
	lengths->longest = (int32_t)longest;
	if (lengths->tokens < lengths->documents || lengths->tokens < longest ||
	    (lengths->tokens - 1) / longest >= lengths->documents)
		return refuse(err, "tokens", "does not fit the number of documents");
	return take_sample(json, lengths, err);
}

static int take_notes(const json_t *json, struct mxt_lengths_answer *answer, struct mxt_error *err)
{
	const json_t *notes = json_object_get(json, "notes");
	if (!json_is_array(notes) || json_array_size(notes) > MXT_LENGTHS_NOTES)
		return refuse(err, "notes", "is not a short list");
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < json_array_size(notes); i++) {
		rc = take_text(json_array_get(notes, i), "notes", &answer->notes[i], err);
		answer->n_notes += rc == 0 ? 1 : 0;
	}
	return rc;
}

static int take_error(const json_t *value, struct mxt_error *err)
{
	char *text = NULL;
	int rc = take_text(value, "error", &text, err);
	if (rc == 0)
		rc = mxt_error_set(err, -EIO, MXT_E_LENGTHS, "%s", text);
	free(text);
	return rc;
}

static int take_answer(const json_t *json, struct mxt_lengths_answer *answer, struct mxt_error *err)
{
	const char *schema = json_string_value(json_object_get(json, "schema"));
	if (!schema || strcmp(schema, SCHEMA) != 0)
		return refuse(err, "schema", "is not " SCHEMA);
	if (json_object_get(json, "error"))
		return take_error(json_object_get(json, "error"), err);
	int rc = take_lengths(json, &answer->lengths, err);
	if (rc == 0)
		rc = take_text(json_object_get(json, "folder"), "folder", &answer->folder, err);
	return rc < 0 ? rc : take_notes(json, answer, err);
}

int mxt_lengths_answer_parse(const char *text, size_t len, struct mxt_lengths_answer *ret_answer, struct mxt_error *err)
{
	struct mxt_error why = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *json = NULL;
	int rc = mxt_json_parse("answer", text, len, MXT_JSON_FOREIGN, &json, &why);
	if (rc < 0) {
		rc = rc == -ENOMEM ? mxt_error_oom(err) : refuse(err, "JSON", mxt_error_text(&why));
		mxt_error_clear(&why);
		return rc;
	}
	MXT_CLEANUP_LENGTHS_ANSWER struct mxt_lengths_answer answer = MXT_LENGTHS_ANSWER_INIT;
	answer.lengths.source = "dataset";
	rc = take_answer(json, &answer, err);
	if (rc < 0)
		return rc;
	*ret_answer = answer;
	answer = (struct mxt_lengths_answer)MXT_LENGTHS_ANSWER_INIT;
	return 0;
}
