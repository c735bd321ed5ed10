/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trainer's config as it will run: read, judged, edited to what the plan says, and what the trainer must report
 * back.
 */
#ifndef MXT_LAUNCH_TRAIN_CONFIG_H
#define MXT_LAUNCH_TRAIN_CONFIG_H

#include <jansson.h>

#include "axolotl_facts.h"
#include "axolotl_package.h"
#include "buf.h"
#include "compiler.h"

struct mxt_error;
struct mxt_plan;
struct mxt_remarks;

struct mxt_train_config {
	struct mxt_buf given, edited; /* bytes */
	json_t *changes;              /* owned: as from mxt_yaml_edit() */
	json_t *expected;             /* owned: as for mxt_config_report_create() */
	struct mxt_axolotl_facts facts;
};
#define MXT_TRAIN_CONFIG_INIT                                                                                          \
	{                                                                                                              \
		MXT_BUF_INIT, MXT_BUF_INIT, NULL, NULL, MXT_AXOLOTL_FACTS_INIT                                         \
	}
void mxt_train_config_finish(struct mxt_train_config *config);

/* `overrides`: NULL-ended, behind -- on the command line; NULL: none. What is wrong with the config becomes remarks. */
struct mxt_train_config_request {
	const char *path;
	const struct mxt_plan *plan;
	const struct mxt_axolotl_package *package;
	const char *torch; /* version of the torch that trains; NULL: not known */
	char *const *overrides;
};

/*
 * `ret_config` holds what could be made of it, also after a failure: to be finished in any case. Fails for a file that
 * cannot be read, and for memory.
 */
int mxt_train_config_make(const struct mxt_train_config_request *request, struct mxt_remarks *remarks,
			  struct mxt_train_config *ret_config, struct mxt_error *err) MXT_WUR;

#endif
