/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job whose results must repeat: what its environment must hold for that, and what it must do itself.
 */
#include <errno.h>

#include "announce.h"
#include "environ.h"
#include "error.h"
#include "session.h"
#include "workload.h"

int mxt_session_require(struct mxt_session *session, struct mxt_error *err)
{
	const struct mxt_tune_request *request = session->request;
	bool asked = request->workload->training.deterministic;
	session->required = json_object();
	if (!session->required)
		return mxt_error_oom(err);
	for (const struct mxt_setting *s = asked ? request->ops->deterministic : NULL; s && s->name; s++)
		if (!mxt_environ_get(request->environment, s->name) &&
		    json_object_set_new(session->required, s->name, json_string(s->value)) < 0)
			return mxt_error_oom(err);
	return 0;
}

int mxt_session_note_duty(struct mxt_session *session, struct mxt_error *err)
{
	if (!session->request->workload->training.deterministic)
		return 0;
	mxt_announce_note(session, MXT_DETERMINISTIC_DUTY);
	return mxt_evidence_text(session->health, err, "%s", MXT_DETERMINISTIC_DUTY);
}
