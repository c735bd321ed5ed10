/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How Axolotl is started: through accelerate, through torchrun, or as one plain Python process.
 */
#ifndef MXT_LAUNCH_COMMAND_LINE_H
#define MXT_LAUNCH_COMMAND_LINE_H

#include <jansson.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "nodes.h"

struct mxt_error;

enum mxt_launcher { MXT_LAUNCHER_ACCELERATE, MXT_LAUNCHER_TORCHRUN, MXT_LAUNCHER_PYTHON };

/* MXT_E_USAGE for another name. */
int mxt_launcher_parse(const char *name, enum mxt_launcher *ret_launcher, struct mxt_error *err) MXT_WUR;

/* All borrowed. */
struct mxt_command_request {
	enum mxt_launcher launcher;
	const char *python;            /* interpreter */
	const char *config;            /* the YAML that Axolotl gets */
	const char *accelerate_config; /* where the generated file for accelerate will lie */
	int64_t gpus;                  /* processes of this node; 0: a host without GPUs, one process */
	const struct mxt_nodes *nodes;
	const char *dtype;      /* of the plan: "bfloat16", "float16", "float32" */
	char *const *overrides; /* NULL-ended: appended to Axolotl's command line; NULL: none */
};

struct mxt_command_line {
	char **argv;                      /* owned, NULL-ended: mxt_command_line_finish() */
	struct mxt_buf accelerate_config; /* content of the generated file; empty: none is needed */
	json_t *environment;              /* owned: object of strings that the launch sets; may be empty */
};
#define MXT_COMMAND_LINE_INIT                                                                                          \
	{                                                                                                              \
		NULL, MXT_BUF_INIT, NULL                                                                               \
	}
void mxt_command_line_finish(struct mxt_command_line *line);

int mxt_command_line_make(const struct mxt_command_request *request, struct mxt_command_line *ret_line,
			  struct mxt_error *err) MXT_WUR;

#endif
