/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the launch must know of an Axolotl config.
 */
#ifndef MXT_LAUNCH_AXOLOTL_FACTS_H
#define MXT_LAUNCH_AXOLOTL_FACTS_H

#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_yaml_node;

struct mxt_axolotl_facts {
	bool compiles;          /* torch.compile is used: torch_compile, or flex attention */
	bool saves_checkpoints; /* during training, so that trainer_state.json is expected */
	bool adapter;           /* an adapter is what it leaves, not a whole model */
	char *output_dir;       /* owned: as it is written, or Axolotl's default */
	char *resume;           /* owned: resume_from_checkpoint, as it is written; NULL: none */
	bool resumes_newest;    /* auto_resume_from_checkpoints: else from the newest in output_dir */
};
#define MXT_AXOLOTL_FACTS_INIT                                                                                         \
	{                                                                                                              \
		.output_dir = NULL                                                                                     \
	}
#define MXT_CLEANUP_AXOLOTL_FACTS MXT_CLEANUP(mxt_axolotl_facts_finish)
void mxt_axolotl_facts_finish(struct mxt_axolotl_facts *facts);

/* What Axolotl does without any key. 0 or -ENOMEM. */
int mxt_axolotl_facts_init(struct mxt_axolotl_facts *ret_facts, struct mxt_error *err) MXT_WUR;

/* What the keys below `root` say; what they do not speak of stays as it is. 0 or -ENOMEM. */
int mxt_axolotl_facts_take(struct mxt_axolotl_facts *facts, const struct mxt_yaml_node *root,
			   struct mxt_error *err) MXT_WUR;

#endif
