/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second machine does not decide anew: it confirms a plan, cell by cell, or says which cells disagree.
 */
#include <errno.h>

#include "announce.h"
#include "duel.h"
#include "error.h"
#include "handoff_folder.h"
#include "pinned_plan.h"
#include "plan.h"
#include "plan_diff.h"
#include "session.h"

/*
 * One cell: a probe's course, or (kind MXT_PROBLEM_KIND_COUNT) the layer; and its share of the time that is then left.
 */
static const struct {
	const char *name;
	enum mxt_problem_kind kind;
	unsigned share_percent;
} cells[] = {
    {"gemm", MXT_PROBLEM_GEMM, 45},
    {"attention", MXT_PROBLEM_ATTENTION, 45},
    {"confirm", MXT_PROBLEM_KIND_COUNT, 100},
};

/* Keys of the decision that must be equal here for a comparison to mean anything. */
static int check_fit(const struct mxt_session *session, const json_t *decision, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *workload = mxt_session_workload_json(session);
	MXT_CLEANUP_JSON json_t *stack = mxt_session_stack_json(session);
	if (!workload || !stack)
		return mxt_error_oom(err);
	const struct {
		const char *key;
		const json_t *here;
	} parts[] = {{"platform", session->inventory.platform},
		     {"stack", stack},
		     {"workload", workload},
		     {"contract", json_object_size(session->contract) ? session->contract : NULL}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(parts); i++) {
		int rc =
		    mxt_plan_compare_part(parts[i].key, json_object_get(decision, parts[i].key), parts[i].here, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* What one duel said, and whether the plan's pins act: only where products are raced one by one. */
static int conclude(struct mxt_session *session, size_t cell, struct mxt_duel *duel, const char **ret_objection,
		    struct mxt_error *err)
{
	const json_t *decision = mxt_plan_decision(session->request->against);
	const char *objection = mxt_duel_objection(duel), *unseen = NULL;
	bool products = cells[cell].kind == MXT_PROBLEM_GEMM;
	int rc = products ? mxt_pinned_plan_check_built(session, duel, decision, err) : 0;
	if (rc == 0 && products && !objection)
		rc = mxt_pinned_plan_witness(duel, decision, &unseen, err);
	if (rc == 0)
		rc = mxt_duel_record(duel, session, cells[cell].name, err);
	if (rc < 0)
		return rc;
	mxt_announce_duel(session, duel, NULL);
	*ret_objection = objection ? objection : unseen;
	return 0;
}

/* *ret_objection: static text, NULL when the cell agrees. */
static int run_cell(struct mxt_session *session, size_t cell, const json_t *env, const char **ret_objection,
		    struct mxt_error *err)
{
	MXT_CLEANUP(mxt_course_finish) struct mxt_course course = {.problems = NULL};
	bool layer = cells[cell].kind == MXT_PROBLEM_KIND_COUNT;
	int rc = layer ? mxt_course_init_layer(&course, session, err)
		       : mxt_course_init_probe(&course, session, cells[cell].kind, err);
	if (rc < 0 || course.n_problems == 0)
		return rc; /* nothing of this cell is modelled: nothing can disagree */
	struct mxt_duel duel;
	uint64_t end = mxt_budget_stage_end_ns(session->request->budget, cells[cell].share_percent);
	rc = mxt_duel_run(&duel, session, &course, cells[cell].kind, env, end, err);
	duel.tie_ppm = session->request->margin_ppm;
	if (rc == 0)
		rc = conclude(session, cell, &duel, ret_objection, err);
	int ended = mxt_duel_finish(&duel, rc < 0 ? NULL : err);
	return rc < 0 ? rc : ended;
}

int mxt_session_against(struct mxt_session *session, json_t **ret_plan, struct mxt_error *err)
{
	const json_t *decision = mxt_plan_decision(session->request->against);
	MXT_CLEANUP_JSON json_t *env = NULL;
	MXT_CLEANUP_BUF struct mxt_buf disagree = MXT_BUF_INIT;
	int rc = check_fit(session, decision, err);
	if (rc == 0)
		rc = mxt_handoff_folder_export(session, decision, json_object_get(decision, "env"), &env, err);
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(cells); i++) {
		const char *objection = NULL;
		rc = run_cell(session, i, env, &objection, err);
		if (rc == 0 && objection)
			mxt_buf_printf(&disagree, "%s%s: %s", disagree.len ? "; " : "", cells[i].name, objection);
	}
	if (rc == 0)
		rc = mxt_session_seal_as(session, decision, ret_plan, err);
	if (rc < 0 || disagree.len == 0)
		return rc;
	return mxt_error_set(err, -EDOM, MXT_E_DISAGREES, "this machine does not confirm the plan: %s",
			     mxt_buf_text(&disagree));
}
