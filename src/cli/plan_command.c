/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "platform_gpu.h"
#include "workload.h"

static const json_t *member(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

/* What the options can say of a training. */
static struct mxt_workload_source source_of(const json_t *training)
{
	static char *no_environment[] = {NULL};
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	const char *lengths = json_string_value(member(training, "lengths"));
	source.environment = no_environment;
	source.seq_len = mxt_json_integer_or(training, "seq_len", 1);
	source.micro_batch = mxt_json_integer_or(training, "micro_batch", 1);
	source.lora_rank = mxt_json_integer_or(training, "lora_rank", 0);
	source.gpus = mxt_json_integer_or(training, "gpus", 1);
	source.nodes = mxt_json_integer_or(training, "nodes", 1);
	source.packing = lengths && strcmp(lengths, "packed") == 0;
	source.checkpointing = json_is_true(member(training, "checkpointing"));
	return source;
}

/* What a preset under these options is as a plan has it: new reference. A preset that they do not suit is none. */
static int workload_of(const struct mxt_workload_source *source, json_t **ret_json)
{
	MXT_CLEANUP(mxt_workload_finish) struct mxt_workload workload = {.n_notes = 0};
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_workload_load(source, &workload, &err);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	*ret_json = mxt_workload_json(&workload);
	return *ret_json ? 0 : -ENOMEM;
}

/* The preset that is the plan's model; NULL: none. *ret_training: whether the options say all of the training. */
static int find_preset(const json_t *workload, struct mxt_workload_source *source, const char **ret_preset,
		       bool *ret_training)
{
	for (const char *const *name = mxt_model_presets(); *name && !*ret_preset; name++) {
		source->model = *name;
		MXT_CLEANUP_JSON json_t *made = NULL;
		int rc = workload_of(source, &made);
		if (rc < 0)
			return rc;
		*ret_training = json_equal(member(made, "training"), member(workload, "training"));
		if (json_equal(member(made, "model"), member(workload, "model")))
			*ret_preset = *name;
	}
	return 0;
}

/* The options that give the model and the training. */
static void append_source(const json_t *workload, struct mxt_buf *buf)
{
	struct mxt_workload_source source = source_of(member(workload, "training"));
	bool options_do = false;
	const char *preset = NULL;
	if (find_preset(workload, &source, &preset, &options_do) < 0)
		buf->failed = true;
	if (!options_do || member(workload, "excluded"))
		mxt_buf_puts(buf, " --config run.yaml");
	else
		mxt_buf_printf(buf,
			       " --model %s --seq-len %" PRId64 " --micro-batch %" PRId64 " --lora-rank %" PRId64
			       " --packing %s --checkpointing %s",
			       preset ? preset : "config.json", source.seq_len, source.micro_batch, source.lora_rank,
			       source.packing ? "on" : "off", source.checkpointing ? "on" : "off");
	if (options_do && (source.gpus > 1 || source.nodes > 1))
		mxt_buf_printf(buf, " --gpus %" PRId64 " --nodes %" PRId64, source.gpus, source.nodes);
}

void mxt_plan_command(const struct mxt_plan *plan, struct mxt_buf *buf)
{
	const json_t *decision = mxt_plan_decision(plan), *workload = member(decision, "workload");
	const json_t *platform = member(decision, "platform");
	bool amd = mxt_platform_has_gpu(platform, "amd"), nvidia = mxt_platform_has_gpu(platform, "nvidia");
	mxt_buf_puts(buf, "mindxtrain autotune");
	if (member(workload, "recorded"))
		mxt_buf_puts(buf, " --shapes recorded.json");
	if (member(workload, "model"))
		append_source(workload, buf);
	mxt_buf_printf(buf, " --device %s", nvidia ? "cuda" : amd ? "hip" : "cpu");
}
