/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of environment variables: those that choose kernels (variables.def: what a plan may set or remove, what
 * it must keep, and what can never come from a plan), and others that are known (caller_variables.def). A name that is
 * in no row is refused in a plan.
 */
#ifndef MXT_CORE_VARIABLES_H
#define MXT_CORE_VARIABLES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "value_rule.h"

struct mxt_error;

enum mxt_variable_class {
	MXT_VARIABLE_SELECTOR, /* chooses kernels: removed for `bare`, and a plan may set or remove it */
	MXT_VARIABLE_CONTRACT, /* set for correctness: kept for all candidates, part of the decision, never chosen */
	MXT_VARIABLE_STICKY,   /* a contract where the caller has set it, else a plan may set it */
	MXT_VARIABLE_DENY,     /* names code, a file or a device: can never come from a plan */
	MXT_VARIABLE_CALLER,   /* is read, and is no plan's business: stays as the caller has it */
	MXT_VARIABLE_DEAD,     /* real scripts set it, and nothing reads it */
	MXT_VARIABLE_CLASS_COUNT
};

struct mxt_variable {
	enum mxt_variable_class class;
	const char *name; /* what no plan may set may start or end with '*' */
	struct mxt_value_rule rule;
	const char *reader; /* who reads it */
	const char *since;  /* first version of the reader that does; "" when all do, or when not known */
	const char *until;  /* last version that does; "" when it still does */
	const char *why;    /* what it chooses, or why a plan may not; of a dead one: what is read instead */
};

size_t mxt_variable_count(void);
const struct mxt_variable *mxt_variable_at(size_t i);

/* The row of a name, deny rows first; NULL when there is none. Case matters. */
const struct mxt_variable *mxt_variable_find(const char *name);
const struct mxt_variable *mxt_variable_find_n(const char *name, size_t len);

/* The name in the table that differs from `name` by case only; NULL when none does. */
const char *mxt_variable_of_other_case(const char *name);

/* The name in the table that differs from `name` by case or by a typing error only; NULL when none does. */
const char *mxt_variable_near(const char *name);

const char *mxt_variable_class_name(enum mxt_variable_class class);

/* True when a plan may set the variable to that value. */
bool mxt_variable_settable(const struct mxt_variable *variable, const char *value);

/* Selectors, contracts and sticky ones: what concerns the kernels of a plan. */
bool mxt_variable_concerns_kernels(const struct mxt_variable *variable);

/*
 * May a message or a record hold this value? Only a plain, short one of a variable that concerns kernels, and small
 * numbers: whatever else an environment holds could be a token.
 */
bool mxt_variable_shows(const char *name, const char *value);

/*
 * What an environment holds that concerns kernels. Objects of strings: `selectors` is what `bare` removes, `contracts`
 * is what every candidate keeps (decision.contract).
 */
struct mxt_variables_found {
	json_t *selectors;
	json_t *contracts;
};
#define MXT_VARIABLES_FOUND_INIT                                                                                       \
	{                                                                                                              \
		NULL, NULL                                                                                             \
	}

/*
 * `environment` is NULL-ended. A contract variable whose value the table does not allow is an error (MXT_E_PLAN_VALUE):
 * no plan could say what was in force.
 */
int mxt_variables_bare(char *const *environment, struct mxt_variables_found *ret_found, struct mxt_error *err);
void mxt_variables_found_finish(struct mxt_variables_found *found);

/*
 * What an environment sets for correctness, as an object of strings to hold against decision.contract. Values are taken
 * as they are: one that no plan could hold is a difference, not an error.
 */
int mxt_variables_contract(char *const *environment, json_t **ret_contract, struct mxt_error *err);

#endif
