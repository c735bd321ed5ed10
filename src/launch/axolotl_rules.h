/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that do not go together with a plan (axolotl_rules.def), wherever they are given: in the config, or behind `--`
 * on the command line.
 */
#ifndef MXT_LAUNCH_AXOLOTL_RULES_H
#define MXT_LAUNCH_AXOLOTL_RULES_H

#include <stdbool.h>

struct mxt_remarks;
struct mxt_yaml_node;

/* Where a tree of keys comes from. */
struct mxt_axolotl_source {
	const char *name; /* the config's, or the argument's ("--seed"); borrowed */
	bool argument;    /* it is an argument: lines say nothing */
};

/* "run.yaml:12" or "argument --seed": where the node is, for messages, cut after 100 bytes. */
#define MXT_AXOLOTL_PLACE 128
const char *mxt_axolotl_place(const struct mxt_axolotl_source *source, const struct mxt_yaml_node *node,
			      char buf[MXT_AXOLOTL_PLACE]);

/* Remarks: MXT_E_LAUNCH_JIT (MXT_ALLOW_JIT), MXT_E_LAUNCH_UNDONE (MXT_ALLOW_MISMATCH), warnings. */
void mxt_axolotl_rules_check(const struct mxt_axolotl_source *source, const struct mxt_yaml_node *root,
			     bool attention_is_open, struct mxt_remarks *remarks);

#endif
