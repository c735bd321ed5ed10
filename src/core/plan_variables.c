/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_variables.h"

#include <errno.h>
#include <stdbool.h>

#include "buf.h"
#include "error.h"
#include "json_path.h"
#include "variables.h"

#define MAX_VALUE_SHOWN 100

/* What a plan may do with variables of which classes. */
struct deed {
	const char *verb;
	bool allowed[MXT_VARIABLE_CLASS_COUNT];
	const char *remedy; /* for a known variable of another class */
};

static const struct deed deed_set = {
    "set",
    {[MXT_VARIABLE_SELECTOR] = true, [MXT_VARIABLE_STICKY] = true},
    "it is set for correctness and stays as the caller has it; do not use this plan",
};
static const struct deed deed_remove = {
    "remove",
    {[MXT_VARIABLE_SELECTOR] = true},
    "it is set for correctness and stays as the caller has it; do not use this plan",
};
static const struct deed deed_keep = {
    "demand",
    {[MXT_VARIABLE_CONTRACT] = true, [MXT_VARIABLE_STICKY] = true},
    "it selects kernels and belongs in env or unset; do not use this plan",
};

static int refuse_unknown(const struct deed *deed, const char *name, const struct mxt_json_path *path,
			  struct mxt_error *err)
{
	const char *near = mxt_variable_near(name);
	if (near && !mxt_variable_concerns_kernels(mxt_variable_find(near)))
		near = NULL;
	return mxt_json_at(path,
			   mxt_error_set(err, -EINVAL, MXT_E_PLAN_VARIABLE,
					 "no plan may %s %.100s: it is not in the table of variables that choose "
					 "kernels%s%s%s; do not use this plan",
					 deed->verb, name, near ? " (did you mean " : "", near ? near : "",
					 near ? "?)" : ""),
			   err);
}

static int refuse_class(const struct deed *deed, const struct mxt_variable *row, const char *name,
			const struct mxt_json_path *path, struct mxt_error *err)
{
	if (row->class == MXT_VARIABLE_DENY)
		return mxt_json_at(path,
				   mxt_error_set(err, -EINVAL, MXT_E_PLAN_VARIABLE,
						 "no plan may ever %s %.100s (%s: it %s); do not use this plan",
						 deed->verb, name, row->reader, row->why),
				   err);
	const char *remedy = row->class == MXT_VARIABLE_CALLER ? "it is the caller's; do not use this plan"
			     : row->class == MXT_VARIABLE_DEAD ? "nothing reads it; do not use this plan"
							       : deed->remedy;
	return mxt_json_at(
	    path,
	    mxt_error_set(err, -EINVAL, MXT_E_PLAN_VARIABLE, "a plan may not %s %.100s: %s", deed->verb, name, remedy),
	    err);
}

/* *ret_row: the row of a name with which this may be done. */
static int check_name(const struct deed *deed, const char *name, const struct mxt_json_path *path,
		      const struct mxt_variable **ret_row, struct mxt_error *err)
{
	const struct mxt_variable *row = mxt_variable_find(name);
	if (!row)
		return refuse_unknown(deed, name, path, err);
	if (!deed->allowed[row->class])
		return refuse_class(deed, row, name, path, err);
	*ret_row = row;
	return 0;
}

static int check_value(const struct mxt_variable *row, const json_t *value, const struct mxt_json_path *path,
		       struct mxt_error *err)
{
	if (json_is_string(value) && mxt_value_allowed(&row->rule, json_string_value(value)))
		return 0;
	MXT_CLEANUP_BUF struct mxt_buf expected = MXT_BUF_INIT;
	mxt_value_rule_text(&row->rule, &expected);
	bool shown = json_is_string(value) && json_string_length(value) <= MAX_VALUE_SHOWN;
	return mxt_json_at(path,
			   mxt_error_set(err, -EINVAL, MXT_E_PLAN_VALUE, "%s%s%s is not allowed; expected %s%s",
					 shown ? "'" : "", shown ? json_string_value(value) : "this value",
					 shown ? "'" : "", json_is_string(value) ? "" : "a string that holds ",
					 mxt_buf_text(&expected)),
			   err);
}

static int check_assignments(const struct deed *deed, const json_t *object, const struct mxt_json_path *path,
			     struct mxt_error *err)
{
	json_t *members = (json_t *)object;
	for (void *iter = json_object_iter(members); iter; iter = json_object_iter_next(members, iter)) {
		const struct mxt_json_path at = {path, json_object_iter_key(iter), 0};
		const struct mxt_variable *row = NULL;
		int rc = check_name(deed, at.key, &at, &row, err);
		if (rc == 0)
			rc = check_value(row, json_object_iter_value(iter), &at, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mxt_plan_env_check(const json_t *env, const struct mxt_json_path *path, struct mxt_error *err)
{
	return check_assignments(&deed_set, env, path, err);
}

int mxt_plan_contract_check(const json_t *contract, const struct mxt_json_path *path, struct mxt_error *err)
{
	return check_assignments(&deed_keep, contract, path, err);
}

int mxt_plan_unset_check(const json_t *unset, const struct mxt_json_path *path, struct mxt_error *err)
{
	for (size_t i = 0; i < json_array_size(unset); i++) {
		const struct mxt_json_path at = {path, NULL, i};
		const struct mxt_variable *row = NULL;
		int rc = check_name(&deed_remove, json_string_value(json_array_get(unset, i)), &at, &row, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
