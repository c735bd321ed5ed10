/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is named on the command line: the folder of a run, or the manifest in it.
 */
#ifndef MXT_CLI_MANIFEST_OPERAND_H
#define MXT_CLI_MANIFEST_OPERAND_H

#include "buf.h"
#include "compiler.h"

struct mxt_error;

/* Appends the manifest's path, and the folder that it is about. Whether they are there is not looked at. */
int mxt_manifest_operand(const char *operand, struct mxt_buf *path, struct mxt_buf *folder,
			 struct mxt_error *err) MXT_WUR;

#endif
