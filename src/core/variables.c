/* SPDX-License-Identifier: Apache-2.0 */
#include "variables.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "error.h"
#include "json.h"
#include "nearest.h"
#include "printable.h"

/* Rules of the table. */
/* clang-format off */
#define NOTHING           {MXT_VALUE_NONE, 0, 0, ""}
#define INTEGER(min, max) {MXT_VALUE_INTEGER, (min), (max), ""}
#define WORD(words)       {MXT_VALUE_WORD, 0, 0, (words)}
#define ANY_CASE(words)   {MXT_VALUE_ANY_CASE, 0, 0, (words)}
#define WORDS(words)      {MXT_VALUE_WORDS, 0, 0, (words)}
#define PLACES            {MXT_VALUE_PLACES, 0, 0, "threads cores ll_caches numa_domains sockets"}
#define PROCESSORS        {MXT_VALUE_PROCESSORS, 0, 0, ""}
#define HANDOFF(name)     {MXT_VALUE_FILE, 0, 0, (name)}
/* clang-format on */

static const struct mxt_variable variables[] = {
#define MXT_VARIABLE(class, name, rule, reader, since, until, why)                                                     \
	{MXT_VARIABLE_##class, name, rule, reader, since, until, why},
#include "variables.def"
#undef MXT_VARIABLE
#define MXT_OTHER_VARIABLE(class, name, reader, since, until, why)                                                     \
	{MXT_VARIABLE_##class, name, NOTHING, reader, since, until, why},
#include "caller_variables.def"
#undef MXT_OTHER_VARIABLE
};

size_t mxt_variable_count(void)
{
	return MXT_ARRAY_LEN(variables);
}

const struct mxt_variable *mxt_variable_at(size_t i)
{
	return &variables[i];
}

const char *mxt_variable_class_name(enum mxt_variable_class class)
{
	static const char *const names[] = {
	    [MXT_VARIABLE_SELECTOR] = "selector",           [MXT_VARIABLE_CONTRACT] = "contract",
	    [MXT_VARIABLE_STICKY] = "selector or contract", [MXT_VARIABLE_DENY] = "denied",
	    [MXT_VARIABLE_CALLER] = "the caller's",         [MXT_VARIABLE_DEAD] = "read by nothing",
	};
	return names[class];
}

static bool row_matches(const char *row, const char *name, size_t len)
{
	if (len > 0 && row[0] != name[0] && row[0] != '*')
		return false; /* most rows end here: all of them are asked for every variable of an environment */
	size_t row_len = strlen(row);
	if (row[0] == '*')
		return len >= row_len - 1 && memcmp(name + len - (row_len - 1), row + 1, row_len - 1) == 0;
	if (row[row_len - 1] == '*')
		return len >= row_len - 1 && memcmp(name, row, row_len - 1) == 0;
	return len == row_len && memcmp(name, row, len) == 0;
}

static const struct mxt_variable *find(const char *name, size_t len, bool deny)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(variables); i++)
		if ((variables[i].class == MXT_VARIABLE_DENY) == deny && row_matches(variables[i].name, name, len))
			return &variables[i];
	return NULL;
}

const struct mxt_variable *mxt_variable_find_n(const char *name, size_t len)
{
	const struct mxt_variable *denied = find(name, len, true);
	return denied ? denied : find(name, len, false);
}

const struct mxt_variable *mxt_variable_find(const char *name)
{
	return mxt_variable_find_n(name, strlen(name));
}

/* Nobody means a denied or a dead name, and a pattern is none. */
static bool is_meant(const struct mxt_variable *row)
{
	bool meant = mxt_variable_concerns_kernels(row) || row->class == MXT_VARIABLE_CALLER;
	return meant && !strchr(row->name, '*');
}

static const char *name_at(const void *list, size_t i)
{
	(void)list;
	return is_meant(&variables[i]) ? variables[i].name : "";
}

const char *mxt_variable_of_other_case(const char *name)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(variables); i++)
		if (strcasecmp(variables[i].name, name) == 0 && is_meant(&variables[i]))
			return variables[i].name;
	return NULL;
}

