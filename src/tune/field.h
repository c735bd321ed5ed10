/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A field: the candidates of one race as live workers that take turns. It measures; it decides nothing.
 *
 * Exactly one worker has work at a time, in an order drawn anew for every round. What fails is dropped
 * with its reason and costs nobody else anything but time.
 */
#ifndef MXT_TUNE_FIELD_H
#define MXT_TUNE_FIELD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "choose.h"
#include "course.h"
#include "device_ops.h"
#include "first_calls.h"
#include "problem.h"
#include "rng.h"
#include "worker.h"

struct mxt_clock;
struct mxt_error;

#define MXT_FIELD_MAX_ENTRIES MXT_RACE_MAX_CANDIDATES
#define MXT_FIELD_MAX_ROUNDS  64

/* What an entry showed on one item (or, for first_call_ns and check, on the problem of the same index). */
struct mxt_measure {
	uint64_t ns[MXT_FIELD_MAX_ROUNDS];
	uint32_t n;
	bool prepared;
	uint64_t first_call_ns;
	struct mxt_check check;
};

/* Median of its block times, ns; n > 0. */
uint64_t mxt_measure_median(const struct mxt_measure *measure);

struct mxt_entry {
	const char *name; /* borrowed */
	enum mxt_role role;
	bool deterministic;
	const char *provider;     /* borrowed; see struct mxt_candidate */
	bool lent;                /* it has a provider only because another entry needs one */
	char *const *environment; /* borrowed, complete */
	/* Filled by the field: */
	enum mxt_outcome outcome; /* MXT_OK while it races */
	char *reason;             /* owned; NULL while it races */
	json_t *facts;            /* owned; what its worker reported to be in force; NULL if it never got ready */
	struct mxt_worker *worker;
	struct mxt_measure *measures; /* owned, max(n_problems, n_items) */
	struct mxt_first_calls first; /* what a new length costs it; see first_calls.h */
};

struct mxt_field {
	const struct mxt_device_ops *ops;
	struct mxt_device_target target;
	const char *program; /* what workers are started from; NULL: this binary itself */
	const struct mxt_clock *clock;
	int cancel_fd;
	struct mxt_rng *rng;
	const struct mxt_course *course;
	struct mxt_entry entries[MXT_FIELD_MAX_ENTRIES];
	size_t n_entries;
	bool one_process;       /* the device takes one process at a time: workers are started anew for every turn */
	uint64_t end_ns;        /* requests of this field end here at the latest */
	uint64_t pace_ns;       /* the longest request of an incumbent so far: what challengers are held against */
	uint32_t requests_done; /* prepare and time requests answered so far */
};

/* `field` is zeroed or fresh; entries are added with mxt_field_add() before mxt_field_start(). */
void mxt_field_init(struct mxt_field *field, const struct mxt_device_ops *ops, const struct mxt_clock *clock,
		    int cancel_fd, struct mxt_rng *rng, const struct mxt_course *course);

/* -E2BIG beyond MXT_FIELD_MAX_ENTRIES. */
int mxt_field_add(struct mxt_field *field, const char *name, enum mxt_role role, bool deterministic,
		  const char *provider, char *const *environment, struct mxt_error *err);

/*
 * Starts all workers and waits until they are ready. Entries that fail are dropped. Where one computes in Python, all
 * do: those without a provider run as "sdpa", torch's own dispatcher, so that what a call costs in Python is the same
 * for all. Where that Python does not work, or nobody is left who needs it, all others start anew on the device.
 * Returns 0 (look at the entries), -ETIME when end_ns passed on the way, -ECANCELED, or a fault of ours.
 */
int mxt_field_start(struct mxt_field *field, struct mxt_error *err);

/* Has every entry in `mask` prepare every problem and judges its results. Returns as mxt_field_start(). */
int mxt_field_prepare(struct mxt_field *field, uint32_t mask, struct mxt_error *err);

/* What one round measured. */
struct mxt_round {
	double time_ns[MXT_FIELD_MAX_ENTRIES]; /* weighted sum over the items; 0 for entries that were not in it or
						  failed */
	uint32_t order[MXT_FIELD_MAX_ENTRIES]; /* who was timed when, for every item of the round */
	size_t n_order;
};

/*
 * One round over the entries in `mask` that still race: every item, each entry once, in an order drawn for the round.
 * Entries that fail on the way are dropped. -ETIME when end_ns passed on the way (the round does not count),
 * -ECANCELED, or a fault of ours.
 */
int mxt_field_round(struct mxt_field *field, uint32_t mask, struct mxt_round *ret_round, struct mxt_error *err);

/* A problem beside the course, tried once. */
struct mxt_trial {
	uint64_t first_call_ns, steady_ns; /* its first call, and one after it */
};

/*
 * Has an entry prepare a problem that is not in the course, judges the result, and times it for about `target_ns` (0:
 * as long as any item). Returns as mxt_field_start(); the entry's outcome says whether *ret_trial was filled.
 */
int mxt_field_try(struct mxt_field *field, size_t entry, const struct mxt_problem *problem, uint64_t target_ns,
		  struct mxt_trial *ret_trial, struct mxt_error *err);

/* Keeps an entry at work on a prepared item for about `target_ns`; what it showed is no block of a race. As above. */
int mxt_field_load(struct mxt_field *field, size_t entry, size_t item, uint64_t target_ns,
		   struct mxt_timing *ret_timing, struct mxt_error *err);

/*
 * Times a problem of the course by itself on an entry that has prepared it; *ret_ns is 0 when the entry failed. Returns
 * as mxt_field_start().
 */
int mxt_field_time(struct mxt_field *field, size_t entry, uint32_t problem, uint64_t *ret_ns, struct mxt_error *err);

/* Masks of the entries that still race, and of all incumbents (bare, twin, yours). */
uint32_t mxt_field_alive(const struct mxt_field *field);
uint32_t mxt_field_incumbents(const struct mxt_field *field);

/* Drops an entry by decision of the caller; ends its worker. -EBUSY when it could not be ended. */
int mxt_field_drop(struct mxt_field *field, size_t entry, enum mxt_outcome outcome, const char *reason,
		   struct mxt_error *err);

/* True when every result of the two is the same, bit for bit. */
bool mxt_field_same_bits(const struct mxt_field *field, const struct mxt_entry *a, const struct mxt_entry *b);

/* Ends the workers of entries outside `mask`, keeping what they showed. -EBUSY when one could not be ended. */
int mxt_field_retire(struct mxt_field *field, uint32_t mask, struct mxt_error *err);

/* Ends all workers and releases everything; NULL-tolerant in its members. -EBUSY as above. */
int mxt_field_finish(struct mxt_field *field, struct mxt_error *err);

#endif
