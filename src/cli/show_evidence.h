/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The evidence of a plan for people: how it was chosen, what was timed, and how the run went.
 */
#ifndef MXT_CLI_SHOW_EVIDENCE_H
#define MXT_CLI_SHOW_EVIDENCE_H

#include <jansson.h>

#include "buf.h"

/* `mark` goes to the end of every line with a time: " simulated" or "". Evidence of this program's version, or older.
 */
void mxt_show_evidence(const json_t *evidence, const char *mark, struct mxt_buf *buf);

#endif
