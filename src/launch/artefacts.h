/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did the training leave what it should? A status of 0 alone proves nothing: launchers return it after failures, too.
 */
#ifndef MXT_LAUNCH_ARTEFACTS_H
#define MXT_LAUNCH_ARTEFACTS_H

#include <jansson.h>
#include <stdint.h>
#include <time.h>

#include "axolotl_policy.h"
#include "compiler.h"

struct mxt_error;

/* What is newer than the start of the run. */
struct mxt_artefacts {
	json_t *found; /* owned: [{"what": "adapter" or "model" or "state", "path", "bytes"}], one of each at most: the
			  final weights, or the index of their parts; the newest checkpoint's trainer_state.json, with
			  its "global_step" where that can be read */
	char *passed_over; /* owned: what is there and does not count, and why; NULL: nothing */
};
#define MXT_ARTEFACTS_INIT                                                                                             \
	{                                                                                                              \
		NULL, NULL                                                                                             \
	}
void mxt_artefacts_finish(struct mxt_artefacts *artefacts);

/*
 * Looks into output_dir, which is relative to the working folder, as for the training. Weights only count: Axolotl
 * writes configs and tokenizers before it trains. Fails for memory only: files that cannot be read are absent.
 * `start`: CLOCK_REALTIME of the run's start; a file server's clock is taken to agree with this host's.
 */
int mxt_artefacts_find(const struct mxt_axolotl_facts *facts, const struct timespec *start,
		       struct mxt_artefacts *ret_artefacts, struct mxt_error *err) MXT_WUR;

/* MXT_E_LAUNCH_ARTEFACTS naming what is missing and where it was looked for; 0: all is there. */
int mxt_artefacts_verdict(const struct mxt_artefacts *artefacts, const struct mxt_axolotl_facts *facts,
			  struct mxt_error *err) MXT_WUR;

#endif
