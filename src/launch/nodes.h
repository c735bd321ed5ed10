/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which node of how many this is, from the command line or from what Slurm or Kubeflow put into the environment.
 */
#ifndef MXT_LAUNCH_NODES_H
#define MXT_LAUNCH_NODES_H

#include <stdint.h>

#include "compiler.h"

struct mxt_error;
struct mxt_remarks;

struct mxt_nodes {
	const char *found_by; /* static: "one node", "command line", "Slurm", "Kubeflow" */
	int64_t count, rank;  /* rank from 0 */
	char *address;        /* owned: host of rank 0; NULL with one node */
	int64_t port;         /* of the rendezvous; 0 with one node */
	char *job;            /* owned: the scheduler's id of the job, equal on all nodes; NULL: none */
	int64_t kill_wait_s;  /* how long the scheduler waits between TERM and KILL; 0: not known */
};
#define MXT_NODES_INIT                                                                                                 \
	{                                                                                                              \
		.address = NULL                                                                                        \
	}
void mxt_nodes_finish(struct mxt_nodes *nodes);

/*
 * From the command line; zero or NULL: not given. Count and rank together leave no question to a scheduler; a count
 * alone is held against what the scheduler says; address and port replace the scheduler's.
 */
struct mxt_nodes_request {
	int64_t count;
	int64_t rank; /* -1: not given */
	const char *address;
	int64_t port;
};

/*
 * MXT_E_LAUNCH_NODES for what contradicts itself or lacks something: a node list that cannot be read, a rank beyond the
 * count, several tasks of one node (every node starts one launcher), no address. An allocation of Slurm in which
 * nothing was started by srun (an interactive shell, sbatch's own script) is one node when it has one. Refused as well:
 * a number of nodes that may change, and a process of another launcher (LOCAL_RANK, TORCHELASTIC_RUN_ID, mpirun's).
 */
int mxt_nodes_find(char *const *environment, const struct mxt_nodes_request *request, struct mxt_remarks *remarks,
		   struct mxt_nodes *ret_nodes, struct mxt_error *err) MXT_WUR;

#endif
