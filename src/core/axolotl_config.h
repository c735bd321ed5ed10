/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An Axolotl YAML: from its keys to what the job trains and how. Keys have the types and defaults that Axolotl's schema
 * gives them; the file's meaning is that of PyYAML (yaml_tree.h).
 */
#ifndef MXT_CORE_AXOLOTL_CONFIG_H
#define MXT_CORE_AXOLOTL_CONFIG_H

#include "compiler.h"
#include "workload.h"

struct mxt_error;
struct mxt_yaml_tree;

/* What the config says about the model, beside the workload. */
struct mxt_axolotl_config {
	char *base_model; /* whose config.json counts; owned, NULL when the file names none */
	char *revision;   /* owned, NULL: the default */
};

#define MXT_AXOLOTL_CONFIG_INIT                                                                                        \
	{                                                                                                              \
		NULL, NULL                                                                                             \
	}
#define MXT_CLEANUP_AXOLOTL MXT_CLEANUP(mxt_axolotl_config_finish)

void mxt_axolotl_config_finish(struct mxt_axolotl_config *config);

/*
 * Sets workload->training whole, adds to notes and not_modelled. `name`: file, for messages. Errors name line, key and
 * remedy (MXT_E_YAML_VALUE).
 */
int mxt_axolotl_config_parse(const char *name, const struct mxt_yaml_tree *tree, struct mxt_workload *workload,
			     struct mxt_axolotl_config *ret_config, struct mxt_error *err) MXT_WUR;

/* Reads the file ("-": standard input), then mxt_axolotl_config_parse(). */
int mxt_axolotl_config_read(const char *path, struct mxt_workload *workload, struct mxt_axolotl_config *ret_config,
			    struct mxt_error *err) MXT_WUR;

#endif
