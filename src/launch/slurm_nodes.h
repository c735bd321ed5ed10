/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of a job of Slurm, by the variables that sbatch, salloc and srun set (their manual pages, "OUTPUT
 * ENVIRONMENT VARIABLES").
 */
#ifndef MXT_LAUNCH_SLURM_NODES_H
#define MXT_LAUNCH_SLURM_NODES_H

#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_nodes;

bool mxt_slurm_is_here(char *const *environment);

/* Did srun start this on several nodes? */
bool mxt_slurm_started_several(char *const *environment);

/*
 * The job: its id, unless that is no number, and how long Slurm waits between TERM and KILL. No variable tells that,
 * and Slurm is not asked: it is the default.
 */
int mxt_slurm_job(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err) MXT_WUR;

/*
 * Count, rank, address and port, the same port on every node: it follows from the ids of job and step.
 * MXT_E_LAUNCH_NODES for several tasks of one node, several nodes without srun, heterogeneous jobs, and variables that
 * contradict each other.
 */
int mxt_slurm_nodes(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err) MXT_WUR;

#endif
