/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From results to the plan document. Decision keys at their default are left out; the reader documents the defaults.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "collective_choice.h"
#include "config.h"
#include "error.h"
#include "plan.h"
#include "plan_handoff.h"
#include "provider_candidates.h"
#include "recording.h"
#include "session.h"
#include "today.h"
#include "workload_lengths.h"

/* Sets a key, taking over `value`; a NULL value counts as memory run out. */
static int set_new(json_t *object, const char *key, json_t *value)
{
	return value ? json_object_set_new(object, key, value) : -1;
}

/* How many variables of a candidate `env` sets as the candidate does; 0 unless it sets them all. */
static size_t matches(const struct mxt_candidate *candidate, const json_t *env)
{
	const char *name;
	json_t *value;
	json_object_foreach(candidate->env, name, value)
	{
		if (!json_equal(value, json_object_get(env, name)))
			return 0;
	}
	return json_object_size(candidate->env);
}

/* A switch may lead to other kernels than it is named for: under a mask, flash attention cannot be had. */
static const char *candidate_choice(const struct mxt_probe_result *result, const struct mxt_candidate *candidate)
{
	const char *seen = candidate == result->winner ? result->winner_backend : "";
	return seen[0] ? seen : candidate->choice;
}

/* What the decision calls the choice that `env` makes in a probe: that of the candidate that it matches most. */
static const char *choice_name(const struct mxt_probe_result *result, const json_t *env)
{
	const struct mxt_candidate_list *list = &result->candidates;
	const char *name = result->bare_backend[0] ? result->bare_backend : list->bare_choice;
	size_t best = 0;
	for (size_t i = 0; i < list->count; i++) {
		size_t n = matches(&list->items[i], env);
		if (n > best) {
			best = n;
			name = candidate_choice(result, &list->items[i]);
		}
	}
	return name;
}

/* A provider's name says it; its `sdpa` is torch's dispatcher. */
static const char *attention_backend(const struct mxt_session *session, const json_t *env)
{
	const char *provider = mxt_session_plan_provider(session);
	bool by_name = provider && strcmp(provider, "sdpa") != 0;
	return by_name ? provider : choice_name(&session->probes[MXT_PROBLEM_ATTENTION], env);
}

/* The limits that were applied; those that were not are left out. */
static json_t *scale_json(const struct mxt_scale *scale)
{
	const struct {
		const char *key;
		int32_t value;
	} limits[] = {{"gemm_tokens", scale->gemm_tokens},
		      {"attention_tokens", scale->attention_tokens},
		      {"weight_extent", scale->weight_extent}};
	json_t *json = json_object();
	for (size_t i = 0; json && i < MXT_ARRAY_LEN(limits); i++) {
		if (limits[i].value && set_new(json, limits[i].key, json_integer(limits[i].value)) < 0) {
			json_decref(json);
			return NULL;
		}
	}
	return json;
}

/* What a config or a model says, if there is one; what was recorded, if it was. */
static json_t *described_json(const struct mxt_tune_request *request)
{
	bool described = mxt_workload_described(request->workload);
	json_t *workload = described ? mxt_workload_json(request->workload) : json_object();
	if (!workload || !request->recording)
		return workload;
	int rc = set_new(workload, "recorded", json_string(request->recording->hash));
	if (rc == 0 && !described && request->workload->training.deterministic)
		rc = set_new(workload, "deterministic", json_true());
	if (rc == 0)
		return workload;
	json_decref(workload);
	return NULL;
}

json_t *mxt_session_stack_json(const struct mxt_session *session)
{
	json_t *stack = json_copy(session->inventory.stack);
	const char *provider = mxt_session_plan_provider(session);
	if (!stack || mxt_provider_stack(session->request->packages, provider, stack) == 0)
		return stack;
	json_decref(stack);
	return NULL;
}

