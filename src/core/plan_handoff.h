/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hand-offs: files that other tools read, derived from the decision when the plan is used. A plan names one as the
 * value of a variable, @file:NAME@; where it lies is decided by whoever uses the plan.
 *
 * Files are read-only. Where the reader puts the number of its device into the name, each device has a copy of its own:
 * tunableop.csv is tunableop0.csv … tunableop7.csv for a job of eight.
 */
#ifndef MXT_CORE_PLAN_HANDOFF_H
#define MXT_CORE_PLAN_HANDOFF_H

#include <jansson.h>
#include <stdbool.h>

#include "buf.h"
#include "compiler.h"

struct mxt_error;
struct mxt_plan;

bool mxt_is_handoff(const char *value);

/* True when some variable of the plan names a hand-off. */
bool mxt_plan_has_handoffs(const struct mxt_plan *plan);

/*
 * Writes every hand-off of a decision into `dir`, which exists, each atomically and over what an earlier run left
 * there, for as many devices as the job has, and at least `devices`. MXT_E_PLAN_HANDOFF for one that the decision holds
 * nothing for, or that cannot be in a folder of that name.
 */
int mxt_handoffs_write(const json_t *decision, unsigned devices, const char *dir, struct mxt_error *err) MXT_WUR;
int mxt_plan_write_handoffs(const struct mxt_plan *plan, const char *dir, struct mxt_error *err) MXT_WUR;

/*
 * Compares every file that mxt_plan_write_handoffs() wrote with what the plan says, by hash. MXT_E_HANDOFF_CHANGED
 * names the first that is gone or another one now.
 */
int mxt_plan_verify_handoffs(const struct mxt_plan *plan, const char *dir, struct mxt_error *err) MXT_WUR;

/* {"tunableop.csv": BLAKE3-256 of its bytes, …}: new reference, empty without hand-offs. */
int mxt_handoffs_hashes(const json_t *decision, json_t **ret_hashes, struct mxt_error *err) MXT_WUR;

/* decision.env (NULL: none) as it is exported, new reference: hand-offs are paths in `dir`. NULL: memory ran out. */
json_t *mxt_handoffs_env(const json_t *env, const char *dir);

/* Appends the value as it is exported: a hand-off becomes its path in `dir`. */
void mxt_handoff_resolve(const char *value, const char *dir, struct mxt_buf *buf);

#endif
