/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "announce.h"
#include "buf.h"
#include "clock.h"
#include "error.h"
#include "json.h"
#include "session.h"
#include "steadiness.h"

#define MOST_PERCENT 10    /* of the budget, in all */
#define NOTABLE_PPM  50000 /* a clock that moved by this much is told */

/* What is left for warming up. */
static uint64_t allowed_ns(const struct mxt_session *session)
{
	uint64_t share = session->request->budget->limit_ns / 100 * MOST_PERCENT;
	uint64_t ramp = session->request->ops->ramp_ns;
	uint64_t limit = ramp < share ? ramp : share;
	return session->warmed_ns < limit ? limit - session->warmed_ns : 0;
}

/* What keeps the device busiest: the item with most operations. */
static size_t heaviest(const struct mxt_course *course)
{
	size_t best = 0;
	double most = 0;
	for (size_t i = 0; i < course->n_items; i++) {
		const struct mxt_item *item = &course->items[i];
		double flops = item->n_steps == 1 ? mxt_problem_flops(&course->problems[item->steps[0].id]) : 0;
		best = flops > most ? i : best;
		most = flops > most ? flops : most;
	}
	return best;
}

/* Readings until they agree or the time is over; *ret_spent_ns: wall time, or device time where that was more. */
static int take_readings(struct mxt_field *field, uint64_t allowed, struct mxt_steadiness *steadiness,
			 uint64_t *ret_spent_ns, struct mxt_error *err)
{
	size_t item = heaviest(field->course);
	uint64_t began = mxt_now_ns(field->clock), spent = 0, device = 0;
	int rc = 0;
	while (rc == 0 && spent < allowed && !mxt_steadiness_reached(steadiness)) {
		struct mxt_timing timing = {0};
		uint64_t left = allowed - spent;
		rc = mxt_field_load(field, 0, item, left < MXT_STEADY_READING_NS ? left : MXT_STEADY_READING_NS,
				    &timing, err);
		if (rc < 0 || field->entries[0].outcome != MXT_OK)
			break; /* a round will say what is wrong with it */
		mxt_steadiness_add(steadiness, timing.ns);
		device += timing.ns * timing.samples * timing.repeats;
		spent = mxt_now_ns(field->clock) - began;
		spent = device > spent ? device : spent;
	}
	*ret_spent_ns = spent;
	return rc;
}

static int record(struct mxt_session *session, const char *probe, const struct mxt_steadiness *steadiness,
		  uint64_t spent_ns, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *row = json_pack("{s:s, s:I, s:i}", "probe", probe, "spent_ns", (json_int_t)spent_ns,
						 "moved_ppm", (int)mxt_steadiness_moved_ppm(steadiness));
	int rc = row ? 0 : -1;
	if (rc == 0 && mxt_steadiness_reached(steadiness))
		rc = json_object_set_new(row, "steady", json_true());
	if (rc == 0)
		rc = json_array_append(session->warm_ups, row);
	return rc == 0 ? 0 : mxt_error_oom(err);
}

/* What was seen of the clock, where it is worth a line. */
static int tell(struct mxt_session *session, const struct mxt_steadiness *steadiness, uint64_t spent_ns,
		struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	int32_t moved = mxt_steadiness_moved_ppm(steadiness);
	bool steady = mxt_steadiness_reached(steadiness), whole = steadiness->count >= MXT_STEADY_READINGS;
	if ((steady || !whole) && moved > -NOTABLE_PPM && moved < NOTABLE_PPM)
		return 0;
	mxt_buf_printf(&text, "the device's clock moved: within %.1f s of work its times became %.1f %% %s%s",
		       (double)spent_ns / 1e9, (moved < 0 ? -moved : moved) / 1e4, moved < 0 ? "longer" : "shorter",
		       steady ? "; what is measured comes after that" : ", and they were still changing");
	if (text.failed)
		return mxt_error_oom(err);
	mxt_announce_note(session, mxt_buf_text(&text));
	return steady ? 0 : mxt_evidence_text(session->health, err, "%s", mxt_buf_text(&text));
}

int mxt_session_warm_up(struct mxt_session *session, struct mxt_field *field, struct mxt_error *err)
{
	struct mxt_steadiness steadiness = {.count = 0};
	uint64_t allowed = allowed_ns(session), spent = 0;
	if (allowed == 0 || field->course->n_items == 0 || field->entries[0].outcome != MXT_OK)
		return 0;
	mxt_announce_progress(session, "warm-up");
	int rc = take_readings(field, allowed, &steadiness, &spent, err);
	session->warmed_ns += spent;
	if (rc < 0 || steadiness.count == 0)
		return rc;
	rc = record(session, field->target.probe, &steadiness, spent, err);
	return rc == 0 ? tell(session, &steadiness, spent, err) : rc;
}
