/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to say about an Axolotl config before it trains under a plan.
 */
#ifndef MXT_LAUNCH_AXOLOTL_POLICY_H
#define MXT_LAUNCH_AXOLOTL_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_axolotl_package;
struct mxt_error;
struct mxt_remarks;

/* What else of the config the launch must know. */
struct mxt_axolotl_facts {
	bool compiles;          /* torch_compile */
	bool saves_checkpoints; /* during training, so that trainer_state.json is expected */
	bool adapter;           /* an adapter is what it leaves, not a whole model */
	char *output_dir;       /* owned: as it is written, or Axolotl's default */
};
#define MXT_AXOLOTL_FACTS_INIT                                                                                         \
	{                                                                                                              \
		.output_dir = NULL                                                                                     \
	}
void mxt_axolotl_facts_finish(struct mxt_axolotl_facts *facts);

/*
 * Remarks, each with "name:line": what tunes at run time (MXT_E_LAUNCH_JIT), keys that hold a secret, which Axolotl
 * uploads with the file (MXT_E_LAUNCH_SECRET), configs of other tools (MXT_E_LAUNCH_YAML), keys that undo the plan's
 * attention, keys that no Axolotl of this version reads with the nearest that it does, numbers that stay text.
 * `package` may be an empty one. `overrides` is what stands behind `--` on the command line, NULL-ended: it is held to
 * the same.
 */
int mxt_axolotl_policy(const char *name, const char *bytes, size_t len, const struct mxt_axolotl_package *package,
		       char *const *overrides, struct mxt_remarks *remarks, struct mxt_axolotl_facts *ret_facts,
		       struct mxt_error *err) MXT_WUR;

#endif
