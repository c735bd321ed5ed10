/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's short form of host names, as it is in SLURM_JOB_NODELIST: "a[1-3,07],b-[001-010]x[1-2]". From the
 * environment, so untrusted. What Slurm's src/common/hostlist.c makes of it: the width of a range is that of its first
 * number; of several brackets in a word the first is the slowest. The grids of multi-dimensional systems ("[000x133]")
 * are not read.
 */
#ifndef MXT_LAUNCH_NODE_LIST_H
#define MXT_LAUNCH_NODE_LIST_H

#include <stddef.h>

#include "cleanup.h"
#include "compiler.h"

struct mxt_error;

#define MXT_NODE_LIST_MAX 65536 /* names */
#define MXT_NODE_NAME_MAX 253   /* bytes of one: what DNS allows */

struct mxt_node_list {
	char **names; /* owned, each at least one of [A-Za-z0-9._-], not beginning with '-' */
	size_t count;
};
#define MXT_NODE_LIST_INIT                                                                                             \
	{                                                                                                              \
		NULL, 0                                                                                                \
	}
#define MXT_CLEANUP_NODE_LIST MXT_CLEANUP(mxt_node_list_finish)
void mxt_node_list_finish(struct mxt_node_list *list);

/* In Slurm's order. MXT_E_LAUNCH_NODES says where the text is wrong, or that it names too many; -ENOMEM. */
int mxt_node_list_parse(const char *text, struct mxt_node_list *ret_list, struct mxt_error *err) MXT_WUR;

#endif
