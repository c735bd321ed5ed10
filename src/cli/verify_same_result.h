/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mindxtrain verify --same-result A B: did two runs come to the same?
 */
#ifndef MXT_CLI_VERIFY_SAME_RESULT_H
#define MXT_CLI_VERIFY_SAME_RESULT_H

#include <stdbool.h>

#include "compiler.h"

struct mxt_cli;
struct mxt_error;

struct mxt_same_result_request {
	const char *runs[2];      /* folders of runs, or their manifests */
	char *const *checkpoints; /* NULL-ended: where those of the first and the second run lie; NULL: where the
				     manifests say */
	bool json;
};

/*
 * Prints one line or one JSON object where the results are the same. Returns an exit status, or an error:
 * MXT_E_RESULT_DIFFERS with the first difference, which JSON holds, too; MXT_E_RESULT_UNKNOWN.
 */
int mxt_verify_same_result(struct mxt_cli *cli, const struct mxt_same_result_request *request,
			   struct mxt_error *err) MXT_WUR;

#endif
