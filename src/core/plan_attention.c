/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_attention.h"

#include <jansson.h>
#include <string.h>

#include "plan.h"

/* A plan's workload says it in words: see workload_json.c. */
static enum mxt_documents documents_of(const json_t *decision)
{
	const json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	const char *lengths = json_string_value(json_object_get(training, "lengths"));
	if (!lengths || strcmp(lengths, "packed") != 0)
		return MXT_DOCUMENTS_APART;
	return json_object_get(training, "documents") ? MXT_DOCUMENTS_MIXED : MXT_DOCUMENTS_ISOLATED;
}

const char *mxt_plan_attention_keys(const struct mxt_plan *plan, const char *axolotl,
				    struct mxt_attention_edits *ret_edits)
{
	const json_t *decision = mxt_plan_decision(plan);
	const json_t *attention = json_object_get(decision, "attention");
	const char *backend = json_string_value(json_object_get(attention, "backend"));
	*ret_edits = (struct mxt_attention_edits){.count = 0};
	if (!backend || mxt_plan_is_self_test(plan))
		return NULL;
	return mxt_attention_keys(backend, documents_of(decision), axolotl, ret_edits);
}
