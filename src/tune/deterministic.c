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
	const struct mxt_setting *setting = request->ops->deterministic;
	session->required = json_object();
	if (!session->required)
		return mxt_error_oom(err);
	if (!request->workload->training.deterministic || !setting ||
	    mxt_environ_get(request->environment, setting->name))
		return 0;
	int rc = json_object_set_new(session->required, setting->name, json_string(setting->value));
	return rc < 0 ? mxt_error_oom(err) : 0;
}

int mxt_session_note_duty(struct mxt_session *session, struct mxt_error *err)
{
	if (!session->request->workload->training.deterministic)
		return 0;
	mxt_announce_note(session, MXT_DETERMINISTIC_DUTY);
	return mxt_evidence_text(session->health, err, "%s", MXT_DETERMINISTIC_DUTY);
}
