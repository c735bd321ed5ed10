/* SPDX-License-Identifier: Apache-2.0 */
#include "length_trade.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "compiler.h"
#include "group.h"
#include "number.h"
#include "session.h"

/* A difference of first calls is told where it is more than this part of a pass. */
#define WORTH_TELLING 0.01

/* ---- the trade ---- */

/* The two that are compared, by what a new length costs them; times are those of a real step. */
struct pair {
	const struct mxt_entry *slow, *fast; /* to start; NULL: neither is slow to start */
	struct mxt_trade trade;
};

static double real_step_ns(const struct mxt_field *field, const struct mxt_entry *entry, double scale)
{
	return mxt_new_lengths_step_ns(field, entry) / scale;
}

static struct pair compare(const struct mxt_session *session, const struct mxt_field *field, size_t incumbent,
			   size_t best, double scale)
{
	const struct mxt_entry *a = &field->entries[incumbent], *b = &field->entries[best];
	bool first_slow = a->first.cost.middle >= b->first.cost.middle;
	const struct mxt_entry *slow = first_slow ? a : b, *fast = first_slow ? b : a;
	double slow_ns = real_step_ns(field, slow, scale), fast_ns = real_step_ns(field, fast, scale);
	double cost = slow->first.cost.middle - fast->first.cost.middle;
	if (a == b || slow_ns <= 0 || fast_ns <= 0 || cost < WORTH_TELLING * slow_ns)
		return (struct pair){.slow = NULL};
	double saving = fast_ns - slow_ns;
	return (struct pair){
	    slow, fast, {cost, saving, mxt_exposure_break_even(session->request->workload, cost, saving)}};
}

/* ---- words ---- */

static void put_time(struct mxt_buf *text, double ns)
{
	char number[32];
	double ms = fabs(ns) / 1e6;
	bool seconds = ms >= 1000;
	double shown = seconds ? ms / 1000 : ms;
	unsigned digits = shown < 10 ? (shown < 1 ? 2 : 1) : 0;
	mxt_format_fixed(number, llround(fmin(shown, 1e9) * 1000), 3, digits);
	mxt_buf_printf(text, "%s %s", number, seconds ? "s" : "ms");
}

/* "bare (cudnn)": by name, and by what computes where that is known and says more. */
static void put_name(struct mxt_buf *text, const struct mxt_entry *entry)
{
	const char *backend = entry->measures[0].check.backend;
	mxt_buf_puts(text, entry->name);
	if (backend[0] && strcmp(backend, entry->name) != 0)
		mxt_buf_printf(text, " (%s)", backend);
}

static void put_break_even(struct mxt_buf *text, const struct pair *pair)
{
	put_name(text, pair->slow);
	if (pair->trade.break_even > 0)
		mxt_buf_printf(text, " pays off from %" PRId64 " passes on", pair->trade.break_even);
	else
		mxt_buf_puts(text, " never pays off");
}

/* "bare (cudnn) needs 131 ms more for each new length than flash and takes 7.1 ms less a pass" */
static void put_trade(struct mxt_buf *text, const struct pair *pair)
{
	put_name(text, pair->slow);
	mxt_buf_puts(text, " needs ");
	put_time(text, pair->trade.cost_ns);
	mxt_buf_puts(text, " more for each new length than ");
	put_name(text, pair->fast);
	mxt_buf_puts(text, pair->trade.saving_ns > 0 ? " and takes " : ", and takes ");
	put_time(text, pair->trade.saving_ns);
	mxt_buf_puts(text, pair->trade.saving_ns > 0 ? " less a pass" : " more a pass");
}

static void put_run(struct mxt_buf *text, const struct pair *pair, const struct mxt_exposure *exposure)
{
	double saved = exposure->distinct * pair->trade.cost_ns - (double)exposure->passes * pair->trade.saving_ns;
	mxt_buf_printf(text, "; with %.0f new lengths%s in %" PRId64 " passes ", exposure->distinct,
		       strcmp(exposure->distinct_source, "assumed") == 0 ? " (assumed: spread evenly)" : "",
		       exposure->passes);
	put_name(text, saved > 0 ? pair->fast : pair->slow);
	mxt_buf_puts(text, " saves ");
	put_time(text, saved);
}

