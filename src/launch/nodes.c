/* SPDX-License-Identifier: Apache-2.0 */
#include "nodes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "environ.h"
#include "error.h"
#include "kubeflow_nodes.h"
#include "node_value.h"
#include "remarks.h"
#include "slurm_nodes.h"

void mxt_nodes_finish(struct mxt_nodes *nodes)
{
	free(nodes->address);
	free(nodes->job);
	*nodes = (struct mxt_nodes)MXT_NODES_INIT;
}

/* ---- what is refused ---- */

/* Containers of Slurm get LOCAL_RANK from a hook (NVIDIA/enroot conf/hooks/extra/50-slurm-pytorch.sh). */
static bool is_of_slurm(char *const *environment)
{
	const char *rank = mxt_environ_get(environment, "LOCAL_RANK");
	const char *task = mxt_environ_get(environment, "SLURM_LOCALID");
	return rank && task && strcmp(rank, task) == 0 && !mxt_environ_get(environment, "TORCHELASTIC_RUN_ID");
}

/* Inside a rank of another launcher every rank would start a training of its own. */
static int refuse_rank(char *const *environment, struct mxt_error *err)
{
	static const char *const marks[] = {"TORCHELASTIC_RUN_ID", "LOCAL_RANK", NULL};
	const char *name = NULL;
	if (is_of_slurm(environment) || !mxt_node_first(environment, marks, &name))
		return 0;
	return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
			     "%s is set: this runs inside a process of torchrun or accelerate already, and would start "
			     "a training in each of them; start mindxtrain instead of these (or unset %s if it is left "
			     "over)",
			     name, name);
}

/* mpirun's processes: their nodes are told by no variable that all MPIs share. */
static int refuse_mpi(char *const *environment, struct mxt_error *err)
{
	static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
	const char *name = NULL;
	int64_t size = 1;
	if (!mxt_node_first(environment, sizes, &name))
		return 0;
	int rc = mxt_node_number(environment, name, 1, MXT_RANKS_MAX, &size, err);
	if (rc < 0 || size == 1)
		return rc;
	return mxt_error_set(err, -ENOTSUP, MXT_E_LAUNCH_NODES,
			     "%s=%" PRId64 ": mpirun started several of this: start one on each node, and say with "
			     "--nodes, --node-rank and --main-address which it is",
			     name, size);
}

static bool is_loopback(const char *address)
{
	return strcmp(address, "localhost") == 0 || strncmp(address, "127.", 4) == 0 || strcmp(address, "[::1]") == 0;
}

static int check(const struct mxt_nodes *nodes, struct mxt_error *err)
{
	if (nodes->count == 1)
		return 0;
	if (!nodes->address)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "there are %" PRId64 " nodes: --main-address must say where the first of them is",
				     nodes->count);
	if (nodes->rank > 0 && is_loopback(nodes->address))
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "node %" PRId64 " would look for the first node at %s, which is this node itself",
				     nodes->rank, nodes->address);
	return 0;
}

/* ---- where it is told ---- */

static int by_scheduler(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err)
{
	if (mxt_slurm_is_here(environment))
		return mxt_slurm_nodes(environment, nodes, err);
	if (mxt_kubeflow_is_here(environment))
		return mxt_kubeflow_nodes(environment, nodes, err);
	return refuse_mpi(environment, err);
}

/* The count alone is enough where a scheduler tells the rest, and for one node. */
static int complete_count(char *const *environment, const struct mxt_nodes_request *request, struct mxt_nodes *nodes,
			  struct mxt_error *err)
{
	if (request->count == 1)
		return 0;
	int rc = by_scheduler(environment, nodes, err);
	if (rc < 0 || nodes->count == request->count)
		return rc;
	if (nodes->count == 1)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "--nodes %" PRId64 " needs --node-rank: which of them is this?", request->count);
	return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
			     "--nodes says %" PRId64 ", and %s says %" PRId64
			     ": give --node-rank and --main-address, too, or no --nodes",
			     request->count, nodes->found_by, nodes->count);
}

static int by_command_line(char *const *environment, const struct mxt_nodes_request *request, struct mxt_nodes *nodes,
			   struct mxt_error *err)
{
	if (request->count < 1 || request->count > MXT_NODES_MAX)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "--node-rank %" PRId64 " needs --nodes: of how many?", request->rank);
	if (request->rank >= request->count)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "--node-rank %" PRId64 " is none of %" PRId64 " nodes, which count from 0",
				     request->rank, request->count);
	if (request->rank < 0)
		return complete_count(environment, request, nodes, err);
	nodes->found_by = "command line";
	nodes->count = request->count;
	nodes->rank = request->rank;
	return 0;
}

/* What was said on the command line wins, also where a scheduler says something else: another network, say. */
static int choose_meeting(const struct mxt_nodes_request *request, struct mxt_nodes *nodes, struct mxt_error *err)
{
	if (nodes->count == 1)
		return 0;
	nodes->port = request->port > 0 ? request->port : nodes->port > 0 ? nodes->port : MXT_NODE_PORT;
	if (!request->address)
		return 0;
	int rc = mxt_node_address_check("--main-address", request->address, err);
	if (rc < 0)
		return rc;
	free(nodes->address);
	nodes->address = strdup(request->address);
	return nodes->address ? 0 : mxt_error_oom(err);
}

static void remark_kill(const struct mxt_nodes *nodes, struct mxt_remarks *remarks)
{
	if (nodes->kill_wait_s > 0 && nodes->job)
		mxt_remark_note(remarks,
				"Slurm kills a job %" PRId64 " s after it has asked it to end, unless the cluster has "
				"another KillWait; sbatch --signal=TERM@120 has it ask srun's processes earlier",
				nodes->kill_wait_s);
	else if (nodes->kill_wait_s > 0)
		mxt_remark_note(remarks,
				"Kubernetes kills a pod %" PRId64 " s after it has asked it to end, unless the pod has "
				"another terminationGracePeriodSeconds",
				nodes->kill_wait_s);
}

static void remark_alone(char *const *environment, const struct mxt_nodes *nodes, struct mxt_remarks *remarks)
{
	if (nodes->count == 1 && mxt_slurm_started_several(environment))
		mxt_remark_warn(remarks, "--nodes 1: srun started this on several nodes, and each of them trains for "
					 "itself; they write to the same folders");
}

static int find(char *const *environment, const struct mxt_nodes_request *request, struct mxt_nodes *nodes,
		struct mxt_error *err)
{
	int rc = refuse_rank(environment, err);
	if (rc == 0 && mxt_slurm_is_here(environment))
		rc = mxt_slurm_job(environment, nodes, err);
	if (rc == 0 && (request->count > 0 || request->rank >= 0))
		rc = by_command_line(environment, request, nodes, err);
	else if (rc == 0)
		rc = by_scheduler(environment, nodes, err);
	if (rc == 0)
		rc = choose_meeting(request, nodes, err);
	return rc == 0 ? check(nodes, err) : rc;
}

int mxt_nodes_find(char *const *environment, const struct mxt_nodes_request *request, struct mxt_remarks *remarks,
		   struct mxt_nodes *ret_nodes, struct mxt_error *err)
{
	struct mxt_nodes nodes = {.found_by = "one node", .count = 1};
	int rc = find(environment, request, &nodes, err);
	if (rc < 0) {
		mxt_nodes_finish(&nodes);
		return rc;
	}
	remark_kill(&nodes, remarks);
	remark_alone(environment, &nodes, remarks);
	*ret_nodes = nodes;
	return 0;
}
