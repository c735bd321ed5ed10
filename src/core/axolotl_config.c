/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "axolotl_attention.h"
#include "axolotl_kernels.h"
#include "axolotl_remarks.h"
#include "axolotl_schedule.h"
#include "axolotl_targets.h"
#include "axolotl_value.h"
#include "error.h"
#include "file.h"
#include "input_file.h"
#include "printable.h"
#include "workload_build.h"
#include "yaml_tree.h"

struct reader {
	struct mxt_axolotl_map map;
	struct mxt_workload *workload;
	struct mxt_training *training; /* the workload's */
};

static bool is_set(const struct reader *r, const char *key)
{
	return mxt_axolotl_is_set(&r->map, key);
}

static bool is_given(const struct reader *r, const char *key)
{
	return mxt_axolotl_get(&r->map, key) != NULL;
}

/* ---- sizes ---- */

static int read_micro_batch(const struct reader *r)
{
	static const char *const keys[] = {"micro_batch_size", "gradient_accumulation_steps", "batch_size"};
	int given = 0;
	int32_t unused = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(keys); i++) {
		int32_t *target = i == 0 ? &r->training->micro_batch : &unused;
		int rc = mxt_axolotl_int(&r->map, keys[i], 1, MXT_MAX_MICRO_BATCH, target);
		if (rc < 0)
			return rc;
		given += is_given(r, keys[i]) ? 1 : 0;
	}
	int rc = 0;
	if (!is_given(r, keys[0]))
		rc = mxt_workload_note(r->workload, r->map.err, "micro_batch_size is not set; Axolotl takes 1");
	if (rc == 0 && given < 2)
		rc = mxt_workload_note(r->workload, r->map.err,
				       "Axolotl refuses this config: it needs two of micro_batch_size, "
				       "gradient_accumulation_steps and batch_size");
	return rc;
}

static int read_sizes(const struct reader *r)
{
	int rc = mxt_axolotl_int(&r->map, "sequence_len", 1, MXT_MAX_SEQ_LEN, &r->training->seq_len);
	if (rc == 0 && !is_given(r, "sequence_len"))
		rc = mxt_workload_note(r->workload, r->map.err, "sequence_len is not set; Axolotl takes 512");
	if (rc == 0)
		rc = read_micro_batch(r);
	if (rc == 0)
		rc = mxt_axolotl_bool(&r->map, "sample_packing", &r->training->packing);
	return rc < 0 ? rc : mxt_axolotl_bool(&r->map, "pad_to_sequence_len", &r->training->padding);
}

/* ---- adapters ---- */

static int read_targets(const struct reader *r)
{
	return mxt_axolotl_targets(&r->map, r->workload);
}

static int read_rank(const struct reader *r)
{
	int rc = mxt_axolotl_int(&r->map, "lora_r", 1, MXT_MAX_LORA_RANK, &r->training->lora_rank);
	if (rc < 0 || is_given(r, "lora_r"))
		return rc;
	r->training->lora_rank = 8;
	return mxt_workload_note(r->workload, r->map.err, "lora_r is not set; 8 is taken, peft's default");
}

static int read_load_bits(const struct reader *r)
{
	bool four = r->training->adapter == MXT_ADAPTER_QLORA, eight = false;
	int rc = mxt_axolotl_bool(&r->map, "load_in_4bit", &four);
	if (rc == 0)
		rc = mxt_axolotl_bool(&r->map, "load_in_8bit", &eight);
	if (rc < 0)
		return rc;
	if (four && eight)
		return mxt_axolotl_refuse(&r->map, "load_in_8bit", mxt_axolotl_get(&r->map, "load_in_8bit"),
					  "false when load_in_4bit is true");
	r->training->load_bits = four ? 4 : eight ? 8 : 0;
	return 0;
}