/* Makes `text` the choice's rule. */
static void set_rule(struct mxt_choice *choice, struct mxt_new_lengths *lengths, const struct mxt_buf *text)
{
	if (!text->data || text->failed) /* without memory for it the static rule stays */
		return;
	(void)snprintf(lengths->reason, sizeof lengths->reason, "%s", text->data);
	choice->rule = lengths->reason;
}

static void tell_charged(const struct mxt_session *session, const struct pair *pair, struct mxt_choice *choice,
			 struct mxt_new_lengths *lengths)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	if (!pair->slow)
		return;
	mxt_buf_printf(&text, "%s: ", choice->rule);
	put_trade(&text, pair);
	put_run(&text, pair, &session->exposure);
	if (pair->trade.saving_ns > 0) {
		mxt_buf_puts(&text, "; ");
		put_break_even(&text, pair);
	}
	set_rule(choice, lengths, &text);
}

static void tell_open(const struct pair *pair, struct mxt_choice *choice, struct mxt_new_lengths *lengths)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_puts(&text, "it depends on how many forward passes the run has, which is not known (--steps)");
	if (pair->slow) {
		mxt_buf_puts(&text, ": ");
		put_trade(&text, pair);
		mxt_buf_puts(&text, "; ");
		put_break_even(&text, pair);
	}
	set_rule(choice, lengths, &text);
}

static void tell_more(struct mxt_choice *choice, struct mxt_new_lengths *lengths, const char *more)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "%s; %s", choice->rule, more);
	set_rule(choice, lengths, &text);
}

/* ---- what follows ---- */

static bool is_reference(const struct mxt_entry *entry)
{
	return entry->role == MXT_ROLE_BARE || entry->role == MXT_ROLE_YOURS;
}

/* The gain of a over b, were every pass at a new length, which costs them so much. */
static double new_gain(const struct mxt_field *field, const struct mxt_entry *a, double cost_a,
		       const struct mxt_entry *b, double cost_b, double scale)
{
	double time_a = mxt_new_lengths_step_ns(field, a) + cost_a * scale;
	double time_b = mxt_new_lengths_step_ns(field, b) + cost_b * scale;
	return time_b > 0 ? 1 - time_a / time_b : 0;
}

/* True when the winner also wins where every pass meets a new length: then it does for any number of passes. */
static bool wins_anyway(const struct mxt_field *field, size_t winner, double margin, double scale)
{
	const struct mxt_entry *w = &field->entries[winner];
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if (i != winner && is_reference(entry) &&
		    new_gain(field, w, w->first.cost.high, entry, entry->first.cost.low, scale) <= margin)
			return false;
	}
	return true;
}

/* Who would gain most over the incumbent where every pass meets a new length; the incumbent when nobody would. */
static size_t best_if_new(const struct mxt_field *field, size_t incumbent, double margin, double scale)
{
	const struct mxt_entry *today = &field->entries[incumbent];
	size_t best = incumbent;
	double most = margin;
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		bool challenges =
		    entry->role == MXT_ROLE_CHALLENGER || (entry->role == MXT_ROLE_BARE && i != incumbent);
		if (!challenges || entry->outcome != MXT_OK || entry->measures[0].n == 0)
			continue;
		double gain = new_gain(field, entry, entry->first.cost.low, today, today->first.cost.high, scale);
		if (gain > most) {
			most = gain;
			best = i;
		}
	}
	return best;
}

/* The passes are not known. What holds for none and for all of them at new lengths holds; the rest is open. */
static void judge_open(const struct mxt_session *session, const struct mxt_field *field, struct mxt_choice *choice,
		       struct mxt_new_lengths *lengths)
{
	double margin = session->request->margin_ppm / 1e6;
	if (choice->verdict == MXT_VERDICT_WINNER && wins_anyway(field, choice->winner, margin, lengths->scale))
		return;
	if (choice->verdict != MXT_VERDICT_WINNER) {
		size_t best = best_if_new(field, choice->incumbent, margin, lengths->scale);
		if (best == choice->incumbent)
			return;
		choice->best = best;
		choice->gain_ppm =
		    (int32_t)lround(1e6 * new_gain(field, &field->entries[best], 0, &field->entries[choice->incumbent],
						   0, lengths->scale));
		choice->bound_ppm = MXT_BOUND_UNKNOWN_PPM;
	}
	choice->verdict = MXT_VERDICT_UNRESOLVED;
	choice->winner = choice->incumbent;
	struct pair pair = compare(session, field, choice->incumbent, choice->best, lengths->scale);
	lengths->trade = pair.trade;
	tell_open(&pair, choice, lengths);
}

