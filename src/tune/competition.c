/* SPDX-License-Identifier: Apache-2.0 */
#include "competition.h"

#include <stdlib.h>
#include <string.h>

#include "attention_keys.h"
#include "attention_provider.h"
#include "attention_today.h"
#include "error.h"
#include "release.h"
#include "session.h"

static bool has_window(const struct mxt_problem_set *set)
{
	for (size_t i = 0; i < set->n_problems; i++)
		if (set->problems[i].kind == MXT_PROBLEM_ATTENTION && set->problems[i].as.attention.window > 0)
			return true;
	return false;
}

/* Where it is not bare, torch's dispatcher would be called otherwise than what is timed: with a mask. */
static const char *object_to_dispatcher(const struct mxt_session *session)
{
	bool packed = session->request->workload->training.packing;
	if (!session->bare_provider)
		return NULL;
	return packed ? "it isolates packed documents by a mask only, which computes what the job's own kernels skip"
		      : "padded batches would bring it a mask, which the job's own kernels do not take";
}

/* Kernels for another vendor's GPUs. On hosts, stand-ins for them may compete. */
static const char *object_to_vendor(const struct mxt_session *session, const struct mxt_attention_provider *row)
{
	const struct mxt_device_ops *ops = session->request->ops;
	if (!row->vendor[0] || !ops || !ops->vendor || strcmp(ops->vendor, row->vendor) == 0)
		return NULL;
	return strcmp(row->vendor, "amd") == 0 ? "its kernels are for AMD's GPUs" : "its kernels are for NVIDIA's GPUs";
}

static const char *object_to_provider(const struct mxt_session *session, const char *name)
{
	const struct mxt_attention_provider *row = mxt_attention_provider_find(name);
	const char *torch = json_string_value(json_object_get(session->inventory.stack, "torch"));
	bool isolated = mxt_documents_of(&session->request->workload->training) == MXT_DOCUMENTS_ISOLATED;
	if (!row)
		return "this version does not know it";
	if (isolated && !row->isolates)
		return "it does not isolate packed documents";
	if (!row->takes_window && has_window(&session->set))
		return "it takes no sliding window";
	if (row->since_torch > 0 && torch && !mxt_release_at_least(torch, 2, row->since_torch))
		return "this torch is too old for it";
	return object_to_vendor(session, row);
}

/* A choice that no key of the trainer asks for could not be kept. */
static const char *object_to_keys(const struct mxt_session *session, const struct mxt_candidate *candidate)
{
	const struct mxt_tune_request *request = session->request;
	struct mxt_attention_edits edits;
	bool by_name = candidate->provider && strcmp(candidate->provider, "sdpa") != 0;
	const char *backend = by_name ? candidate->provider : candidate->choice;
	if (!request->today || !request->workload->attention_config.axolotl)
		return NULL;
	return mxt_attention_keys(backend, mxt_documents_of(&request->workload->training), request->today->axolotl,
				  &edits);
}

static const char *objection(const struct mxt_session *session, const struct mxt_candidate *candidate)
{
	const char *why =
	    candidate->provider ? object_to_provider(session, candidate->provider) : object_to_dispatcher(session);
	return why ? why : object_to_keys(session, candidate);
}

int mxt_competition_rule_out(const struct mxt_session *session, struct mxt_candidate_list *list, struct mxt_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *why = list->items[i].skip ? NULL : objection(session, &list->items[i]);
		if (!why)
			continue;
		list->items[i].skip = strdup(why);
		if (!list->items[i].skip)
			return mxt_error_oom(err);
	}
	return 0;
}