static int read_adapter_kind(const struct reader *r)
{
	const char *name = NULL;
	int rc = mxt_axolotl_text(&r->map, "adapter", &name);
	if (rc < 0)
		return rc;
	if (!name) {
		r->training->adapter = MXT_ADAPTER_NONE;
		return 0;
	}
	r->training->adapter = strcmp(name, "qlora") == 0 ? MXT_ADAPTER_QLORA : MXT_ADAPTER_LORA;
	if (strcmp(name, "qlora") == 0 || strcmp(name, "lora") == 0)
		return 0;
	char shown[MXT_PRINTABLE_SIZE];
	return mxt_workload_exclude(r->workload, MXT_PART_LORA, r->map.err, "the products of adapter '%s'",
				    mxt_printable(name, shown));
}

static int read_adapter(const struct reader *r)
{
	int rc = read_adapter_kind(r);
	if (rc == 0)
		rc = read_load_bits(r);
	if (rc < 0 || r->training->adapter == MXT_ADAPTER_NONE)
		return rc;
	rc = read_rank(r);
	return rc < 0 ? rc : read_targets(r);
}

/* ---- precision ---- */

/* true, false or auto. */
static int read_bf16(const struct reader *r, bool *ret_on, bool *ret_auto)
{
	const struct mxt_yaml_node *node = mxt_axolotl_get(&r->map, "bf16");
	*ret_auto = !node || (node->value.kind == MXT_YAML_STRING && strcmp(node->text, "auto") == 0);
	*ret_on = *ret_auto;
	return *ret_auto ? 0 : mxt_axolotl_bool(&r->map, "bf16", ret_on);
}

/* bf16 and fp16 are mixed precision; bfloat16 and float16 load the weights in that type and go without. */
static int read_precision(const struct reader *r)
{
	struct mxt_training *t = r->training;
	bool bf16 = false, automatic = false, fp16 = false, bfloat16 = false, float16 = false;
	int rc = read_bf16(r, &bf16, &automatic);
	if (rc == 0)
		rc = mxt_axolotl_bool(&r->map, "fp16", &fp16);
	if (rc == 0)
		rc = mxt_axolotl_bool(&r->map, "bfloat16", &bfloat16);
	if (rc == 0)
		rc = mxt_axolotl_bool(&r->map, "float16", &float16);
	if (rc < 0)
		return rc;
	bf16 = bf16 && !(automatic && (fp16 || float16)); /* auto gives way */
	t->autocast = bf16 || fp16;
	if (bf16 || (bfloat16 && !fp16))
		t->dtype = MXT_DTYPE_BF16;
	else
		t->dtype = fp16 || float16 ? MXT_DTYPE_F16 : MXT_DTYPE_F32;
	return 0;
}

/* ---- how it runs ---- */

/*
 * Axolotl asks for reentrant checkpoints, as torch does when options leave that open; where it sets no options at all,
 * transformers 5 takes the other kind.
 */
static bool is_non_reentrant(const struct reader *r)
{
	const struct mxt_yaml_node *options = mxt_axolotl_get(&r->map, "gradient_checkpointing_kwargs");
	const struct mxt_yaml_node *reentrant = options ? mxt_yaml_get(options, "use_reentrant") : NULL;
	if (reentrant)
		return reentrant->value.kind == MXT_YAML_BOOL && !reentrant->value.boolean;
	return !options && (is_given(r, "rl") || is_given(r, "unfrozen_parameters"));
}

static int read_checkpointing(const struct reader *r)
{
	r->training->non_reentrant = is_set(r, "gradient_checkpointing") && is_non_reentrant(r);
	const struct mxt_yaml_node *node = mxt_axolotl_get(&r->map, "gradient_checkpointing");
	static const char *const elsewhere[] = {"offload", "offload_disk", "unsloth"};
	for (size_t i = 0; node && node->value.kind == MXT_YAML_STRING && i < MXT_ARRAY_LEN(elsewhere); i++) {
		if (strcmp(elsewhere[i], node->text) != 0)
			continue;
		r->training->checkpointing = true;
		return mxt_workload_exclude(r->workload, 0, r->map.err,
					    "moving checkpoints out of the GPU (gradient_checkpointing: %s)",
					    elsewhere[i]);
	}
	return mxt_axolotl_bool(&r->map, "gradient_checkpointing", &r->training->checkpointing);
}

