/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_policy.h"

#include <errno.h>
#include <string.h>

#include "axolotl_argument.h"
#include "axolotl_attention.h"
#include "axolotl_rules.h"
#include "axolotl_secrets.h"
#include "axolotl_value.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "foreign_config.h"
#include "key_policy.h"
#include "printable.h"
#include "remarks.h"
#include "secret_text.h"
#include "words.h"
#include "yaml_tree.h"

/* Keys that say what the plan was made for: an argument would change it behind the config's back. */
struct line_row {
	const char *field, *keys;
};

static const struct line_row lines[] = {
#define MXT_CONFIG_LINE(field, keys) {field, keys},
#include "config_lines.def"
#undef MXT_CONFIG_LINE
    {"", "gradient_accumulation_steps batch_size pretraining_dataset fp8 tf32 torch_compile rl unsloth"},
};

/* Of Axolotl's command line, no keys of its config. */
static const char command_line_words[] =
    "debug debug_text_only debug_num_examples prompter shard download iterable launcher cloud sweep num_processes "
    "num_machines main_process_port config";

struct policy {
	const struct mxt_axolotl_policy_request *request;
	struct mxt_remarks *remarks;
	struct mxt_error *err;
};

/* ---- what tunes by its version ---- */

/* transformers and Axolotl compile flex attention with max-autotune-no-cudagraphs under torch 2.6.0, and no other. */
static void check_flex(const struct policy *policy, const struct mxt_axolotl_source *source,
		       const struct mxt_yaml_node *root)
{
	const struct mxt_axolotl_map map = {"", root, NULL};
	const struct mxt_yaml_node *node = mxt_yaml_get(root, "attn_implementation");
	bool named = node && node->text && strcmp(node->text, "flex_attention") == 0;
	char place[MXT_AXOLOTL_PLACE];
	node = named ? node : mxt_yaml_get(root, "flex_attention");
	if (!policy->request->torch || strncmp(policy->request->torch, "2.6.0", 5) != 0 ||
	    !(named || mxt_axolotl_is_set(&map, "flex_attention")))
		return;
	mxt_remark_refuse(policy->remarks, MXT_E_LAUNCH_JIT, MXT_ALLOW_JIT,
			  "%s: under torch 2.6.0 flex attention is compiled with max-autotune, which times variants of "
			  "its kernels; take another attention or another torch",
			  mxt_axolotl_place(source, node, place));
}

static int check_tree(const struct policy *policy, const struct mxt_axolotl_source *source,
		      const struct mxt_yaml_node *root, struct mxt_axolotl_facts *facts)
{
	mxt_axolotl_rules_check(source, root, policy->request->attention_is_open, policy->remarks);
	mxt_axolotl_secrets_check(source, root, policy->remarks);
	check_flex(policy, source, root);
	return mxt_axolotl_facts_take(facts, root, policy->err);
}

/* ---- arguments ---- */

static bool is_workload_key(const char *key)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(lines); i++)
		if (mxt_words_index(lines[i].keys, key, strlen(key), false) >= 0)
			return true;
	return false;
}

static void check_argument_key(const struct policy *policy, const struct mxt_axolotl_argument *argument)
{
	if (strcmp(argument->key, "config") == 0) /* the name of the argument that the config itself is */
		mxt_remark_refuse(
		    policy->remarks, MXT_E_LAUNCH_UNDONE, MXT_ALLOW_NOTHING,
		    "argument %s has Axolotl train another config than the one that was looked at; give it to "
		    "--config in front of --",
		    argument->shown);
	else if (mxt_axolotl_attention_has_key(argument->key) && !policy->request->attention_is_open)
		mxt_remark_refuse(
		    policy->remarks, MXT_E_LAUNCH_UNDONE, MXT_ALLOW_MISMATCH,
		    "argument %s undoes the plan's attention: Axolotl takes it over what the config says; "
		    "leave it out",
		    argument->shown);
	else if (is_workload_key(argument->key))
		mxt_remark_refuse(
		    policy->remarks, MXT_E_LAUNCH_UNDONE, MXT_ALLOW_MISMATCH,
		    "argument %s changes what the plan was made for, behind the config that it is compared "
		    "with; write %s into the config",
		    argument->shown, argument->key);
}

