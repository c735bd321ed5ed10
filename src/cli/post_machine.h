/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a post that say where and on what was measured.
 */
#ifndef MXT_CLI_POST_MACHINE_H
#define MXT_CLI_POST_MACHINE_H

struct mxt_post;

void mxt_post_machine(const struct mxt_post *post);
void mxt_post_workload(const struct mxt_post *post);

#endif