/* Somebody else might have been chosen, if only there had been time. */
static bool was_challenged(const struct mxt_choice *choice)
{
	return choice->best != choice->incumbent || choice->verdict == MXT_VERDICT_UNRESOLVED;
}

void mxt_length_trade_judge(const struct mxt_group *group, const struct mxt_session *session, struct mxt_choice *choice,
			    struct mxt_new_lengths *ret_lengths)
{
	const struct mxt_field *field = &group->field;
	struct mxt_new_lengths lengths = {.state = group->lengths,
					  .scale = mxt_new_lengths_scale(session, group->kind, field)};
	*ret_lengths = lengths;
	if (choice->verdict == MXT_VERDICT_NO_INCUMBENT)
		return;
	if (group->lengths == MXT_LENGTHS_FIXED && group->kind == MXT_PROBLEM_ATTENTION) {
		tell_more(choice, ret_lengths,
			  session->request->workload->training.packing
			      ? "packed sequences have one length, so first calls are not charged"
			      : "padded sequences have one length, so first calls are not charged");
	} else if (group->lengths == MXT_LENGTHS_UNMEASURED && was_challenged(choice)) {
		choice->verdict = MXT_VERDICT_UNRESOLVED;
		choice->winner = choice->incumbent;
		tell_more(choice, ret_lengths, "there was no time to measure what new lengths cost");
	} else if (group->lengths == MXT_LENGTHS_OPEN) {
		judge_open(session, field, choice, ret_lengths);
	} else if (group->lengths == MXT_LENGTHS_CHARGED) {
		struct pair pair = compare(session, field, choice->incumbent, choice->best, ret_lengths->scale);
		ret_lengths->trade = pair.trade;
		tell_charged(session, &pair, choice, ret_lengths);
	}
	ret_lengths->ships_ns = real_step_ns(field, &field->entries[choice->winner], ret_lengths->scale);
	ret_lengths->incumbent_ns = field->entries[choice->incumbent].first.cost.middle;
	ret_lengths->best_ns = field->entries[choice->best].first.cost.middle;
}

/* ---- evidence ---- */

static int set_integer(json_t *object, const char *key, double value)
{
	return json_object_set_new(object, key, json_integer((json_int_t)llround(value)));
}

static int set_exposure(json_t *object, const struct mxt_exposure *exposure)
{
	if (exposure->passes == 0)
		return 0;
	int rc = set_integer(object, "passes", (double)exposure->passes);
	rc |= json_object_set_new(object, "passes_source", json_string(exposure->passes_source));
	rc |= set_integer(object, "distinct", exposure->distinct);
	return rc | json_object_set_new(object, "distinct_source", json_string(exposure->distinct_source));
}

int mxt_length_trade_json(const struct mxt_session *session, const struct mxt_new_lengths *lengths, json_t **ret_json)
{
	static const char *const states[] = {[MXT_LENGTHS_FIXED] = "fixed",
					     [MXT_LENGTHS_UNMEASURED] = "not measured",
					     [MXT_LENGTHS_CHEAP] = "cheap",
					     [MXT_LENGTHS_OPEN] = "open",
					     [MXT_LENGTHS_CHARGED] = "charged"};
	json_t *object = json_pack("{s:s}", "state", states[lengths->state]);
	int rc = object ? set_exposure(object, &session->exposure) : -1;
	if (rc == 0 && (lengths->state == MXT_LENGTHS_OPEN || lengths->state == MXT_LENGTHS_CHARGED)) {
		rc |= set_integer(object, "incumbent_cost_ns", lengths->incumbent_ns);
		rc |= set_integer(object, "best_cost_ns", lengths->best_ns);
	}
	if (rc == 0 && lengths->trade.cost_ns > 0) {
		rc |= set_integer(object, "slow_start_cost_ns", lengths->trade.cost_ns);
		rc |= set_integer(object, "slow_start_saving_ns", lengths->trade.saving_ns);
	}
	if (rc == 0 && lengths->trade.break_even > 0)
		rc = set_integer(object, "break_even_passes", (double)lengths->trade.break_even);
	if (rc == 0) {
		*ret_json = object;
		return 0;
	}
	json_decref(object);
	return -1;
}
