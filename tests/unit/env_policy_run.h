/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of the environment policy under a plan that a test makes, and what came of it.
 */
#ifndef MXT_TESTS_ENV_POLICY_RUN_H
#define MXT_TESTS_ENV_POLICY_RUN_H

#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "env_policy.h"
#include "environ.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_example.h"
#include "remarks.h"
#include "sysroot.h"

/* Of a plan that has nothing to do with the test. */
#define NO_PLAN_ENV   "{\"OPENBLAS_BLOCK_FACTOR\":\"80\"}"
#define NO_PLAN_UNSET "[\"OPENBLAS_NUM_THREADS\"]"

#define ENV(...) ((const char *const[]){__VA_ARGS__, NULL})

/* One call of the policy, and what came of it. */
struct run {
	struct mxt_env_request request;
	struct mxt_remarks remarks;
	struct mxt_env_outcome outcome;
};
#define RUN_INIT                                                                                                       \
	{                                                                                                              \
		{.root = NULL}, MXT_REMARKS_INIT, MXT_ENV_OUTCOME_INIT                                                 \
	}
#define CLEANUP_RUN MXT_CLEANUP(run_finish)

static inline void run_finish(struct run *run)
{
	mxt_remarks_finish(&run->remarks);
	mxt_env_outcome_finish(&run->outcome);
}

static inline struct mxt_plan *seal_plan(const json_t *decision)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *evidence = plan_example(plan_example_evidence);
	MXT_CLEANUP_JSON json_t *document = NULL;
	struct mxt_plan *plan = NULL;
	int rc = mxt_plan_seal(decision, evidence, &document, &err);
	assert_string_equal(err.text ? err.text : "", "");
	assert_int_equal(rc, 0);
	char *text = json_dumps(document, 0);
	assert_int_equal(mxt_plan_parse("plan.json", text, strlen(text), &plan, NULL), 0);
	free(text);
	return plan;
}

/* A plan that exports `env` and removes `unset` (JSON texts). */
static inline struct mxt_plan *make_plan(const char *env, const char *unset)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(plan_example_decision);
	assert_int_equal(plan_example_set(decision, "env", env), 0);
	assert_int_equal(plan_example_set(decision, "unset", unset), 0);
	return seal_plan(decision);
}

static inline void run_policy(struct run *run, const char *const *caller)
{
	static const struct mxt_sysroot nowhere = {.prefix = "/nonexistent"};
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	run->request.root = run->request.root ? run->request.root : &nowhere;
	run->request.caller = (char *const *)caller;
	int rc = mxt_env_policy(&run->request, &run->remarks, &run->outcome, &err);
	assert_string_equal(err.text ? err.text : "", "");
	assert_int_equal(rc, 0);
	assert_false(run->remarks.failed);
}

/* The first remark that holds the word; NULL: there is none. */
static inline const struct mxt_remark *find_remark(const struct run *run, const char *word)
{
	for (size_t i = 0; i < run->remarks.count; i++)
		if (strstr(run->remarks.items[i].text, word))
			return &run->remarks.items[i];
	return NULL;
}

static inline void want_remark(const struct run *run, enum mxt_remark_kind kind, const char *word)
{
	const struct mxt_remark *remark = find_remark(run, word);
	if (!remark)
		fail_msg("no remark says '%s'", word);
	else if (remark->kind != kind)
		fail_msg("'%s' is a %s", remark->text, mxt_remark_kind_name(remark->kind));
}

/* `value` "": not set. */
static inline void want_value(const struct run *run, const char *name, const char *value)
{
	const char *got = mxt_environ_get(run->outcome.environment, name);
	assert_string_equal(got ? got : "", value);
}

static inline void want_change(const struct run *run, const char *name, const char *from, const char *to,
			       const char *by)
{
	const json_t *change = json_object_get(run->outcome.changes, name);
	if (!change)
		fail_msg("%s is not changed", name);
	assert_string_equal(mxt_json_text(change, "from"), from);
	assert_string_equal(mxt_json_text(change, "to"), to);
	assert_string_equal(mxt_json_text(change, "by"), by);
}

#endif
