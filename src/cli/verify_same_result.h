/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mindxtrain verify --same-result A B: did two runs come to the same?
 */
#ifndef MXT_CLI_VERIFY_SAME_RESULT_H
#define MXT_CLI_VERIFY_SAME_RESULT_H

#include "compiler.h"

struct mxt_args;
struct mxt_cli;
struct mxt_error;

/*
 * Two operands: folders of runs, or their manifests. --checkpoint, at most twice: where those of the first and the
 * second run lie. Prints one line, or with --json one object, also where they differ. Returns an exit status, or an
 * error: MXT_E_RESULT_DIFFERS with the first difference; MXT_E_RESULT_UNKNOWN.
 */
int mxt_verify_same_result(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err) MXT_WUR;

#endif
