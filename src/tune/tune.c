/* SPDX-License-Identifier: Apache-2.0 */
#include "tune.h"

#include <errno.h>
#include <unistd.h>

#include "announce.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "machine_lock.h"
#include "padding_advice.h"
#include "session.h"

/*
 * The order of the probes, and what share of the time that is then left each may use; the rest is for the confirm
 * stage.
 */
static const struct {
	enum mxt_problem_kind kind;
	unsigned share_percent;
	unsigned most_percent; /* where no challenger could be timed in the share */
} stages[] = {
    {MXT_PROBLEM_GEMM, 33, 60},
    {MXT_PROBLEM_ATTENTION, 75, 75},
};

/* Without a lock the run goes on, and the plan's evidence says so. */
static int lock_machine(struct mxt_session *session, int *ret_fd, struct mxt_error *err)
{
	const struct mxt_tune_request *request = session->request;
	const char *own = session->inventory.lock; /* two runs on two devices do not disturb each other much */
	const char *path = own && access(own, R_OK) == 0 ? own : MXT_LOCK_CPU;
	if (request->simulated)
		return 0;
	int rc = mxt_machine_lock(path, request->budget->clock, 0, request->cancel_fd, ret_fd, err);
	if (rc == -EBUSY) {
		mxt_error_clear(err);
		mxt_announce_note(session, "another run measures on this device; the wait for it counts in the budget");
		rc = mxt_machine_lock(path, request->budget->clock, request->budget->work_end_ns, request->cancel_fd,
				      ret_fd, err);
	}
	if (rc != -ENOLCK)
		return rc;
	mxt_announce_note(session, mxt_error_text(err));
	rc = mxt_evidence_text(session->health, NULL, "%s", mxt_error_text(err));
	mxt_error_clear(err);
	return rc < 0 ? mxt_error_oom(err) : 0;
}

static bool yours_lost(const struct mxt_session *session)
{
	for (size_t i = 0; i < MXT_PROBLEM_KIND_COUNT; i++)
		if (mxt_probe_ships(&session->probes[i]) && session->probes[i].ships_bare)
			return true;
	return false;
}

/* Known since the session began, as nothing of it is measured; but a measurement goes before what is only kept. */
static int tell_collectives(struct mxt_session *session, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct mxt_collective_answer *answer = &session->collective;
	int rc = yours_lost(session) ? mxt_collective_yield(answer, session->request->ops->selectors, err) : 0;
	if (rc < 0 || !answer->rule)
		return rc;
	json_t *row = mxt_collective_answer_json(answer);
	mxt_buf_printf(&text, "%s%s", answer->planned ? "collectives: " : "", answer->rule);
	if (!row || json_array_append_new(session->choices, row) < 0 || text.failed)
		return mxt_error_oom(err);
	mxt_announce_note(session, mxt_buf_text(&text));
	return 0;
}

static int decide(struct mxt_session *session, struct mxt_error *err)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(stages); i++) {
		uint64_t end = mxt_budget_stage_end_ns(session->request->budget, stages[i].share_percent);
		session->latest_ns = mxt_budget_stage_end_ns(session->request->budget, stages[i].most_percent);
		int rc = mxt_session_probe(session, stages[i].kind, end, err);
		if (rc < 0)
			return rc;
	}
	int rc = mxt_session_confirm(session, err);
	return rc == 0 ? tell_collectives(session, err) : rc;
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
	mxt_announce_cost(session);
	mxt_padding_advise(session);
	mxt_announce_today(session);
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
