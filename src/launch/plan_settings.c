/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_settings.h"

#include <jansson.h>
#include <stddef.h>
#include <string.h>

#include "device_ops.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "platform_gpu.h"
#include "words.h"

#define SDPA_BACKENDS "math flash efficient cudnn ck aotriton"

bool mxt_sdpa_has(const char *backend)
{
	return mxt_words_index(SDPA_BACKENDS, backend, strlen(backend), false) >= 0;
}

const char *mxt_plan_winner(const struct mxt_plan *plan, const char *probe)
{
	size_t i;
	json_t *choice;
	json_array_foreach(json_object_get(mxt_plan_evidence(plan), "choices"), i, choice)
	{
		if (strcmp(mxt_json_text(choice, "probe"), probe) == 0)
			return mxt_json_text(choice, "winner");
	}
	return "";
}

/* Did the candidate that ships compute some problem with these kernels? */
static bool was_seen(const struct mxt_plan *plan, const char *backend)
{
	const char *winner = mxt_plan_winner(plan, "attention");
	size_t i;
	json_t *sample;
	json_array_foreach(json_object_get(mxt_plan_evidence(plan), "samples"), i, sample)
	{
		if (strcmp(mxt_json_text(sample, "probe"), "attention") == 0 &&
		    strcmp(mxt_json_text(sample, "candidate"), winner) == 0 &&
		    strcmp(mxt_json_text(sample, "status"), "ok") == 0 &&
		    strcmp(mxt_json_text(sample, "backend"), backend) == 0)
			return true;
	}
	return false;
}

static bool sets_all(const json_t *env, const json_t *wanted)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)wanted, name, value)
	{
		if (!json_equal(value, json_object_get(env, name)))
			return false;
	}
	return json_object_size(wanted) > 0;
}

/* The device whose candidates are the plan's. */
static const struct mxt_device_ops *device_of(const json_t *platform)
{
	if (mxt_platform_has_gpu(platform, "nvidia"))
		return mxt_device_find("cuda");
	return mxt_device_find(mxt_platform_has_gpu(platform, "amd") ? "hip" : "cpu-torch");
}

/* Is it what a candidate for these kernels exports; or no candidate's, where they are what torch takes by itself? */
static bool leads_there(const struct mxt_candidate_list *list, const json_t *env, const char *backend)
{
	bool by_itself = strcmp(list->bare_choice, backend) == 0;
	for (size_t i = 0; i < list->count; i++) {
		if (!sets_all(env, list->items[i].env))
			continue;
		if (strcmp(list->items[i].choice, backend) == 0)
			return true;
		by_itself = false;
	}
	return by_itself;
}

/* Does what the plan exports lead to these kernels, as the device's table of candidates has it? */
static int is_exported(const struct mxt_plan *plan, const char *backend, bool *ret_exported, struct mxt_error *err)
{
	const json_t *decision = mxt_plan_decision(plan), *env = json_object_get(decision, "env");
	const struct mxt_device_ops *ops = device_of(json_object_get(decision, "platform"));
	const struct mxt_inventory inventory = {.platform = json_object_get(decision, "platform"),
						.stack = json_object_get(decision, "stack")};
	char *nothing[] = {NULL};
	struct mxt_candidate_list list = {.items = NULL};
	int rc = ops->candidates(NULL, &inventory, MXT_PROBLEM_ATTENTION, nothing, &list, err);
	if (rc < 0)
		return rc;
	*ret_exported = leads_there(&list, env, backend);
	mxt_candidate_list_finish(&list);
	return 0;
}

/* training says it where there is one. */
static bool is_deterministic(const json_t *decision)
{
	const json_t *workload = json_object_get(decision, "workload");
	return json_is_true(json_object_get(workload, "deterministic")) ||
	       json_is_true(json_object_get(json_object_get(workload, "training"), "deterministic"));
}

int mxt_plan_settings(const struct mxt_plan *plan, struct mxt_plan_settings *ret_settings, struct mxt_error *err)
{
	const json_t *decision = mxt_plan_decision(plan);
	const char *backend = mxt_json_text(json_object_get(decision, "attention"), "backend");
	struct mxt_plan_settings settings = {.sdpa = NULL};
	bool exported = false;
	if (!mxt_plan_is_self_test(plan)) { /* which trains nothing */
		settings.deterministic = is_deterministic(decision);
		settings.sdpa = mxt_sdpa_has(backend) && !was_seen(plan, backend) ? backend : NULL;
	}
	int rc = settings.sdpa ? is_exported(plan, backend, &exported, err) : 0;
	if (rc < 0)
		return rc;
	if (exported)
		settings.sdpa = NULL;
	*ret_settings = settings;
	return 0;
}

bool mxt_plan_needs_plugin(const struct mxt_plan_settings *settings)
{
	return settings->sdpa || settings->deterministic;
}
