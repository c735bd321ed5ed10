/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run on a recorded machine would do: there is nothing to measure with, but the machine, the problems and the
 * candidates are known.
 */
#ifndef MXT_TUNE_OUTLOOK_H
#define MXT_TUNE_OUTLOOK_H

#include <jansson.h>

#include "tune.h"

/*
 * For a request with a root. *ret_outlook (new reference) is
 *   {"device", "platform", "stack", "devices", "notes": [text],
 *    "candidates": [{"probe", "candidate", "env", "skip"}], "collective": as a row of evidence.choices, with its env}
 * where `skip` is why a candidate would not race, `env` what it sets; `collective` is there for several GPUs. The
 * caller owns *ret_set, too. Statuses as from mxt_tune() before anything is timed.
 */
int mxt_tune_outlook(const struct mxt_tune_request *request, json_t **ret_outlook, struct mxt_problem_set *ret_set,
		     struct mxt_error *err) MXT_WUR;

#endif
