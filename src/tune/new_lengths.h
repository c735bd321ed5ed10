/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lengths that vary: what new ones cost in a race, and what follows for its choice. Internal to src/tune.
 *
 * A run of P passes that meets D lengths pays D times for what first_calls.h measures, so every pass is charged D / P
 * of it. A layer is charged its part of that.
 */
#ifndef MXT_TUNE_NEW_LENGTHS_H
#define MXT_TUNE_NEW_LENGTHS_H

#include <stdint.h>

#include "choose.h"
#include "problem.h"

struct mxt_duel;
struct mxt_entry;
struct mxt_error;
struct mxt_field;
struct mxt_group;
struct mxt_session;

enum mxt_new_lengths_state {
	MXT_LENGTHS_FIXED,      /* packed, padded, or products: nothing is charged */
	MXT_LENGTHS_UNMEASURED, /* there was no time to measure what they cost */
	MXT_LENGTHS_CHEAP,      /* they cost next to nothing under any candidate */
	MXT_LENGTHS_OPEN,       /* measured; how many there are is not known */
	MXT_LENGTHS_CHARGED,
};

/* Two candidates of which one starts slowly at every new length; ns of the real step. */
struct mxt_trade {
	double cost_ns;     /* what a new length costs the slow starter more; 0: neither starts slowly */
	double saving_ns;   /* what it saves in every pass; negative: it is slower there, too */
	int64_t break_even; /* passes from which on it pays off; 0: never */
};

#define MXT_REASON_TEXT 640

/* What one probe found about new lengths, and of whose sake. */
struct mxt_new_lengths {
	enum mxt_new_lengths_state state;
	struct mxt_charge bare, yours, winner; /* of one new length, ns of a real step */
	double scale;                          /* measured time over real time, by floating-point operations */
	struct mxt_trade trade;                /* of the incumbent and the best challenger */
	double ships_ns;                       /* what ships takes for a real step, without what is charged */
	double incumbent_ns, best_ns;          /* of one new length: the expected costs of these two */
	char reason[MXT_REASON_TEXT];          /* the choice's rule, where new lengths have a part in it; "" */
};

/* What a race can still spend. */
struct mxt_pace {
	uint64_t end_ns;
	uint64_t prepare_ns; /* one entry preparing all problems */
	uint64_t round_ns;   /* one entry timed on all items once */
};

/*
 * Between the first times of all entries and the first block of the race: measures what new lengths cost, drops
 * candidates that only promise to lower that and do not, and charges the race. Returns as mxt_field_start().
 */
int mxt_new_lengths_charge(struct mxt_group *group, struct mxt_session *session, const struct mxt_pace *pace,
			   struct mxt_error *err);

/* Keeps the incumbents' and the winner's costs for the confirm stage; once the result's other members are set. */
void mxt_new_lengths_keep(const struct mxt_group *group, const struct mxt_choice *choice,
			  struct mxt_new_lengths *lengths);

/* How many of the passes meet a new length, as a share; 0 while they are not known. */
double mxt_new_lengths_rate(const struct mxt_session *session);

/* The entry's time of all items once, as they weigh in a step. */
double mxt_new_lengths_step_ns(const struct mxt_field *field, const struct mxt_entry *entry);

/* Measured time over real time, by floating-point operations: 1 unless the shapes were scaled down. */
double mxt_new_lengths_scale(const struct mxt_session *session, enum mxt_problem_kind kind,
			     const struct mxt_field *field);

/*
 * For a duel after its first round: charges its entries. Before a layer, from what the probes kept; else measured now,
 * and kept for the layer. Where the passes are not known, as if every pass had a new length or none had, whichever
 * favours the plan. `kind`: MXT_PROBLEM_KIND_COUNT for a layer. Returns as mxt_field_start().
 */
int mxt_new_lengths_duel(struct mxt_duel *duel, struct mxt_session *session, enum mxt_problem_kind kind,
			 struct mxt_error *err);

#endif
