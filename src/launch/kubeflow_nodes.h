/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of a PyTorchJob or TrainJob of Kubeflow, one pod each, by the variables that its operator sets
 * (kubeflow/training-operator pkg/controller.v1/pytorch/envvar.go, kubeflow/trainer): PET_NNODES, PET_NODE_RANK,
 * PET_NPROC_PER_NODE, PET_MASTER_ADDR and PET_MASTER_PORT, or, of older ones, MASTER_ADDR, MASTER_PORT, RANK (the
 * pod's) and WORLD_SIZE (pods, or pods times processes).
 */
#ifndef MXT_LAUNCH_KUBEFLOW_NODES_H
#define MXT_LAUNCH_KUBEFLOW_NODES_H

#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_nodes;

bool mxt_kubeflow_is_here(char *const *environment);

/*
 * MXT_E_LAUNCH_NODES for a number of nodes that may change ("1:4"), for one that is told in two ways, for a pod without
 * a rank, and for several pods without an address.
 */
int mxt_kubeflow_nodes(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err) MXT_WUR;

#endif