static void read_strategy(const struct reader *r)
{
	if (is_set(r, "fsdp") || is_set(r, "fsdp_config"))
		r->training->strategy = MXT_STRATEGY_FSDP;
	else if (is_set(r, "deepspeed"))
		r->training->strategy = MXT_STRATEGY_ZERO;
}

/* ---- the model's name ---- */

static int copy_text(const struct reader *r, const char *const *keys, char **ret_copy)
{
	for (; *keys; keys++) {
		const char *text = NULL;
		int rc = mxt_axolotl_text(&r->map, *keys, &text);
		if (rc < 0)
			return rc;
		if (!text)
			continue;
		*ret_copy = strdup(text);
		return *ret_copy ? 0 : mxt_error_oom(r->map.err);
	}
	return 0;
}

static int read_model_name(const struct reader *r, struct mxt_axolotl_config *config)
{
	static const char *const names[] = {"base_model_config", "base_model", NULL};
	static const char *const revisions[] = {"revision_of_model", "model_revision", NULL};
	int rc = copy_text(r, names, &config->base_model);
	return rc < 0 ? rc : copy_text(r, revisions, &config->revision);
}

/* ---- the whole ---- */

/* Axolotl's own defaults where the file is silent. */
static const struct mxt_training axolotl_defaults = {
    .seq_len = 512,
    .micro_batch = 1,
    .gpus = 1,
    .nodes = 1,
};

static int read_all(const struct reader *r, struct mxt_axolotl_config *config)
{
	static int (*const steps[])(const struct reader *r) = {
	    read_sizes,
	    read_adapter,
	    read_precision,
	    read_checkpointing,
	};
	*r->training = axolotl_defaults;
	int rc = read_model_name(r, config);
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(steps); i++)
		rc = steps[i](r);
	if (rc < 0)
		return rc;
	read_strategy(r);
	rc = mxt_axolotl_kernels(&r->map, r->workload);
	if (rc == 0)
		rc = mxt_axolotl_attention(&r->map, r->workload);
	if (rc == 0)
		rc = mxt_axolotl_schedule(&r->map, r->workload);
	return rc < 0 ? rc : mxt_axolotl_remarks(&r->map, r->workload);
}

void mxt_axolotl_config_finish(struct mxt_axolotl_config *config)
{
	free(config->base_model);
	free(config->revision);
	*config = (struct mxt_axolotl_config)MXT_AXOLOTL_CONFIG_INIT;
}

int mxt_axolotl_config_parse(const char *name, const struct mxt_yaml_tree *tree, struct mxt_workload *workload,
			     struct mxt_axolotl_config *ret_config, struct mxt_error *err)
{
	const struct mxt_yaml_node *root = mxt_yaml_tree_root(tree);
	struct reader r = {{name, root, err}, workload, &workload->training};
	if (root->value.kind != MXT_YAML_MAPPING)
		return mxt_error_set(err, -EINVAL, MXT_E_YAML_VALUE,
				     "%s:%zu: the file holds %s; an Axolotl config is a map of keys", name, root->line,
				     mxt_yaml_kind_name(root->value.kind));
	MXT_CLEANUP_AXOLOTL struct mxt_axolotl_config config = MXT_AXOLOTL_CONFIG_INIT;
	int rc = read_all(&r, &config);
	if (rc < 0)
		return rc;
	*ret_config = config;
	config = (struct mxt_axolotl_config)MXT_AXOLOTL_CONFIG_INIT;
	return 0;
}

int mxt_axolotl_config_read(const char *path, struct mxt_workload *workload, struct mxt_axolotl_config *ret_config,
			    struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	int rc = mxt_file_read(path, MXT_YAML_MAX_BYTES, &buf, err);
	if (rc < 0)
		return mxt_input_refine(rc, err);
	rc = mxt_yaml_tree_parse(name, mxt_buf_text(&buf), buf.len, &tree, err);
	return rc < 0 ? rc : mxt_axolotl_config_parse(name, tree, workload, ret_config, err);
}