const char *mxt_variable_near(const char *name)
{
	const char *twin = mxt_variable_of_other_case(name);
	return twin ? twin : mxt_nearest(name, name_at, NULL, MXT_ARRAY_LEN(variables));
}

bool mxt_variable_settable(const struct mxt_variable *variable, const char *value)
{
	bool chosen = variable->class == MXT_VARIABLE_SELECTOR || variable->class == MXT_VARIABLE_STICKY;
	return chosen && mxt_value_allowed(&variable->rule, value);
}

bool mxt_variable_concerns_kernels(const struct mxt_variable *variable)
{
	return variable->class < MXT_VARIABLE_DENY;
}

#define MAX_SHOWN   32
#define MAX_NUMERAL 6

bool mxt_variable_shows(const char *name, const char *value)
{
	static const char digits[] = "0123456789";
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:;=^+-/{} ";
	const struct mxt_variable *row = mxt_variable_find(name);
	size_t len = strlen(value);
	if (len <= MAX_NUMERAL && strspn(value, digits) == len)
		return true;
	if (!row || !mxt_variable_concerns_kernels(row))
		return false;
	return mxt_value_allowed(&row->rule, value) || (len <= MAX_SHOWN && strspn(value, plain) == len);
}

static int refuse_contract(const struct mxt_variable *variable, const char *value, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf expected = MXT_BUF_INIT;
	char shown[MXT_PRINTABLE_SIZE];
	mxt_value_rule_text(&variable->rule, &expected);
	return mxt_error_set(err, -EINVAL, MXT_E_PLAN_VALUE,
			     "%s=%s is set in the environment, and no plan can hold that: set it to %s, or unset it",
			     variable->name, mxt_printable(value, shown), mxt_buf_text(&expected));
}

static int add(json_t *object, const char *name, const char *value, struct mxt_error *err)
{
	json_t *text = mxt_json_clean_text(value, 1024);
	return text && json_object_set_new(object, name, text) == 0 ? 0 : mxt_error_oom(err);
}

/* The row that `item`, NAME=value, is under, and its value; NULL when it concerns no kernels. */
static const struct mxt_variable *row_of(const char *item, const char **ret_value)
{
	const char *equals = strchr(item, '=');
	const struct mxt_variable *row = equals ? mxt_variable_find_n(item, (size_t)(equals - item)) : NULL;
	if (!row || !mxt_variable_concerns_kernels(row))
		return NULL;
	*ret_value = equals + 1;
	return row;
}

static int sort_item(const char *item, struct mxt_variables_found *found, struct mxt_error *err)
{
	const char *value = NULL;
	const struct mxt_variable *row = row_of(item, &value);
	if (!row)
		return 0;
	if (row->class == MXT_VARIABLE_SELECTOR)
		return add(found->selectors, row->name, value, err);
	if (!mxt_value_allowed(&row->rule, value))
		return refuse_contract(row, value, err);
	return add(found->contracts, row->name, value, err);
}

int mxt_variables_bare(char *const *environment, struct mxt_variables_found *ret_found, struct mxt_error *err)
{
	struct mxt_variables_found found = {json_object(), json_object()};
	int rc = found.selectors && found.contracts ? 0 : mxt_error_oom(err);
	for (char *const *item = environment; rc == 0 && *item; item++)
		rc = sort_item(*item, &found, err);
	if (rc < 0)
		mxt_variables_found_finish(&found);
	else
		*ret_found = found;
	return rc;
}

int mxt_variables_contract(char *const *environment, json_t **ret_contract, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *contract = json_object();
	int rc = contract ? 0 : mxt_error_oom(err);
	for (char *const *item = environment; rc == 0 && *item; item++) {
		const char *value = NULL;
		const struct mxt_variable *row = row_of(*item, &value);
		if (row && row->class != MXT_VARIABLE_SELECTOR)
			rc = add(contract, row->name, value, err);
	}
	if (rc == 0)
		*ret_contract = json_incref(contract);
	return rc;
}

void mxt_variables_found_finish(struct mxt_variables_found *found)
{
	json_decref(found->selectors);
	json_decref(found->contracts);
	*found = (struct mxt_variables_found)MXT_VARIABLES_FOUND_INIT;
}
