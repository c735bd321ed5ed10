/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "announce.h"
#include "attention_provider.h"
#include "attention_today.h"
#include "device_inventory.h"
#include "error.h"
#include "handoff_folder.h"
#include "plan.h"
#include "recording.h"
#include "variables.h"

static int describe_device(const struct mxt_tune_request *request, struct mxt_inventory *ret_inventory,
			   struct mxt_error *err)
{
	const struct mxt_survey_request survey = {.ops = request->ops,
						  .target = request->target,
						  .program = request->program,
						  .environment = request->environment,
						  .clock = request->budget->clock,
						  .deadline_ns = request->budget->work_end_ns,
						  .cancel_fd = request->cancel_fd};
	if (request->root)
		return request->ops->inventory(request->root, &request->target, request->survey, ret_inventory, err);
	return mxt_device_inventory(&survey, ret_inventory, err);
}

/*
 * A host gets the fixed table. A GPU gets the real shapes, as far as every worker can hold the largest problem twice:
 * operands, and what kernels and checks allocate beside them.
 */
static int choose_scale(const struct mxt_tune_request *request, const struct mxt_inventory *inventory,
			enum mxt_dtype dtype, struct mxt_scale *ret_scale, struct mxt_error *err)
{
	const struct mxt_device_ops *ops = request->ops;
	uint64_t bytes = inventory->memory_bytes / ops->max_workers / 2;
	if (!ops->scaled && !request->recording)
		return mxt_scale_for_memory(request->workload, bytes, dtype, ret_scale, err);
	if (ops->scaled)
		*ret_scale = mxt_scale_for_host(inventory->units, inventory->memory_bytes);
	else
		mxt_recording_scale_for_memory(request->recording, bytes, ops->float32, ret_scale);
	ret_scale->plain_attention = ops->self_test;
	return 0;
}

int mxt_tune_preview(const struct mxt_tune_request *request, struct mxt_inventory *ret_inventory,
		     struct mxt_problem_set *ret_set, struct mxt_error *err)
{
	const struct mxt_device_ops *ops = request->ops;
	const struct mxt_workload *workload = request->workload;
	struct mxt_inventory inventory = {.platform = NULL};
	int rc = describe_device(request, &inventory, err);
	if (rc < 0)
		return rc;
	enum mxt_dtype dtype = ops->float32 ? MXT_DTYPE_F32 : workload->training.dtype;
	struct mxt_scale scale;
	rc = choose_scale(request, &inventory, dtype, &scale, err);
	if (rc == 0 && request->recording)
		rc = mxt_recording_problems(request->recording, &scale, ops->float32, ret_set, NULL, err);
	else if (rc == 0)
		rc = mxt_workload_problems(workload, &scale, dtype, ret_set, err);
	if (rc < 0)
		mxt_inventory_finish(&inventory);
	else
		*ret_inventory = inventory;
	return rc;
}

/* What races as `yours` may have to be shipped: a value that no plan could hold is refused before anything is timed. */
static int check_yours(const json_t *yours, struct mxt_error *err)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)yours, name, value) /* jansson's iterators take no const; nothing is changed */
	{
		const struct mxt_variable *variable = mxt_variable_find(name);
		if (!variable || !mxt_variable_settable(variable, json_string_value(value)))
			return mxt_error_set(err, -EINVAL, MXT_E_PLAN_VALUE,
					     "the environment has %s='%s', which no plan could keep; unset it, or set "
					     "it to a plain value",
					     name, json_string_value(value));
	}
	if (!mxt_pin_env_tunes(yours))
		return 0;
	return mxt_error_set(
	    err, -EINVAL, MXT_E_PLAN_VALUE,
	    "the environment has PYTORCH_TUNABLEOP_ENABLED=1 without PYTORCH_TUNABLEOP_TUNING=0, which tunes while the "
	    "job runs, and no plan may do that; unset the first, or set the second");
}

static int make_environments(struct mxt_session *session, struct mxt_error *err)
{
	char *const *caller = session->request->environment;
	MXT_CLEANUP(mxt_environment_cleanup) char **plain = NULL;
	int rc = mxt_environment_bare(caller, &plain, err);
	if (rc == 0)
		rc = mxt_environment_with(plain, session->required, &session->bare, err);
	return rc == 0 ? mxt_environment_with(caller, session->required, &session->mine, err) : rc;
}

