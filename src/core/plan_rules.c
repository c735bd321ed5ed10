/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "gpu_rules.h"
#include "json.h"
#include "json_path.h"
#include "number.h"
#include "plan_pins.h"
#include "platform_gpu.h"

static int fault(const struct mxt_json_path *path, struct mxt_error *err, const char *text)
{
	return mxt_json_at(path, mxt_error_set(err, -EINVAL, MXT_E_PLAN_FIELD, "%s", text), err);
}

static int member_fault(const struct mxt_json_path *path, const char *key, struct mxt_error *err, const char *text)
{
	const struct mxt_json_path at = {path, key, 0};
	return fault(&at, err, text);
}

/* Model and training come from one source; without them a recording must say what is trained. */
static int check_workload(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	const json_t *workload = json_object_get(decision, "workload");
	const struct mxt_json_path at = {path, "workload", 0};
	bool model = json_object_get(workload, "model") != NULL;
	bool training = json_object_get(workload, "training") != NULL;
	if (model != training)
		return member_fault(&at, model ? "training" : "model", err, "model and training belong together");
	if (!model && !json_object_get(workload, "recorded"))
		return member_fault(&at, "model", err, "there must be model and training, or recorded");
	if (training && json_object_get(workload, "deterministic"))
		return member_fault(&at, "deterministic", err, "belongs into training where there is one");
	return 0;
}

static int check_model(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	const json_t *model = json_object_get(json_object_get(decision, "workload"), "model");
	const struct mxt_json_path workload = {path, "workload", 0}, at = {&workload, "model", 0};
	if (!model)
		return 0;
	json_int_t heads = mxt_json_integer(model, "heads"), kv_heads = mxt_json_integer(model, "kv_heads");
	if (kv_heads == heads)
		return member_fault(&at, "kv_heads", err, "equals heads; leave the key out then");
	if (kv_heads > 0 && heads % kv_heads != 0)
		return member_fault(&at, "kv_heads", err, "does not divide heads");
	if (mxt_json_integer(model, "head_dim") == mxt_json_integer(model, "hidden") / heads)
		return member_fault(&at, "head_dim", err, "equals hidden / heads; leave the key out then");
	if (mxt_json_integer(model, "attention_layers") >= mxt_json_integer(model, "layers"))
		return member_fault(&at, "attention_layers", err, "is not below layers; leave the key out for all");
	return 0;
}

static int check_training(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	const json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	const struct mxt_json_path workload = {path, "workload", 0}, at = {&workload, "training", 0};
	bool adapter = json_object_get(training, "adapter") != NULL;
	if (adapter != (json_object_get(training, "lora_rank") != NULL))
		return member_fault(&at, "lora_rank", err, "adapter and lora_rank belong together");
	if (!adapter && json_object_get(training, "lora_targets"))
		return member_fault(&at, "lora_targets", err, "there is no adapter; remove the key");
	return 0;
}

static int check_attention(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	static const char *const directions[] = {"forward", "backward"};
	const json_t *attention = json_object_get(decision, "attention");
	const json_t *backend = json_object_get(attention, "backend");
	const struct mxt_json_path at = {path, "attention", 0};
	for (size_t i = 0; backend && i < MXT_ARRAY_LEN(directions); i++)
		if (json_equal(json_object_get(attention, directions[i]), backend))
			return member_fault(&at, directions[i], err, "equals backend; leave the key out then");
	return 0;
}

/* By collective, then by size. */
static bool is_after(const json_t *message, const json_t *last)
{
	int order = strcmp(json_string_value(json_object_get(message, "collective")),
			   json_string_value(json_object_get(last, "collective")));
	return order > 0 ||
	       (order == 0 && mxt_json_integer(message, "max_bytes") > mxt_json_integer(last, "max_bytes"));
}

