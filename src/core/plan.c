/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "hash.h"
#include "input_file.h"
#include "json.h"
#include "json_path.h"
#include "plan_field.h"
#include "plan_rules.h"
#include "workload.h"

struct assignment {
	const char *name, *value; /* borrowed from the document */
};

struct mxt_plan {
	json_t *document;
	json_t *decision;         /* borrowed from the document */
	json_t *evidence;         /* likewise */
	struct mxt_buf canonical; /* of the decision */
	char id[MXT_HASH_HEX_SIZE];
	struct assignment *env; /* sorted by name */
	size_t n_env;
};

void mxt_plan_destroy(struct mxt_plan *plan)
{
	if (!plan)
		return;
	json_decref(plan->document);
	mxt_buf_finish(&plan->canonical);
	free(plan->env);
	free(plan);
}

static const struct mxt_json_path root = MXT_JSON_ROOT;

/* First of all, so that any other JSON file is told what it is not, and a newer plan what it needs. */
static int check_schema(const json_t *document, struct mxt_error *err)
{
	const char *schema = json_string_value(json_object_get(document, "schema"));
	if (schema && strcmp(schema, MXT_PLAN_SCHEMA) == 0)
		return 0;
	if (schema && strncmp(schema, "mindxtrain.plan/", 16) == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_PLAN_SCHEMA,
				     "schema: the plan is of another version than %s, which this mindxtrain reads; use "
				     "the mindxtrain that made it, or make it anew",
				     MXT_PLAN_SCHEMA);
	return mxt_error_set(err, -EINVAL, MXT_E_PLAN_SCHEMA,
			     "schema: this is no plan: \"schema\": \"%s\" is expected; plans are made by `mindxtrain "
			     "autotune`",
			     MXT_PLAN_SCHEMA);
}

static int check_id(struct mxt_plan *plan, struct mxt_error *err)
{
	int rc = mxt_json_canonical(plan->decision, &plan->canonical, err);
	if (rc < 0)
		return rc;
	mxt_hash_hex(plan->canonical.data, plan->canonical.len, plan->id);
	const char *claimed = json_string_value(json_object_get(plan->document, "plan_id"));
	if (claimed && strcmp(claimed, plan->id) == 0)
		return 0;
	return mxt_error_set(err, -EINVAL, MXT_E_PLAN_ID,
			     "plan_id: the decision was changed after the plan was made, or damaged: its id is %s; get "
			     "the original file, or make the plan anew",
			     plan->id);
}

static int compare_assignments(const void *a, const void *b)
{
	return strcmp(((const struct assignment *)a)->name, ((const struct assignment *)b)->name);
}

static int index_env(struct mxt_plan *plan, struct mxt_error *err)
{
	json_t *env = json_object_get(plan->decision, "env");
	plan->env = calloc(json_object_size(env) + 1, sizeof *plan->env);
	if (!plan->env)
		return mxt_error_oom(err);
	const char *name;
	json_t *value;
	json_object_foreach(env, name, value)
	{
		plan->env[plan->n_env++] = (struct assignment){name, json_string_value(value)};
	}
	qsort(plan->env, plan->n_env, sizeof *plan->env, compare_assignments);
	return 0;
}

/* `plan->document` is parsed; everything else is still to come. */
static int verify(struct mxt_plan *plan, struct mxt_error *err)
{
	int rc = check_schema(plan->document, err);
	if (rc < 0)
		return rc;
	plan->decision = json_object_get(plan->document, "decision");
	plan->evidence = json_object_get(plan->document, "evidence");
	if (json_is_object(plan->decision))
		rc = check_id(plan, err);
	if (rc == 0)
		rc = mxt_plan_object_check(MXT_PLAN_OBJECT_PLAN, plan->document, &root, err);
	if (rc == 0) {
		const struct mxt_json_path at = {&root, "decision", 0};
		rc = mxt_plan_rules_check(plan->decision, &at, err);
	}
	return rc < 0 ? rc : index_env(plan, err);
}

/* Takes over `document`, also on failure. */
static int create(json_t *document, struct mxt_plan **ret_plan, struct mxt_error *err)
{
	struct mxt_plan *plan = calloc(1, sizeof *plan);
	if (!plan) {
		json_decref(document);
		return mxt_error_oom(err);
	}
	plan->document = document;
	int rc = verify(plan, err);
	if (rc < 0)
		mxt_plan_destroy(plan);
	else
		*ret_plan = plan;
	return rc;
}

