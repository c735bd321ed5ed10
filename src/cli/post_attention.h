/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a post about attention: all backends of each shape, forward and backward.
 */
#ifndef MXT_CLI_POST_ATTENTION_H
#define MXT_CLI_POST_ATTENTION_H

struct mxt_post;

void mxt_post_attention(const struct mxt_post *post);

#endif