json_t *mxt_session_workload_json(const struct mxt_session *session)
{
	json_t *workload = described_json(session->request);
	const struct mxt_problem_set *set = &session->set;
	if (!workload || !set->scaled)
		return workload;
	if (set_new(workload, "scaled", scale_json(&set->scale)) == 0)
		return workload;
	json_decref(workload);
	return NULL;
}

/* What connects the devices of the job; NULL: there is one. */
static const char *link_of(const struct mxt_session *session)
{
	return session->request->workload->training.gpus > 1 ? session->inventory.link : NULL;
}

/* What the plan removes: the device's selectors and the collectives' variables that it does not set; each once. */
static json_t *unset_json(const struct mxt_session *session, const json_t *env)
{
	size_t i;
	json_t *name;
	json_t *unset = mxt_environment_rest(env, session->request->ops->selectors);
	json_t *more = session->collective.planned ? mxt_environment_rest(env, mxt_collective_variables) : json_array();
	int rc = unset && more ? 0 : -1;
	json_array_foreach(more, i, name)
	{
		if (rc == 0 && !mxt_environment_lists(session->request->ops->selectors, json_string_value(name)))
			rc = json_array_append(unset, name);
	}
	json_decref(more);
	if (rc == 0)
		return unset;
	json_decref(unset);
	return NULL;
}

static json_t *platform_json(const struct mxt_session *session)
{
	const char *link = link_of(session);
	json_t *platform = json_copy(session->inventory.platform);
	if (!platform || !link || json_object_set_new(platform, "link", json_string(link)) == 0)
		return platform;
	json_decref(platform);
	return NULL;
}

const char *mxt_session_gemm_library(const struct mxt_session *session, const json_t *env)
{
	return choice_name(&session->probes[MXT_PROBLEM_GEMM], env);
}

static json_t *gemm_json(const struct mxt_session *session, const json_t *env)
{
	bool pinned = mxt_pins_ship(session, env);
	json_t *gemm = json_pack("{s:s, s:s}", "library", mxt_session_gemm_library(session, env), "mode",
				 pinned ? "pinned" : "heuristic");
	if (!gemm || !pinned)
		return gemm;
	int rc = set_new(gemm, "pins", mxt_pins_json(&session->pins));
	rc |= json_object_set(gemm, "built", session->pins.built);
	if (rc == 0)
		return gemm;
	json_decref(gemm);
	return NULL;
}

json_t *mxt_session_decision(const struct mxt_session *session)
{
	json_t *env = mxt_session_plan_env(session);
	if (env && json_object_update(env, session->collective.env) < 0) {
		json_decref(env);
		env = NULL;
	}
	json_t *decision = json_pack("{s:i, s:o, s:o, s:s}", "version", 1, "platform", platform_json(session), "stack",
				     mxt_session_stack_json(session), "policy", "aot_only");
	int rc = decision && env ? 0 : -1;
	const struct mxt_probe_result *attention = &session->probes[MXT_PROBLEM_ATTENTION];
	if (rc == 0) {
		rc |= set_new(decision, "workload", mxt_session_workload_json(session));
		if (!attention->empty)
			rc |= set_new(decision, "attention",
				      json_pack("{s:s}", "backend", attention_backend(session, env)));
		rc |= set_new(decision, "gemm", gemm_json(session, env));
		if (session->collective.config)
			rc |= set_new(decision, "collective", json_pack("{s:s}", "config", session->collective.config));
		rc |= json_object_set(decision, "env", env);
		rc |= set_new(decision, "unset", unset_json(session, env));
		rc |= json_object_set(decision, "contract", session->contract);
	}
	json_decref(env);
	if (rc == 0)
		return decision;
	json_decref(decision);
	return NULL;
}

static json_t *created_json(void)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[32];
	if (!gmtime_r(&now, &tm) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return NULL;
	return json_string(text);
}

static json_t *host_json(void)
{
	struct utsname uts;
	char name[256] = "";
	if (uname(&uts) < 0 || gethostname(name, sizeof name - 1) < 0)
		return NULL;
	return json_pack("{s:s, s:s, s:s}", "name", name, "kernel", uts.release, "machine", uts.machine);
}

