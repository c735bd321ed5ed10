/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON, plans, and all that is printed of a plan. A mutated plan never has the right id, so what parses is also sealed
 * anew: the checks behind the id see it too.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_diff.h"
#include "plan_env.h"
#include "plan_handoff.h"
#include "plan_post.h"
#include "plan_show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Canonical bytes are read back as the same value and the same bytes. */
static void round_trip(const json_t *value)
{
	MXT_CLEANUP_BUF struct mxt_buf first = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf second = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *again = NULL;
	int rc = mxt_json_canonical(value, &first, NULL);
	assert(rc == 0);
	if (first.len > MXT_JSON_MAX_BYTES)
		return; /* escapes that stand for themselves grow no text, but a limit is a limit */
	rc = mxt_json_parse("again", first.data, first.len, MXT_JSON_CANONICAL, &again, NULL);
	assert(rc == 0 && json_equal(value, again));
	rc = mxt_json_canonical(again, &second, NULL);
	assert(rc == 0 && first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
}

static void print_all(const struct mxt_plan *plan)
{
	static const enum mxt_env_format formats[] = {MXT_ENV_SH, MXT_ENV_JSON, MXT_ENV_ENV_FILE};
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_plan_show(plan, &buf);
	assert(mxt_json_is_text(mxt_plan_id(plan)) && !memchr(mxt_buf_text(&buf), '\x1b', buf.len));
	for (size_t i = 0; i < MXT_ARRAY_LEN(formats); i++) {
		int rc = mxt_plan_env_write(plan, formats[i], "/dir", &buf, NULL);
		assert(rc == 0);
	}
	mxt_buf_truncate(&buf, 0);
	if (mxt_plan_post(plan, &buf, NULL) == 0)
		assert(buf.len > 0 && !buf.failed && !memchr(buf.data, '\x1b', buf.len));
	MXT_CLEANUP_JSON json_t *hashes = NULL; /* of all that the plan makes others read */
	int written = mxt_handoffs_hashes(mxt_plan_decision(plan), &hashes, NULL);
	assert(written < 0 || json_is_object(hashes));
	(void)mxt_plan_usable(plan, MXT_PLAN_TRAIN, false, NULL);
	(void)mxt_plan_string(plan, "decision.attention.backend");
}

static void read_plan(const char *text, size_t size)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_plan_parse("fuzz", text, size, &plan, &err) == 0)
		print_all(plan);
	else
		assert(err.id != MXT_E_NONE && err.status < 0 && mxt_json_is_text(mxt_error_text(&err)));
}

static void seal_anew(const json_t *document)
{
	const json_t *decision = json_object_get(document, "decision");
	const json_t *evidence = json_object_get(document, "evidence");
	MXT_CLEANUP_JSON json_t *sealed = NULL;
	MXT_CLEANUP_JSON json_t *differences = NULL;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (!json_is_object(decision) || !json_is_object(evidence))
		return;
	int rc = mxt_plan_diff("d", decision, evidence, &differences, NULL);
	assert(rc == 0);
	if (mxt_plan_seal(decision, evidence, &sealed, &err) < 0) {
		assert(mxt_json_is_text(mxt_error_text(&err)));
		return;
	}
	rc = mxt_json_canonical(sealed, &buf, NULL);
	assert(rc == 0);
	read_plan(buf.data, buf.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = size ? (const char *)data : "";
	MXT_CLEANUP_JSON json_t *foreign = NULL;
	MXT_CLEANUP_JSON json_t *document = NULL;
	int rc = mxt_json_parse("fuzz", text, size, MXT_JSON_FOREIGN, &foreign, NULL);
	assert((rc == 0) == (foreign != NULL));
	if (mxt_json_parse("fuzz", text, size, MXT_JSON_CANONICAL, &document, NULL) == 0) {
		assert(json_equal(foreign, document));
		round_trip(document);
		seal_anew(document);
	}
	read_plan(text, size);
	return 0;
}
