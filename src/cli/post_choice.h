/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a post that says how a probe was decided.
 */
#ifndef MXT_CLI_POST_CHOICE_H
#define MXT_CLI_POST_CHOICE_H

#include <jansson.h>

struct mxt_post;

/* The last word on a probe ("attention", "gemm", "confirm"), borrowed; NULL: none. */
const json_t *mxt_post_choice_of(const struct mxt_post *post, const char *probe);

/* One sentence on it, or nothing. */
void mxt_post_choice(const struct mxt_post *post, const char *probe);

#endif
