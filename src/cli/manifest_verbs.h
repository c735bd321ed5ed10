/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows `mindxtrain manifest`: one file per verb (manifest_NAME_verb.c), one row in cmd_manifest.c.
 */
#ifndef MXT_CLI_MANIFEST_VERBS_H
#define MXT_CLI_MANIFEST_VERBS_H

struct mxt_args;
struct mxt_cli;
struct mxt_error;

/* operands[0] is the verb, operands[1] the folder of a run or its manifest. Return as a command's run() does. */
int mxt_manifest_create_verb(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err);
int mxt_manifest_sign_verb(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err);
int mxt_manifest_export_verb(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err);

#endif
