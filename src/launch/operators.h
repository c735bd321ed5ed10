/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which package's operators computed attention in a recorded step: what shows kernels beside those that torch's own
 * dispatcher takes.
 */
#ifndef MXT_LAUNCH_OPERATORS_H
#define MXT_LAUNCH_OPERATORS_H

#include <jansson.h>
#include <stdbool.h>

#include "compiler.h"

struct mxt_error;

/* "fa2" for flash_attn::_flash_attn_forward, as decision.attention names it; NULL for an operator that is not known. */
const char *mxt_operator_backend(const char *name);

/*
 * What most queries of the recording's forward calls went through; "": there is none. Wants a document that
 * mxt_recording_check() took.
 */
const char *mxt_operators_seen(const json_t *recording);

/*
 * Is that what is planned? A plan for kernels without an operator of their own (math, eager) is never contradicted
 * here, and AMD's two flash attentions are one operator.
 */
bool mxt_operators_contradict(const char *seen, const char *planned);

#endif
