/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to say about an Axolotl config before it trains under a plan.
 */
#ifndef MXT_LAUNCH_AXOLOTL_POLICY_H
#define MXT_LAUNCH_AXOLOTL_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "axolotl_facts.h"
#include "compiler.h"

struct mxt_axolotl_package;
struct mxt_error;
struct mxt_remarks;

/* All borrowed. */
struct mxt_axolotl_policy_request {
	const char *name; /* of the config, for messages */
	const char *bytes;
	size_t len;
	const struct mxt_axolotl_package *package; /* may be an empty one: then the keys of 0.18 count */
	const char *torch;                         /* version of the torch that trains; NULL: not known */
	char *const *arguments;                    /* NULL-ended: what stands behind `--`; NULL: nothing */
	bool attention_is_open; /* the plan leaves attention as the config has it: nothing can undo it */
};

/*
 * Remarks, each with "name:line" or the argument: what tunes at run time (MXT_E_LAUNCH_JIT), keys that hold a secret,
 * which Axolotl publishes with the file (MXT_E_LAUNCH_SECRET), configs of other tools and keys in a wrong place
 * (MXT_E_LAUNCH_YAML), what undoes the plan's attention or changes what the plan was made for (MXT_E_LAUNCH_UNDONE),
 * files that cannot be read (MXT_E_YAML_*); warnings of keys that no Axolotl of this version reads, with the nearest
 * that it does, and of numbers that stay text. Fails for memory only.
 */
int mxt_axolotl_policy(const struct mxt_axolotl_policy_request *request, struct mxt_remarks *remarks,
		       struct mxt_axolotl_facts *ret_facts, struct mxt_error *err) MXT_WUR;

#endif
