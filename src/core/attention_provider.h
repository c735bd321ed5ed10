/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who can compute attention beside the device itself: the rows of the Python worker (attention_providers.def), and
 * what each of them can do. Tables only; whether a package imports is for the worker to say.
 */
#ifndef MXT_CORE_ATTENTION_PROVIDER_H
#define MXT_CORE_ATTENTION_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>

#include "workload.h"

struct mxt_attention_provider {
	const char *name; /* as in struct mxt_candidate: "fa2", "varlen" */
	enum mxt_attention_kind kind;
	const char *package;  /* "": torch itself */
	const char *vendor;   /* whose GPUs its kernels are for; "": all */
	unsigned since_torch; /* minor of torch 2; 0: any */
	bool isolates, takes_window, deterministic;
};

size_t mxt_attention_provider_count(void);
const struct mxt_attention_provider *mxt_attention_provider_at(size_t i); /* sorted by name */

/* NULL when there is none of that name. */
const struct mxt_attention_provider *mxt_attention_provider_find(const char *name);

#endif
