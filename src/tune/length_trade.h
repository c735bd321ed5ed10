/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What new lengths do to a choice, and how that is told. Internal to src/tune.
 */
#ifndef MXT_TUNE_LENGTH_TRADE_H
#define MXT_TUNE_LENGTH_TRADE_H

#include <jansson.h>

#include "new_lengths.h"

/*
 * What new lengths do to a race's choice: leaves it open where it hangs on what is not known, and fills *ret_lengths
 * (whose `reason` the choice then borrows as its rule).
 */
void mxt_length_trade_judge(const struct mxt_group *group, const struct mxt_session *session, struct mxt_choice *choice,
			    struct mxt_new_lengths *ret_lengths);

/* evidence.choices[].new_lengths: 0 with a new reference, or with NULL when there is nothing to say; -1: no memory. */
int mxt_length_trade_json(const struct mxt_session *session, const struct mxt_new_lengths *lengths, json_t **ret_json);

#endif
