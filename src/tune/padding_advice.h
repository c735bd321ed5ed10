/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice: would the run be shorter if its micro-batches were padded to a multiple, so that fewer lengths are new? It is
 * an estimate from what was measured, told as a note, and never applied. Internal to src/tune.
 */
#ifndef MXT_TUNE_PADDING_ADVICE_H
#define MXT_TUNE_PADDING_ADVICE_H

struct mxt_session;

/*
 * Tells the multiple that would save most, where it surely saves more than 3 % of the attention and the products of the
 * run, and where the lengths are known, not assumed. To be called when everything is decided.
 */
void mxt_padding_advise(const struct mxt_session *session);

#endif
