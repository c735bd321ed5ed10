/* SPDX-License-Identifier: Apache-2.0 */
#include "train_config.h"

#include <errno.h>
#include <string.h>

#include "axolotl_policy.h"
#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "input_file.h"
#include "json.h"
#include "plan.h"
#include "plan_attention.h"
#include "plan_settings.h"
#include "remarks.h"
#include "yaml_edit.h"
#include "yaml_tree.h"

void mxt_train_config_finish(struct mxt_train_config *config)
{
	mxt_buf_finish(&config->given);
	mxt_buf_finish(&config->edited);
	json_decref(config->changes);
	json_decref(config->expected);
	mxt_axolotl_facts_finish(&config->facts);
	*config = (struct mxt_train_config)MXT_TRAIN_CONFIG_INIT;
}

/* What the report must say of an edit: a key that is false may as well be absent. */
static json_t *expected_value(const struct mxt_config_edit *edit)
{
	if (!edit->value || strcmp(edit->value, "false") == 0)
		return json_null();
	return strcmp(edit->value, "true") == 0 ? json_true() : json_string(edit->value);
}

/* The plan's attention as edits of the config and as what the trainer must report. */
static int plan_edits(const struct mxt_train_config_request *request, struct mxt_remarks *remarks,
		      struct mxt_yaml_change *changes, size_t *n_changes, json_t *expected)
{
	struct mxt_attention_edits edits;
	const char *why = mxt_plan_attention_keys(request->plan, request->package->version, &edits);
	if (why)
		mxt_remark_refuse(remarks, MXT_E_LAUNCH_YAML, MXT_ALLOW_MISMATCH,
				  "%s: Axolotl %s cannot be told to use the plan's attention: %s", request->path,
				  request->package->version, why);
	for (size_t i = 0; i < edits.count; i++) {
		const struct mxt_config_edit *edit = &edits.items[i];
		changes[(*n_changes)++] =
		    (struct mxt_yaml_change){.key = edit->key, .value = edit->value, .keep_false = true};
		if (json_object_set_new(expected, edit->key, expected_value(edit)) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int edit(const struct mxt_train_config_request *request, struct mxt_remarks *remarks,
		struct mxt_train_config *config, struct mxt_error *err)
{
	struct mxt_yaml_change changes[MXT_ATTENTION_EDITS_MAX + 1];
	struct mxt_plan_settings settings;
	size_t n_changes = 0;
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	config->expected = json_object();
	if (!config->expected || plan_edits(request, remarks, changes, &n_changes, config->expected) < 0)
		return mxt_error_oom(err);
	int rc = mxt_plan_settings(request->plan, &settings, err);
	if (rc < 0)
		return rc;
	if (mxt_plan_needs_plugin(&settings))
		changes[n_changes++] =
		    (struct mxt_yaml_change){.key = "plugins", .value = MXT_PLAN_PLUGIN, .append = true};
	rc =
	    mxt_yaml_edit(request->path, &config->given, changes, n_changes, &config->edited, &config->changes, &cause);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc < 0)
		mxt_remark_refuse_error(remarks, MXT_ALLOW_NOTHING, &cause);
	return 0;
}

int mxt_train_config_make(const struct mxt_train_config_request *request, struct mxt_remarks *remarks,
			  struct mxt_train_config *ret_config, struct mxt_error *err)
{
	int rc = mxt_file_read(request->path, MXT_YAML_MAX_BYTES, &ret_config->given, err);
	if (rc < 0)
		return mxt_input_refine(rc, err);
	const struct mxt_axolotl_policy_request policy = {
	    .name = request->path,
	    .bytes = mxt_buf_text(&ret_config->given),
	    .len = ret_config->given.len,
	    .package = request->package,
	    .torch = request->torch,
	    .arguments = request->overrides,
	    .attention_is_open = !mxt_plan_string(request->plan, "decision.attention.backend"),
	};
	rc = mxt_axolotl_policy(&policy, remarks, &ret_config->facts, err);
	return rc == 0 ? edit(request, remarks, ret_config, err) : rc;
}
