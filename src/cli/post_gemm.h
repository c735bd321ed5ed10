/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a post about matrix products: each candidate's fastest and slowest, and its times over bare's.
 */
#ifndef MXT_CLI_POST_GEMM_H
#define MXT_CLI_POST_GEMM_H

struct mxt_post;

void mxt_post_gemm(const struct mxt_post *post);

#endif
