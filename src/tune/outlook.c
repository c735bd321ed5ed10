/* SPDX-License-Identifier: Apache-2.0 */
#include "outlook.h"

#include "error.h"
#include "json.h"
#include "session.h"

/* Appends a row, taking it over; NULL counts as memory run out. */
static int append(json_t *list, json_t *row)
{
	return row ? json_array_append_new(list, row) : -1;
}

static int append_incumbents(const struct mxt_session *session, enum mxt_problem_kind kind, json_t *list)
{
	static const char format[] = "{s:s, s:s, s:O}";
	const char *probe = mxt_problem_kind_name(kind);
	MXT_CLEANUP_JSON json_t *nothing = json_object();
	int rc = nothing ? append(list, json_pack(format, "probe", probe, "candidate", "bare", "env", nothing)) : -1;
	if (rc == 0 && mxt_session_yours_races(session, kind))
		rc = append(list, json_pack(format, "probe", probe, "candidate", "yours", "env", session->yours));
	return rc;
}

static json_t *candidate_json(const char *probe, const struct mxt_candidate *candidate)
{
	json_t *row = json_pack("{s:s, s:s, s:O}", "probe", probe, "candidate", candidate->name, "env", candidate->env);
	if (!row || !candidate->skip || json_object_set_new(row, "skip", json_string(candidate->skip)) == 0)
		return row;
	json_decref(row);
	return NULL;
}

static int append_candidates(struct mxt_session *session, enum mxt_problem_kind kind, json_t *list,
			     struct mxt_error *err)
{
	int rc = mxt_session_candidates(session, kind, err);
	if (rc < 0)
		return rc;
	const struct mxt_candidate_list *candidates = &session->probes[kind].candidates;
	rc = append_incumbents(session, kind, list);
	for (size_t i = 0; rc == 0 && i < candidates->count; i++)
		rc = append(list, candidate_json(mxt_problem_kind_name(kind), &candidates->items[i]));
	return rc < 0 ? mxt_error_oom(err) : 0;
}

static int set_collective(const struct mxt_session *session, json_t *outlook)
{
	const struct mxt_collective_answer *answer = &session->collective;
	json_t *row = answer->rule ? mxt_collective_answer_json(answer) : NULL;
	if (!answer->rule)
		return 0;
	if (!row || json_object_set(row, "env", answer->env) < 0) {
		json_decref(row);
		return -1;
	}
	return json_object_set_new(outlook, "collective", row);
}

static int describe(struct mxt_session *session, json_t **ret_outlook, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *list = json_array();
	int rc = list ? 0 : mxt_error_oom(err);
	for (int kind = 0; rc == 0 && kind < MXT_PROBLEM_KIND_COUNT; kind++)
		rc = append_candidates(session, (enum mxt_problem_kind)kind, list, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_JSON json_t *outlook =
	    json_pack("{s:s, s:O, s:O, s:O, s:O, s:O}", "device", session->request->ops->name, "platform",
		      session->inventory.platform, "stack", session->inventory.stack, "devices",
		      session->inventory.devices, "notes", session->health, "candidates", list);
	if (!outlook || set_collective(session, outlook) < 0)
		return mxt_error_oom(err);
	*ret_outlook = json_incref(outlook);
	return 0;
}

int mxt_tune_outlook(const struct mxt_tune_request *request, json_t **ret_outlook, struct mxt_problem_set *ret_set,
		     struct mxt_error *err)
{
	struct mxt_session session;
	int rc = mxt_session_init(&session, request, err);
	if (rc == 0)
		rc = describe(&session, ret_outlook, err);
	if (rc == 0) {
		*ret_set = session.set;
		session.set = (struct mxt_problem_set){.problems = NULL};
	}
	mxt_session_finish(&session);
	return rc;
}