static json_t *budget_json(const struct mxt_session *session)
{
	const struct mxt_budget *budget = session->request->budget;
	return json_pack("{s:I, s:I, s:O}", "limit_ns", (json_int_t)budget->limit_ns, "used_ns",
			 (json_int_t)mxt_budget_used_ns(budget), "skipped", session->skipped);
}

static json_t *seed_json(uint64_t seed)
{
	char text[19];
	(void)snprintf(text, sizeof text, "0x%016" PRIx64, seed);
	return json_string(text);
}

static json_t *heuristic_json(const struct mxt_heuristic *heuristic)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:i, s:I, s:O}", "library", heuristic->library, "products",
			 (json_int_t)heuristic->products, "ranked", (json_int_t)heuristic->ranked, "share_ppm",
			 (json_int_t)mxt_heuristic_share_ppm(heuristic), "gain_ppm",
			 (int)mxt_heuristic_gain_ppm(heuristic), "floor_ppm",
			 (json_int_t)mxt_heuristic_floor_ppm(heuristic), "samples", heuristic->samples);
}

static json_t *today_json(const struct mxt_session *session)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_today_text(session, &text);
	mxt_buf_puts(&text, "; ");
	mxt_today_change_text(session, &text);
	return text.failed ? NULL : json_string(mxt_buf_text(&text));
}

static json_t *evidence_json(const struct mxt_session *session)
{
	json_t *evidence =
	    json_pack("{s:i, s:s, s:O, s:O, s:O, s:O, s:O}", "version", 1, "tool", "mindxtrain " MXT_VERSION, "devices",
		      session->inventory.devices, "samples", session->samples, "choices", session->choices, "witnesses",
		      session->witnesses, "health", session->health);
	if (!evidence)
		return NULL;
	int rc = set_new(evidence, "created", created_json());
	rc |= set_new(evidence, "host", host_json());
	rc |= set_new(evidence, "budget", budget_json(session));
	if (mxt_workload_described(session->request->workload))
		rc |= set_new(evidence, "lengths", mxt_workload_lengths_json(session->request->workload));
	rc |= set_new(evidence, "seed", seed_json(session->request->seed));
	if (json_array_size(session->first_calls) > 0)
		rc |= json_object_set(evidence, "first_calls", session->first_calls);
	if (session->pins.chosen && !session->pins.dropped)
		rc |= mxt_pins_mark(&session->pins, session->heuristic.samples);
	if (json_array_size(session->warm_ups) > 0)
		rc |= json_object_set(evidence, "warm_ups", session->warm_ups);
	if (session->heuristic.ranked > 0)
		rc |= set_new(evidence, "heuristic", heuristic_json(&session->heuristic));
	if (session->request->today && !session->request->against)
		rc |= set_new(evidence, "today", today_json(session));
	if (session->request->simulated || session->stand_in)
		rc |= set_new(evidence, "simulated", json_true());
	if (rc == 0)
		return evidence;
	json_decref(evidence);
	return NULL;
}

int mxt_session_seal_as(const struct mxt_session *session, const json_t *decision, json_t **ret_plan,
			struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *evidence = evidence_json(session);
	MXT_CLEANUP_JSON json_t *files = NULL;
	if (!evidence)
		return mxt_error_oom(err);
	int rc = mxt_handoffs_hashes(decision, &files, err);
	if (rc == 0 && json_object_size(files) > 0 && json_object_set(evidence, "files", files) < 0)
		rc = mxt_error_oom(err);
	return rc < 0 ? rc : mxt_plan_seal(decision, evidence, ret_plan, err);
}

int mxt_session_seal(const struct mxt_session *session, json_t **ret_plan, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *decision = mxt_session_decision(session);
	return decision ? mxt_session_seal_as(session, decision, ret_plan, err) : mxt_error_oom(err);
}
