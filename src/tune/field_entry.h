/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One candidate of a field and its worker: a request, how long it may take, and what the answer says of the candidate.
 * All return 0 when the request was answered or the candidate failed (its outcome says so), -ETIME when the time of the
 * whole field is over, -ECANCELED, or a fault of ours.
 */
#ifndef MXT_TUNE_FIELD_ENTRY_H
#define MXT_TUNE_FIELD_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "worker.h"

struct mxt_entry;
struct mxt_error;
struct mxt_field;
struct mxt_item;
struct mxt_problem;

/* Bare, its twin and yours set the pace; challengers must not be hopelessly slower. */
bool mxt_entry_is_incumbent(const struct mxt_entry *entry);

/* The reason is best effort: without memory for it the outcome alone is kept. */
void mxt_entry_fail(struct mxt_entry *entry, enum mxt_outcome outcome, const char *reason);

/* -ETIME when the time of the field is over: a request ran into its end, not into its own patience. */
int mxt_field_check_time(const struct mxt_field *field, struct mxt_error *err) MXT_WUR;

int mxt_entry_start(struct mxt_field *field, struct mxt_entry *entry, struct mxt_error *err) MXT_WUR;
int mxt_entry_ready(struct mxt_field *field, struct mxt_entry *entry, struct mxt_error *err) MXT_WUR;

/* Has a problem prepared under an id and judges its result; *ret_done: the worker did it. */
int mxt_entry_prepare(struct mxt_field *field, struct mxt_entry *entry, uint32_t id, const struct mxt_problem *problem,
		      struct mxt_prepared *ret_prepared, bool *ret_done, struct mxt_error *err) MXT_WUR;

/* Times a sequence, for about `target_ns` after at most `max_warm_ns`; its time is 0 when the entry failed. */
int mxt_entry_time(struct mxt_field *field, struct mxt_entry *entry, const struct mxt_item *item, uint64_t max_warm_ns,
		   uint64_t target_ns, struct mxt_timing *ret_timing, struct mxt_error *err) MXT_WUR;

#endif