/* What to do about faults that only say what is expected: a value mended by hand would only make the id wrong. */
static int add_remedy(int status, struct mxt_error *err)
{
	static const enum mxt_error_id ids[] = {MXT_E_JSON_TEXT, MXT_E_JSON_VALUE, MXT_E_JSON_DEPTH,
						MXT_E_PLAN_KEY,  MXT_E_PLAN_FIELD, MXT_E_PLAN_VALUE};
	for (size_t i = 0; err && i < MXT_ARRAY_LEN(ids); i++)
		if (err->id == ids[i])
			return mxt_error_set(err, status, err->id,
					     "%s; plans are not edited by hand: get the original, or make it anew with "
					     "mindxtrain autotune",
					     mxt_error_text(err));
	return status;
}

int mxt_plan_parse(const char *name, const char *text, size_t len, struct mxt_plan **ret_plan, struct mxt_error *err)
{
	json_t *document = NULL;
	int rc = mxt_json_parse(name, text, len, MXT_JSON_CANONICAL, &document, err);
	if (rc < 0)
		return add_remedy(rc, err);
	rc = create(document, ret_plan, err);
	return rc == 0 ? 0 : add_remedy(mxt_error_wrap(err, rc, "%s", name), err);
}

int mxt_plan_read(const char *path, struct mxt_plan **ret_plan, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_input_refine(mxt_file_read(path, MXT_JSON_MAX_BYTES, &buf, err), err);
	if (rc < 0)
		return rc;
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	return mxt_plan_parse(name, mxt_buf_text(&buf), buf.len, ret_plan, err);
}

const char *mxt_plan_id(const struct mxt_plan *plan)
{
	return plan->id;
}

const char *mxt_plan_canonical(const struct mxt_plan *plan, size_t *ret_len)
{
	*ret_len = plan->canonical.len;
	return plan->canonical.data;
}

const json_t *mxt_plan_document(const struct mxt_plan *plan)
{
	return plan->document;
}

const json_t *mxt_plan_decision(const struct mxt_plan *plan)
{
	return plan->decision;
}

const char *mxt_plan_duty(const struct mxt_plan *plan)
{
	const json_t *workload = json_object_get(mxt_plan_decision(plan), "workload");
	const json_t *training = json_object_get(workload, "training");
	const json_t *source = training ? training : workload;
	return json_is_true(json_object_get(source, "deterministic")) ? MXT_DETERMINISTIC_DUTY : NULL;
}

const json_t *mxt_plan_evidence(const struct mxt_plan *plan)
{
	return plan->evidence;
}

bool mxt_plan_is_self_test(const struct mxt_plan *plan)
{
	const json_t *torch = json_object_get(json_object_get(plan->decision, "stack"), "torch");
	return strcmp(json_string_value(torch), "none") == 0;
}

bool mxt_plan_is_simulated(const struct mxt_plan *plan)
{
	return json_is_true(json_object_get(plan->evidence, "simulated"));
}

int mxt_plan_usable(const struct mxt_plan *plan, enum mxt_plan_use use, bool allow_simulated, struct mxt_error *err)
{
	bool simulated = mxt_plan_is_simulated(plan);
	if (mxt_plan_is_self_test(plan) && (use == MXT_PLAN_TRAIN || !simulated))
		return mxt_error_set(
		    err, -EPERM, MXT_E_PLAN_SELF_TEST,
		    "this is a self-test: it was made by the built-in provider and chooses nothing that "
		    "a training runs; make a plan on the machine that trains");
	if (simulated && !allow_simulated)
		return mxt_error_set(err, -EPERM, MXT_E_PLAN_SIMULATED,
				     "this plan was made on simulated hardware: its times are not real; make a plan on "
				     "real hardware, or say --allow-simulated");
	return 0;
}

const char *mxt_plan_string(const struct mxt_plan *plan, const char *path)
{
	return json_string_value(mxt_json_find(plan->document, path));
}

int mxt_plan_integer(const struct mxt_plan *plan, const char *path, int64_t *ret_value)
{
	const json_t *value = mxt_json_find(plan->document, path);
	if (!json_is_integer(value))
		return -ENOENT;
	*ret_value = json_integer_value(value);
	return 0;
}

size_t mxt_plan_env_count(const struct mxt_plan *plan)
{
	return plan->n_env;
}

const char *mxt_plan_env_name(const struct mxt_plan *plan, size_t i)
{
	return plan->env[i].name;
}

const char *mxt_plan_env_value(const struct mxt_plan *plan, size_t i)
{
	return plan->env[i].value;
}

size_t mxt_plan_unset_count(const struct mxt_plan *plan)
{
	return json_array_size(json_object_get(plan->decision, "unset"));
}

const char *mxt_plan_unset_name(const struct mxt_plan *plan, size_t i)
{
	return json_string_value(json_array_get(json_object_get(plan->decision, "unset"), i));
}
