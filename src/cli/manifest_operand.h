/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is named on the command line: the folder of a run, or the manifest in it.
 */
#ifndef MXT_CLI_MANIFEST_OPERAND_H
#define MXT_CLI_MANIFEST_OPERAND_H

#include <stdbool.h>

#include "buf.h"
#include "compiler.h"

struct mxt_error;

/* Appends the folder without slashes at its end, or of anything else the folder that it is in. Whether it is a folder.
 */
bool mxt_operand_folder(const char *operand, struct mxt_buf *folder);

/* Appends the manifest's path, and the folder that it is about. MXT_E_INPUT_FILE: the folder has no manifest. */
int mxt_manifest_operand(const char *operand, struct mxt_buf *path, struct mxt_buf *folder,
			 struct mxt_error *err) MXT_WUR;

#endif
