/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings: what is accepted has problems that devices accept, a layer that refers to them, and merges with itself.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "recording.h"
#include "recording_coverage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_set(const struct mxt_problem_set *set)
{
	assert(set->n_problems > 0 && set->n_problems <= MXT_RECORDING_MAX_PROBLEMS);
	assert(set->n_layer <= MXT_RECORDING_MAX_LAYER);
	for (size_t i = 0; i < set->n_problems; i++) {
		const struct mxt_problem *problem = &set->problems[i];
		assert(mxt_problem_validate(problem) == 0 && problem->calls > 0 && problem->share_ppm > 0);
	}
	for (size_t i = 0; i < set->n_layer; i++)
		assert(set->layer[i].problem == MXT_LAYER_FILLER || set->layer[i].problem < set->n_problems);
}

static void make_problems(const struct mxt_recording *recording)
{
	static const struct mxt_scale scales[] = {{0, 0, 0, false}, {128, 128, 128, false}, {7, 3, 5, false}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(scales); i++) {
		struct mxt_problem_set set;
		struct mxt_coverage coverage;
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		int rc = mxt_recording_problems(recording, &scales[i], i > 0, &set, &text, NULL);
		assert(rc == 0);
		check_set(&set);
		mxt_recording_coverage(&set, &set, &coverage);
		mxt_coverage_text(&coverage, &text);
		assert(mxt_json_is_text(mxt_buf_text(&text)));
		mxt_problem_set_finish(&set);
	}
}

static void merge(const char *text, size_t size)
{
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_JSON json_t *merged = NULL;
	int rc = mxt_json_parse("fuzz", text, size, MXT_JSON_CANONICAL, &document, NULL);
	assert(rc == 0);
	json_t *documents[] = {document, document};
	if (mxt_recording_merge(documents, 2, &merged, NULL) == 0 &&
	    json_integer_value(json_object_get(merged, "ranks")) <= 1024)
		assert(mxt_recording_check("merged", merged, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = size ? (const char *)data : "";
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_recording_parse("fuzz", text, size, &recording, &err) < 0) {
		assert(err.id != MXT_E_NONE && err.status < 0 && mxt_json_is_text(mxt_error_text(&err)));
		return 0;
	}
	make_problems(recording);
	merge(text, size);
	return 0;
}
