/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configs that are no Axolotl configs, though they are YAML: those of other trainers and tools, and Axolotl's keys in a
 * place where Axolotl does not look.
 */
#ifndef MXT_LAUNCH_FOREIGN_CONFIG_H
#define MXT_LAUNCH_FOREIGN_CONFIG_H

#include <stdbool.h>

struct mxt_axolotl_keys;
struct mxt_remarks;
struct mxt_yaml_node;

/*
 * Remarks MXT_E_LAUNCH_YAML that name what it is, or where the misplaced keys are. `root`: the top, a map. True: it is
 * the file of another tool.
 */
bool mxt_foreign_config_check(const char *name, const struct mxt_yaml_node *root, const struct mxt_axolotl_keys *keys,
			      struct mxt_remarks *remarks);

#endif
