/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of one YAML map: duplicates, and the merge key `<<`.
 */
#ifndef MXT_CORE_YAML_MAP_H
#define MXT_CORE_YAML_MAP_H

#include "compiler.h"

struct mxt_error;
struct mxt_yaml_node;

/*
 * Refuses duplicate keys (equal as Python has it: 1, 1.0 and true are one key) and replaces merge keys by the members
 * of the maps that they name: a map's own key wins, then the map that is named first. `name`: file, for messages.
 */
int mxt_yaml_map_finish(const char *name, struct mxt_yaml_node *map, struct mxt_error *err) MXT_WUR;

#endif
