/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_facts.h"

#include <stdlib.h>
#include <string.h>

#include "axolotl_value.h"
#include "error.h"
#include "yaml_tree.h"

#define DEFAULT_OUTPUT "./model-out"

void mxt_axolotl_facts_finish(struct mxt_axolotl_facts *facts)
{
	free(facts->output_dir);
	free(facts->resume);
	*facts = (struct mxt_axolotl_facts)MXT_AXOLOTL_FACTS_INIT;
}

static int set_path(char **slot, const char *path, struct mxt_error *err)
{
	char *copy = strdup(path);
	if (!copy)
		return mxt_error_oom(err);
	free(*slot);
	*slot = copy;
	return 0;
}

/* It saves at the end of every epoch unless it is told otherwise. */
int mxt_axolotl_facts_init(struct mxt_axolotl_facts *ret_facts, struct mxt_error *err)
{
	struct mxt_axolotl_facts facts = {.saves_checkpoints = true};
	int rc = set_path(&facts.output_dir, DEFAULT_OUTPUT, err);
	if (rc == 0)
		*ret_facts = facts;
	return rc;
}

static bool has_text(const struct mxt_yaml_node *node, const char *text)
{
	return node && node->text && strcmp(node->text, text) == 0;
}

/*
 * The end of an epoch is sure to be reached, and so is a share of the steps (save_steps below 1). A number of steps may
 * be more than there are, and "best" waits for a better result.
 */
static void take_saving(struct mxt_axolotl_facts *facts, const struct mxt_axolotl_map *map)
{
	const struct mxt_yaml_node *strategy = mxt_axolotl_get(map, "save_strategy");
	const struct mxt_yaml_node *steps = mxt_axolotl_get(map, "save_steps");
	if (strategy)
		facts->saves_checkpoints = has_text(strategy, "epoch");
	if (steps && mxt_axolotl_is_set(map, "save_steps"))
		facts->saves_checkpoints = steps->value.kind == MXT_YAML_FLOAT && steps->value.real < 1;
}

static void take_compiling(struct mxt_axolotl_facts *facts, const struct mxt_axolotl_map *map)
{
	const struct mxt_yaml_node *attention = mxt_axolotl_get(map, "attn_implementation");
	if (mxt_axolotl_get(map, "torch_compile"))
		facts->compiles = mxt_axolotl_is_set(map, "torch_compile");
	if (mxt_axolotl_is_set(map, "flex_attention") || has_text(attention, "flex_attention"))
		facts->compiles = true;
}

int mxt_axolotl_facts_take(struct mxt_axolotl_facts *facts, const struct mxt_yaml_node *root, struct mxt_error *err)
{
	const struct mxt_axolotl_map map = {"", root, NULL};
	const struct mxt_yaml_node *output = mxt_axolotl_get(&map, "output_dir");
	const struct mxt_yaml_node *resume = mxt_axolotl_get(&map, "resume_from_checkpoint");
	take_saving(facts, &map);
	take_compiling(facts, &map);
	if (mxt_axolotl_get(&map, "adapter"))
		facts->adapter = mxt_axolotl_is_set(&map, "adapter");
	if (mxt_axolotl_get(&map, "auto_resume_from_checkpoints"))
		facts->resumes_newest = mxt_axolotl_is_set(&map, "auto_resume_from_checkpoints");
	int rc = output && output->text ? set_path(&facts->output_dir, output->text, err) : 0;
	return rc == 0 && resume && mxt_axolotl_is_set(&map, "resume_from_checkpoint") && resume->text
		   ? set_path(&facts->resume, resume->text, err)
		   : rc;
}
