/* SPDX-License-Identifier: Apache-2.0 */
#include "kubeflow_nodes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "environ.h"
#include "error.h"
#include "node_value.h"
#include "nodes.h"
#include "number.h"
#include "printable.h"

#define KILL_WAIT_S 30 /* of a pod: terminationGracePeriodSeconds, unless its description has another */

bool mxt_kubeflow_is_here(char *const *environment)
{
	if (mxt_environ_get(environment, "PET_NNODES") || mxt_environ_get(environment, "PET_NODE_RANK"))
		return true;
	return mxt_environ_get(environment, "RANK") && mxt_environ_get(environment, "WORLD_SIZE") &&
	       mxt_environ_get(environment, "MASTER_ADDR");
}

/* "2", or "2:2" */
static int parse_count(const char *text, int64_t *ret_count, struct mxt_error *err)
{
	uint64_t low = 0, high = 0;
	const char *end = text;
	char shown[MXT_PRINTABLE_SIZE];
	int rc = mxt_parse_u64(text, &end, &low);
	high = low;
	if (rc == 0 && *end == ':')
		rc = mxt_parse_u64(end + 1, &end, &high);
	if (rc < 0 || *end || low < 1 || low > MXT_NODES_MAX || high > MXT_NODES_MAX)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES, "PET_NNODES=%s is no number of nodes",
				     mxt_printable(text, shown));
	if (low != high)
		return mxt_error_set(err, -ENOTSUP, MXT_E_LAUNCH_NODES,
				     "PET_NNODES=%s lets the number of nodes change while the job runs, and a plan is "
				     "for one number of them: give the job a fixed one",
				     mxt_printable(text, shown));
	*ret_count = (int64_t)low;
	return 0;
}

/* Without PET_NNODES WORLD_SIZE counts pods; with it, pods or processes. */
static int read_count(char *const *environment, int64_t *ret_count, struct mxt_error *err)
{
	const char *text = mxt_environ_get(environment, "PET_NNODES");
	int64_t count = 0, world = 0;
	int rc = mxt_node_number(environment, "WORLD_SIZE", 1, MXT_RANKS_MAX, &world, err);
	if (rc == 0 && text)
		rc = parse_count(text, &count, err);
	if (rc < 0)
		return rc;
	if (count > 0 && world % count != 0)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "PET_NNODES=%" PRId64 " and WORLD_SIZE=%" PRId64 " contradict each other", count,
				     world);
	count = count > 0 ? count : world;
	if (count < 1 || count > MXT_NODES_MAX)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "neither PET_NNODES nor WORLD_SIZE says how many nodes there are");
	*ret_count = count;
	return 0;
}

/* RANK is the pod's, or, as WORLD_SIZE, that of its first process. */
static bool ranks_agree(int64_t rank, int64_t rank_of_node, int64_t processes)
{
	return rank < 0 || rank == rank_of_node || rank == rank_of_node * processes;
}

static int read_rank(char *const *environment, int64_t count, int64_t *ret_rank, struct mxt_error *err)
{
	int64_t rank = -1, node = -1, world = 0;
	int rc = mxt_node_number(environment, "RANK", 0, MXT_RANKS_MAX, &rank, err);
	if (rc == 0)
		rc = mxt_node_number(environment, "PET_NODE_RANK", 0, count - 1, &node, err);
	if (rc == 0)
		rc = mxt_node_number(environment, "WORLD_SIZE", 1, MXT_RANKS_MAX, &world, err);
	if (rc < 0)
		return rc;
	if (node >= 0 && !ranks_agree(rank, node, world / count))
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "PET_NODE_RANK=%" PRId64 " and RANK=%" PRId64 " contradict each other", node,
				     rank);
	node = node >= 0 ? node : rank;
	if (node < 0 && count == 1)
		node = 0;
	if (node >= count)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "RANK=%" PRId64 " is none of %" PRId64 " nodes, which count from 0", node, count);
	if (node < 0)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "there are %" PRId64
				     " nodes, and neither PET_NODE_RANK nor RANK says which of them "
				     "this is",
				     count);
	*ret_rank = node;
	return 0;
}

static int read_meeting(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err)
{
	static const char *const addresses[] = {"PET_MASTER_ADDR", "MASTER_ADDR", NULL};
	static const char *const ports[] = {"PET_MASTER_PORT", "MASTER_PORT", NULL};
	const char *name = NULL;
	const char *address = mxt_node_first(environment, addresses, &name);
	if (!address)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "there are %" PRId64
				     " nodes, and neither PET_MASTER_ADDR nor MASTER_ADDR says where "
				     "they meet",
				     nodes->count);
	int rc = mxt_node_address_check(name, address, err);
	nodes->port = MXT_NODE_PORT;
	if (rc == 0 && mxt_node_first(environment, ports, &name))
		rc = mxt_node_number(environment, name, 1, MXT_PORT_MAX, &nodes->port, err);
	if (rc < 0)
		return rc;
	nodes->address = strdup(address);
	return nodes->address ? 0 : mxt_error_oom(err);
}

int mxt_kubeflow_nodes(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err)
{
	nodes->found_by = "Kubeflow";
	nodes->kill_wait_s = mxt_environ_get(environment, "KUBERNETES_SERVICE_HOST") ? KILL_WAIT_S : 0;
	int rc = read_count(environment, &nodes->count, err);
	if (rc == 0)
		rc = read_rank(environment, nodes->count, &nodes->rank, err);
	return rc == 0 && nodes->count > 1 ? read_meeting(environment, nodes, err) : rc;
}
