/* SPDX-License-Identifier: Apache-2.0 */
#include "announce.h"

#include "duel.h"
#include "session.h"
#include "today.h"

void mxt_announce_note(const struct mxt_session *session, const char *text)
{
	struct mxt_event event = {.kind = MXT_EVENT_NOTE, .as.note = {text}};
	mxt_emit(session->request->sink, &event);
}

void mxt_announce_progress(const struct mxt_session *session, const char *phase)
{
	const struct mxt_budget *budget = session->request->budget;
	struct mxt_event event = {.kind = MXT_EVENT_PROGRESS,
				  .as.progress = {phase, mxt_budget_used_ns(budget), budget->limit_ns}};
	mxt_emit(session->request->sink, &event);
}

int mxt_announce_skipped(struct mxt_session *session, const char *what, const char *reason, struct mxt_error *err)
{
	struct mxt_event event = {.kind = MXT_EVENT_SKIPPED, .as.skipped = {what, reason}};
	mxt_emit(session->request->sink, &event);
	return mxt_evidence_text(session->skipped, err, "%s: %s", what, reason);
}

static struct mxt_event_cell cell_of(const struct mxt_entry *entry, const struct mxt_measure *measure)
{
	struct mxt_event_cell cell = {.reason = entry->reason, .samples = measure->n};
	if (measure->n > 0) {
		cell.reason = NULL;
		cell.median_ns = mxt_measure_median(measure);
	} else if (!cell.reason) {
		cell.reason = "not timed";
	}
	return cell;
}

void mxt_announce_problems(const struct mxt_session *session, const char *probe, const struct mxt_field *field)
{
	const char *names[MXT_FIELD_MAX_ENTRIES];
	struct mxt_event_cell cells[MXT_FIELD_MAX_ENTRIES];
	for (size_t i = 0; i < field->n_entries; i++)
		names[i] = field->entries[i].name;
	struct mxt_event event = {
	    .kind = MXT_EVENT_PROBE,
	    .as.probe = {probe, names, field->n_entries, field->course->n_problems, session->inventory.peak_flops}};
	mxt_emit(session->request->sink, &event);
	for (size_t p = 0; p < field->course->n_problems; p++) {
		for (size_t i = 0; i < field->n_entries; i++)
			cells[i] = cell_of(&field->entries[i], &field->entries[i].measures[p]);
		event = (struct mxt_event){.kind = MXT_EVENT_PROBLEM,
					   .as.problem = {probe, &field->course->problems[p], cells, field->n_entries}};
		mxt_emit(session->request->sink, &event);
	}
}

void mxt_announce_choice(const struct mxt_session *session, const char *probe, const struct mxt_probe_result *result)
{
	struct mxt_event event = {
	    .kind = MXT_EVENT_CHOICE,
	    .as.choice = {probe, &result->choice, result->incumbent_name, result->winner_name, result->best_name}};
	mxt_emit(session->request->sink, &event);
}

void mxt_announce_heuristic(const struct mxt_session *session)
{
	const struct mxt_heuristic *heuristic = &session->heuristic;
	struct mxt_event event = {.kind = MXT_EVENT_HEURISTIC,
				  .as.heuristic = {heuristic->library, heuristic->products, heuristic->ranked,
						   mxt_heuristic_share_ppm(heuristic),
						   mxt_heuristic_gain_ppm(heuristic),
						   mxt_heuristic_floor_ppm(heuristic)}};
	if (heuristic->ranked > 0)
		mxt_emit(session->request->sink, &event);
}

void mxt_announce_pins(const struct mxt_session *session)
{
	const struct mxt_pins *pins = &session->pins;
	struct mxt_event event = {
	    .kind = MXT_EVENT_PINS,
	    .as.pins = {pins->chosen ? pins->count : 0, pins->gain_ppm, pins->bound_ppm, pins->rule}};
	mxt_emit(session->request->sink, &event);
}

void mxt_announce_duel(const struct mxt_session *session, const struct mxt_duel *duel, const char *dropped)
{
	for (size_t i = 0; i < duel->field.n_entries; i++) {
		struct mxt_event event = {.kind = MXT_EVENT_CONFIRM,
					  .as.confirm = {duel->field.entries[i].name, &duel->verdict[i], dropped}};
		if (i != MXT_DUEL_PLAN)
			mxt_emit(session->request->sink, &event);
	}
}

void mxt_announce_today(const struct mxt_session *session)
{
	MXT_CLEANUP_BUF struct mxt_buf today = MXT_BUF_INIT, change = MXT_BUF_INIT;
	if (!session->request->today)
		return;
	mxt_today_text(session, &today);
	mxt_today_change_text(session, &change);
	struct mxt_event event = {.kind = MXT_EVENT_TODAY, .as.today = {mxt_buf_text(&today), mxt_buf_text(&change)}};
	mxt_emit(session->request->sink, &event);
}

/* What the plan saves of a step, by probe: each gain weighed with the probe's share of the measured step. */
void mxt_announce_cost(const struct mxt_session *session)
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
		if (i == MXT_PROBLEM_GEMM && session->pins.chosen && !session->pins.dropped)
			parts[i].saved_ppm += (int32_t)(share * session->pins.gain_ppm);
		parts[i].unresolved = result->choice.verdict == MXT_VERDICT_UNRESOLVED;
		event.as.cost.saved_ppm += parts[i].saved_ppm;
	}
	mxt_emit(session->request->sink, &event);
}
