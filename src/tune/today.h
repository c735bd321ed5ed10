/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One sentence: what the job would do today, and what the plan changes. Internal to src/tune.
 */
#ifndef MXT_TUNE_TODAY_H
#define MXT_TUNE_TODAY_H

#include "buf.h"

struct mxt_session;

/* Appends "flash_attention_2 by flash_attn 2.8.3, documents isolated", or why the job would end at its start. */
void mxt_today_text(const struct mxt_session *session, struct mxt_buf *buf);

/* Appends "the plan keeps it", or "the plan: flash attention, by TORCH_CUDNN_SDPA_DEPRIORITIZED=1". */
void mxt_today_change_text(const struct mxt_session *session, struct mxt_buf *buf);

#endif
