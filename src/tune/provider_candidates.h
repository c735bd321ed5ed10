/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The candidates of attention that compute in Python: rows of core/attention_providers.def whose package is there.
 * Internal to src/tune.
 */
#ifndef MXT_TUNE_PROVIDER_CANDIDATES_H
#define MXT_TUNE_PROVIDER_CANDIDATES_H

#include <jansson.h>

#include "compiler.h"

struct mxt_candidate_list;
struct mxt_error;
struct mxt_python_packages;
struct mxt_session;

/*
 * Adds them to the device's own. Not those that race as incumbents already, nor `eager` and `sdpa`, which only race as
 * such. 0 or -ENOMEM.
 */
int mxt_provider_candidates(const struct mxt_session *session, struct mxt_candidate_list *list,
			    struct mxt_error *err) MXT_WUR;

/* Adds to a decision's `stack` the versions of the packages that the provider computes with. NULL: none. 0 or -1. */
int mxt_provider_stack(const struct mxt_python_packages *packages, const char *provider, json_t *stack);

#endif
