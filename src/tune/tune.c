/* SPDX-License-Identifier: Apache-2.0 */
#include "tune.h"

#include <errno.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "machine_lock.h"
#include "session.h"

/* The order of the probes, and what share of the time that is then left each may use; the rest is for the confirm
 * stage. */
static const struct {
	enum mxt_problem_kind kind;
	unsigned share_percent;
} stages[] = {
    {MXT_PROBLEM_GEMM, 50},
    {MXT_PROBLEM_ATTENTION, 45},
};

static void emit_note(const struct mxt_session *session, const char *text)
{
	struct mxt_event event = {.kind = MXT_EVENT_NOTE, .as.note = {text}};
	mxt_emit(session->request->sink, &event);
}

/* Without a lock the run goes on, and the plan's evidence says so. */
static int lock_machine(struct mxt_session *session, int *ret_fd, struct mxt_error *err)
{
	const struct mxt_tune_request *request = session->request;
	if (request->ops->simulated)
		return 0;
	int rc = mxt_machine_lock(MXT_LOCK_CPU, request->budget->clock, request->budget->work_end_ns,
				  request->cancel_fd, ret_fd, err);
	if (rc != -ENOLCK)
		return rc;
	emit_note(session, mxt_error_text(err));
	rc = mxt_evidence_text(session->health, NULL, "%s", mxt_error_text(err));
	mxt_error_clear(err);
	return rc < 0 ? mxt_error_oom(err) : 0;
}

static int decide(struct mxt_session *session, struct mxt_error *err)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(stages); i++) {
		uint64_t end = mxt_budget_stage_end_ns(session->request->budget, stages[i].share_percent);
		int rc = mxt_session_probe(session, stages[i].kind, end, err);
		if (rc < 0)
			return rc;
	}
	return mxt_session_confirm(session, err);
}

/* What the plan saves of a step, by probe: each gain weighed with the probe's share of the measured step. */
static void emit_cost(const struct mxt_session *session)
{
	struct mxt_event_saving parts[MXT_PROBLEM_KIND_COUNT];
	struct mxt_event event = {.kind = MXT_EVENT_COST, .as.cost = {0, parts, MXT_PROBLEM_KIND_COUNT}};
	double step = 0;
	for (size_t i = 0; i < MXT_PROBLEM_KIND_COUNT; i++)
		step += session->probes[i].incumbent_step_ns;
	for (size_t i = 0; i < MXT_PROBLEM_KIND_COUNT; i++) {
		const struct mxt_probe_result *result = &session->probes[i];
		double share = step > 0 ? result->incumbent_step_ns / step : 0;
		parts[i].probe = mxt_problem_kind_name((enum mxt_problem_kind)i);
		parts[i].saved_ppm = mxt_probe_ships(result) ? (int32_t)(share * result->choice.gain_ppm) : 0;
		event.as.cost.saved_ppm += parts[i].saved_ppm;
	}
	mxt_emit(session->request->sink, &event);
}

static int run(struct mxt_session *session, json_t **ret_plan, struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int lock = -1;
	int rc = lock_machine(session, &lock, err);
	if (rc == 0 && session->request->against)
		return mxt_session_against(session, ret_plan, err);
	if (rc == 0)
		rc = decide(session, err);
	if (rc < 0)
		return rc;
	emit_cost(session);
	return mxt_session_seal(session, ret_plan, err);
}

int mxt_tune(const struct mxt_tune_request *request, json_t **ret_plan, struct mxt_error *err)
{
	struct mxt_session session;
	int rc = mxt_session_init(&session, request, err);
	if (rc == 0)
		rc = run(&session, ret_plan, err);
	mxt_session_finish(&session);
	return rc;
}