static int check_argument(const struct policy *policy, const struct mxt_axolotl_argument *argument,
			  struct mxt_axolotl_facts *facts)
{
	const struct mxt_axolotl_source source = {argument->shown, true};
	const struct mxt_yaml_node *root = mxt_yaml_tree_root(argument->tree);
	check_argument_key(policy, argument);
	int rc = check_tree(policy, &source, root, facts);
	if (rc < 0 || mxt_words_index(command_line_words, argument->key, strlen(argument->key), false) >= 0)
		return rc;
	return mxt_key_policy(&source, root, policy->request->package, policy->remarks, policy->err);
}

/* python-fire calls the training before it finds that nothing takes the word: hours later, that is. */
static void refuse_stray(const struct policy *policy, const char *word)
{
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	char printable[MXT_PRINTABLE_SIZE];
	mxt_secret_mask(word, &shown);
	policy->remarks->failed = policy->remarks->failed || shown.failed;
	mxt_remark_refuse(policy->remarks, MXT_E_USAGE, MXT_ALLOW_NOTHING,
			  "'%s' behind -- belongs to no option: Axolotl would train, and fail of it at the end; write "
			  "--key=value",
			  mxt_printable(mxt_buf_text(&shown), printable));
}

static int check_arguments(const struct policy *policy, struct mxt_axolotl_facts *facts)
{
	char *const *arguments = policy->request->arguments;
	int taken = 0, rc = 0;
	for (size_t i = 0; rc == 0 && arguments && arguments[i]; i += (size_t)taken) {
		MXT_CLEANUP_AXOLOTL_ARGUMENT struct mxt_axolotl_argument argument = MXT_AXOLOTL_ARGUMENT_INIT;
		taken = mxt_axolotl_argument_parse(&arguments[i], &argument, policy->err);
		if (taken < 0)
			return taken;
		if (!argument.key)
			refuse_stray(policy, arguments[i]);
		else if (argument.tree)
			rc = check_argument(policy, &argument, facts);
	}
	return rc;
}

/* ---- the config ---- */

static int check_config(const struct policy *policy, const struct mxt_yaml_node *root, struct mxt_axolotl_facts *facts)
{
	const struct mxt_axolotl_policy_request *request = policy->request;
	const struct mxt_axolotl_source source = {request->name, false};
	const struct mxt_axolotl_keys keys = mxt_key_policy_keys(request->package);
	if (root->value.kind != MXT_YAML_MAPPING) {
		mxt_remark_refuse(
		    policy->remarks, MXT_E_LAUNCH_YAML, MXT_ALLOW_NOTHING,
		    "%s:%zu: its top is %s, where Axolotl needs a map of keys; write base_model: ... and the "
		    "other keys without \"- \" in front",
		    request->name, root->line, mxt_yaml_kind_name(root->value.kind));
		return 0;
	}
	if (mxt_foreign_config_check(request->name, root, &keys, policy->remarks))
		return 0; /* all its keys would be unknown */
	int rc = check_tree(policy, &source, root, facts);
	return rc == 0 ? mxt_key_policy(&source, root, policy->request->package, policy->remarks, policy->err) : rc;
}

static int check_bytes(const struct policy *policy, struct mxt_axolotl_facts *facts)
{
	const struct mxt_axolotl_policy_request *request = policy->request;
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	if (mxt_yaml_tree_parse(request->name, request->bytes, request->len, &tree, &cause) < 0) {
		mxt_remark_refuse_error(policy->remarks, MXT_ALLOW_NOTHING, &cause);
		return 0;
	}
	mxt_axolotl_secrets_scan(request->name, request->bytes, request->len, policy->remarks);
	return check_config(policy, mxt_yaml_tree_root(tree), facts);
}

int mxt_axolotl_policy(const struct mxt_axolotl_policy_request *request, struct mxt_remarks *remarks,
		       struct mxt_axolotl_facts *ret_facts, struct mxt_error *err)
{
	MXT_CLEANUP_AXOLOTL_FACTS struct mxt_axolotl_facts facts = MXT_AXOLOTL_FACTS_INIT;
	const struct policy policy = {request, remarks, err};
	int rc = mxt_axolotl_facts_init(&facts, err);
	if (rc == 0)
		rc = check_bytes(&policy, &facts);
	if (rc == 0)
		rc = check_arguments(&policy, &facts);
	if (rc < 0)
		return rc;
	*ret_facts = facts;
	facts = (struct mxt_axolotl_facts)MXT_AXOLOTL_FACTS_INIT;
	return 0;
}