static int read_environment(struct mxt_session *session, struct mxt_error *err)
{
	const struct mxt_tune_request *request = session->request;
	struct mxt_variables_found found = MXT_VARIABLES_FOUND_INIT;
	int rc = mxt_variables_bare(request->environment, &found, err);
	if (rc < 0)
		return rc;
	session->contract = json_incref(found.contracts);
	mxt_variables_found_finish(&found);
	session->yours = mxt_environment_pick(request->environment, request->ops->selectors);
	if (!session->yours)
		return mxt_error_oom(err);
	session->yours_differs = json_object_size(session->yours) > 0;
	rc = check_yours(session->yours, err);
	if (rc == 0)
		rc = mxt_session_require(session, err);
	return rc == 0 ? make_environments(session, err) : rc;
}

/* True for the same provider, or for none twice. */
static bool same_provider(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void compare_incumbents(struct mxt_session *session)
{
	session->yours_differs =
	    json_object_size(session->yours) > 0 || !same_provider(session->bare_provider, session->yours_provider);
}

/* bare is the trainer's default where that computes the same function; else what the job has, in bare's environment. */
static void choose_providers(struct mxt_session *session)
{
	const struct mxt_today *today = session->request->today;
	if (!today || !today->yours.modelled || !session->request->target.python)
		return;
	const char *yours = today->yours.starts ? today->yours.provider : NULL;
	session->bare_provider = today->bare_is_same ? today->bare.provider : yours;
	session->yours_provider = today->yours.starts ? yours : session->bare_provider;
	compare_incumbents(session);
}

bool mxt_session_yours_races(const struct mxt_session *session, enum mxt_problem_kind kind)
{
	return kind == MXT_PROBLEM_GEMM ? json_object_size(session->yours) > 0 : session->yours_differs;
}

int mxt_session_excuse(struct mxt_session *session, const struct mxt_entry *entry, struct mxt_error *err)
{
	bool yours = entry->role == MXT_ROLE_YOURS;
	const char *provider = yours ? session->yours_provider : session->bare_provider;
	const char *instead = yours ? session->bare_provider : NULL;
	if (yours || same_provider(session->yours_provider, session->bare_provider)) {
		session->yours_provider = instead;
		session->yours_unheld = session->yours_unheld || entry->outcome != MXT_UNSUPPORTED;
	}
	if (!yours)
		session->bare_provider = NULL;
	compare_incumbents(session);
	session->excuses++;
	return mxt_announce_skipped(session, provider, entry->reason ? entry->reason : "it cannot run here", err);
}

static int check_count(const struct mxt_session *session, struct mxt_error *err)
{
	int32_t wanted = session->request->workload->training.gpus;
	uint32_t here = session->inventory.count ? session->inventory.count : 1;
	if (wanted <= 1 || (uint32_t)wanted <= here)
		return 0;
	return mxt_error_set(
	    err, -ENODEV, MXT_E_GPU_COUNT,
	    "%d GPUs are asked for, and this process sees %u; give --gpus %u, or run it where they are", wanted, here,
	    here);
}

static int decide_collectives(struct mxt_session *session, struct mxt_error *err)
{
	const struct mxt_tune_request *request = session->request;
	const struct mxt_collective_question question = {.gpus = request->workload->training.gpus,
							 .nodes = request->workload->training.nodes,
							 .link = session->inventory.link,
							 .platform = session->inventory.platform,
							 .stack = session->inventory.stack,
							 .environment = request->environment,
							 .no_documented = request->no_documented};
	return mxt_collective_decide(&question, &session->collective, err);
}

/* What the user must know of the device before any time is shown; kept in the evidence, too. */
static int note_conditions(struct mxt_session *session, struct mxt_error *err)
{
	size_t i;
	json_t *note;
	int rc = 0;
	json_array_foreach(session->inventory.notes, i, note)
	{
		mxt_announce_note(session, json_string_value(note));
		rc = rc < 0 ? rc : mxt_evidence_text(session->health, err, "%s", json_string_value(note));
	}
	if (rc < 0 || session->request->ops->scaled || !session->set.scaled)
		return rc;
	static const char reduced[] = "the real shapes do not fit into this device's memory as often as they are "
				      "needed for a race: they are cut, and the plan says to what";
	mxt_announce_note(session, reduced);
	return mxt_evidence_text(session->health, err, "%s", reduced);
}

int mxt_session_init(struct mxt_session *session, const struct mxt_tune_request *request, struct mxt_error *err)
{
	*session = (struct mxt_session){.request = request, .rng = {request->seed}};
	session->samples = json_array();
	session->choices = json_array();
	session->witnesses = json_array();
	session->health = json_array();
	session->skipped = json_array();
	session->first_calls = json_array();
	session->warm_ups = json_array();
	session->heuristic.samples = json_array();
	mxt_exposure_init(&session->exposure, request->workload);
	if (!session->samples || !session->choices || !session->witnesses || !session->health || !session->skipped ||
	    !session->first_calls || !session->warm_ups || !session->heuristic.samples)
		return mxt_error_oom(err);
	int rc = read_environment(session, err);
	choose_providers(session);
	if (rc == 0)
		rc = mxt_tune_preview(request, &session->inventory, &session->set, err);
	if (rc == 0)
		rc = check_count(session, err);
	if (rc == 0)
		rc = decide_collectives(session, err);
	if (rc == 0)
		rc = note_conditions(session, err);
	return rc == 0 ? mxt_session_note_duty(session, err) : rc;
}

void mxt_session_finish(struct mxt_session *session)
{
	for (size_t i = 0; i < MXT_PROBLEM_KIND_COUNT; i++)
		mxt_candidate_list_finish(&session->probes[i].candidates);
	mxt_environment_destroy(session->bare);
	mxt_environment_destroy(session->mine);
	json_decref(session->required);
	json_decref(session->yours);
	json_decref(session->contract);
	mxt_inventory_finish(&session->inventory);
	mxt_collective_answer_finish(&session->collective);
	mxt_problem_set_finish(&session->set);
	json_decref(session->samples);
	json_decref(session->choices);
	json_decref(session->witnesses);
	json_decref(session->health);
	json_decref(session->skipped);
	json_decref(session->first_calls);
	json_decref(session->warm_ups);
	json_decref(session->heuristic.samples);
	mxt_pins_finish(&session->pins);
	mxt_handoff_folder_remove(session->handoffs);
	free(session->handoffs);
}

void mxt_session_field(struct mxt_session *session, const struct mxt_course *course, const char *probe,
		       struct mxt_field *field)
{
	const struct mxt_tune_request *request = session->request;
	mxt_field_init(field, request->ops, request->budget->clock, request->cancel_fd, &session->rng, course);
	field->end_ns = request->budget->work_end_ns;
	field->program = request->program;
	field->target = request->target;
	field->target.probe = probe;
	field->target.deterministic = request->workload->training.deterministic;
	field->one_process = session->inventory.one_process;
}

bool mxt_probe_ships(const struct mxt_probe_result *result)
{
	return result->done && !result->dropped && (result->winner || result->ships_bare);
}

/* The selectors of `yours` stay where a probe stays with it, unless another found bare surely faster. */
static bool keeps_yours(const struct mxt_session *session)
{
	bool kept = false;
	for (size_t i = 0; i < MXT_PROBLEM_KIND_COUNT; i++) {
		const struct mxt_probe_result *result = &session->probes[i];
		if (mxt_probe_ships(result) && result->ships_bare)
			return false;
		kept = kept || !mxt_probe_ships(result);
	}
	return kept;
}

json_t *mxt_session_plan_env(const struct mxt_session *session)
{
	json_t *env = keeps_yours(session) ? json_copy(session->yours) : json_object();
	for (size_t i = 0; env && i < MXT_PROBLEM_KIND_COUNT; i++) {
		const struct mxt_probe_result *result = &session->probes[i];
		if (mxt_probe_ships(result) && result->winner && json_object_update(env, result->winner->env) < 0) {
			json_decref(env);
			return NULL;
		}
	}
	int rc = env ? json_object_update(env, session->required) : -1;
	if (rc == 0 && mxt_pins_ship(session, env))
		rc = mxt_pin_form_export(session->pins.form, env);
	if (rc == 0)
		return env;
	json_decref(env);
	return NULL;
}

/* A backend that is no provider's name is torch's dispatcher's own. */
static const char *provider_of(const struct mxt_plan *plan)
{
	const json_t *attention = json_object_get(mxt_plan_decision(plan), "attention");
	const char *backend = json_string_value(json_object_get(attention, "backend"));
	const struct mxt_attention_provider *row = backend ? mxt_attention_provider_find(backend) : NULL;
	return row ? row->name : NULL;
}

const char *mxt_session_plan_provider(const struct mxt_session *session)
{
	if (session->request->against)
		return provider_of(session->request->against);
	const struct mxt_probe_result *result = &session->probes[MXT_PROBLEM_ATTENTION];
	if (mxt_probe_ships(result))
		return result->winner ? result->winner->provider : session->bare_provider;
	return session->yours_differs ? session->yours_provider : session->bare_provider;
}
