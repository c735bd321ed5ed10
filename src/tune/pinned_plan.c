/* SPDX-License-Identifier: Apache-2.0 */
#include "pinned_plan.h"

#include <errno.h>

#include "duel.h"
#include "error.h"
#include "json.h"
#include "pin_witness.h"
#include "plan_diff.h"
#include "session.h"

int mxt_pinned_plan_check_built(const struct mxt_session *session, const struct mxt_duel *duel, const json_t *decision,
				struct mxt_error *err)
{
	json_t *built = json_object_get(json_object_get(decision, "gemm"), "built");
	const json_t *facts = duel->field.entries[MXT_DUEL_BARE].facts;
	if (!built || !facts)
		return 0;
	MXT_CLEANUP_JSON json_t *planned = json_pack("{s:O}", "built", built);
	MXT_CLEANUP_JSON json_t *here = json_pack("{s:o}", "built", mxt_pins_built(facts, session->inventory.stack));
	if (!planned || !here)
		return mxt_error_oom(err);
	return mxt_plan_compare_part("gemm", planned, here, err);
}

int mxt_pinned_plan_witness(struct mxt_duel *duel, const json_t *decision, const char **ret_objection,
			    struct mxt_error *err)
{
	const json_t *pins = json_object_get(json_object_get(decision, "gemm"), "pins");
	size_t seen = 0, timed = 0;
	for (size_t i = 0; i < json_array_size(pins); i++) {
		enum mxt_pin_sight sight = MXT_PIN_UNTIMED;
		struct mxt_pin pin;
		int rc = mxt_pin_read(json_array_get(pins, i), &pin);
		if (rc < 0)
			return mxt_error_oom(err); /* a plan is checked when it is read */
		rc = mxt_pin_look(duel, &pin.product, MXT_PIN_BOUND_PPM, &sight, err);
		if (rc < 0)
			return rc;
		seen += sight == MXT_PIN_SEEN;
		timed += sight != MXT_PIN_UNTIMED;
	}
	*ret_objection = NULL;
	if (json_array_size(pins) > 0 && seen == 0)
		*ret_objection = timed > 0 ? "none of its pins was seen to act" : "none of its pins could be timed";
	return 0;
}
