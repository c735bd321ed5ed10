/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of an Axolotl config that nobody reads: by the schemas of the installed Axolotl, also below other keys and for
 * its integrations; without one by the list of 0.18.
 */
#ifndef MXT_LAUNCH_KEY_POLICY_H
#define MXT_LAUNCH_KEY_POLICY_H

#include "axolotl_key_check.h"
#include "compiler.h"

struct mxt_axolotl_package;
struct mxt_axolotl_source;
struct mxt_error;
struct mxt_remarks;
struct mxt_yaml_node;

/* What may stand at the top of a config; borrows from the package. */
struct mxt_axolotl_keys mxt_key_policy_keys(const struct mxt_axolotl_package *package);

/* Warnings, with the nearest key that is read; also for numbers that stay text. `root`: a map. 0 or -ENOMEM. */
int mxt_key_policy(const struct mxt_axolotl_source *source, const struct mxt_yaml_node *root,
		   const struct mxt_axolotl_package *package, struct mxt_remarks *remarks,
		   struct mxt_error *err) MXT_WUR;

#endif
