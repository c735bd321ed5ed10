/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What env.json and --print say of an environment.
 */
#ifndef MXT_LAUNCH_ENV_RECORD_H
#define MXT_LAUNCH_ENV_RECORD_H

#include <jansson.h>

#include "compiler.h"

struct mxt_buf;
struct mxt_env_outcome;
struct mxt_error;

/*
 * env.json: {"changes": as above, "kept": {NAME: BLAKE3 of the value}}. What nobody changed is told by name and hash
 * only, since values hold tokens. A name that is not printable ASCII has '?' for what is not. New reference.
 */
int mxt_env_record(const struct mxt_env_outcome *outcome, json_t **ret_record, struct mxt_error *err) MXT_WUR;

/*
 * Appends the difference for a person, one line a variable: "+ NAME=value  (plan, was 8)", "- NAME  (plan, was 8)", and
 * "= NAME=value  (plan)" where it is set to that already. A former value that is not shown is not told.
 */
void mxt_env_changes_text(const json_t *changes, struct mxt_buf *buf);

#endif