static int check_collective(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	const json_t *table = json_object_get(json_object_get(decision, "collective"), "table");
	const struct mxt_json_path object = {path, "collective", 0}, list = {&object, "table", 0};
	for (size_t i = 1; i < json_array_size(table); i++) {
		const struct mxt_json_path at = {&list, NULL, i};
		if (!is_after(json_array_get(table, i), json_array_get(table, i - 1)))
			return fault(&at, err, "rows are sorted by collective, then by max_bytes, one for each");
	}
	return 0;
}

/* GPUs of a node, as far as the decision tells; a recording alone does not say it, the collectives' config may. */
static int64_t gpus_of(const json_t *decision)
{
	const json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	const json_t *config = json_object_get(json_object_get(decision, "collective"), "config");
	if (!training && config && strcmp(json_string_value(config), "8gpu_xgmi") == 0)
		return MXT_XGMI_GPUS;
	const json_t *gpus = json_object_get(training, "gpus");
	return gpus ? json_integer_value(gpus) : 1;
}

static int check_xgmi(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	const json_t *collective = json_object_get(decision, "collective");
	const struct mxt_json_path object = {path, "collective", 0};
	const json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	if (!collective || strcmp(json_string_value(json_object_get(collective, "config")), "8gpu_xgmi") != 0)
		return 0;
	if (gpus_of(decision) != MXT_XGMI_GPUS)
		return member_fault(&object, "config", err,
				    "is for 8 GPUs, and workload.training.gpus says another number");
	if (json_object_get(training, "nodes"))
		return member_fault(&object, "config", err,
				    "is for one node, and workload.training.nodes says several");
	return 0;
}

/* The value has passed the table of variables: it is a whole number. */
static int check_channels(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	const json_t *env = json_object_get(decision, "env");
	const json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	const char *channels = json_string_value(json_object_get(env, "NCCL_MIN_NCHANNELS"));
	const struct mxt_json_path at = {path, "env", 0};
	int64_t value = 0;
	bool rccl = mxt_platform_has_gpu(json_object_get(decision, "platform"), "amd");
	if (!channels || !rccl || mxt_parse_i64_in(channels, 1, INT32_MAX, &value) < 0 ||
	    value <= MXT_RCCL_SMALL_CHANNELS)
		return 0;
	if (json_object_get(training, "nodes"))
		return member_fault(&at, "NCCL_MIN_NCHANNELS", err,
				    "RCCL takes 64 channels at most where there are several nodes: what would run is "
				    "not what the plan says");
	if (gpus_of(decision) >= MXT_XGMI_GPUS)
		return 0;
	return member_fault(&at, "NCCL_MIN_NCHANNELS", err,
			    "RCCL keeps more than 64 channels for 8 ranks on one node only, and goes back to its own "
			    "choice below that: what would run is not what the plan says");
}

/* A variable is exported, removed or kept, never two of these. */
static int check_variables(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	const json_t *env = json_object_get(decision, "env"), *unset = json_object_get(decision, "unset");
	const struct mxt_json_path removed = {path, "unset", 0}, kept = {path, "contract", 0};
	for (size_t i = 0; i < json_array_size(unset); i++) {
		const struct mxt_json_path at = {&removed, NULL, i};
		if (json_object_get(env, json_string_value(json_array_get(unset, i))))
			return fault(&at, err, "the variable is exported too; remove it from env or from unset");
	}
	const char *name;
	json_t *value;
	json_object_foreach(json_object_get(decision, "contract"), name, value)
	{
		if (json_object_get(env, name))
			return member_fault(&kept, name, err,
					    "the variable is exported too; remove it from env or from contract");
	}
	return 0;
}

int mxt_plan_rules_check(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	static int (*const checks[])(const json_t *decision, const struct mxt_json_path *path,
				     struct mxt_error *err) = {
	    check_workload,   check_model, check_training, check_attention, mxt_plan_pins_check,
	    check_collective, check_xgmi,  check_channels, check_variables,
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(checks); i++) {
		int rc = checks[i](decision, path, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
