/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm_nodes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "environ.h"
#include "error.h"
#include "free_port.h"
#include "node_list.h"
#include "node_value.h"
#include "nodes.h"
#include "number.h"
#include "printable.h"

#define KILL_WAIT_S 30 /* slurm.conf(5), KillWait */

/*
 * slurm.h has steps that srun did not start at the end of the range: the interactive shell of salloc, the batch script,
 * the step of what is not Slurm's.
 */
#define FIRST_SPECIAL_STEP INT64_C(0xfffffff0)
#define NO_STEP            (-1)
#define MAX_ID             INT64_C(0xffffffff)

/* Names of old and new Slurms, the one of the step first: srun may use a part of the job's nodes. */
static const char *const job_names[] = {"SLURM_JOB_ID", "SLURM_JOBID", NULL};
static const char *const step_names[] = {"SLURM_STEP_ID", "SLURM_STEPID", NULL};
static const char *const count_names[] = {"SLURM_STEP_NUM_NODES", "SLURM_NNODES", "SLURM_JOB_NUM_NODES", NULL};
static const char *const job_count_names[] = {"SLURM_JOB_NUM_NODES", "SLURM_NNODES", NULL};
static const char *const list_names[] = {"SLURM_STEP_NODELIST", "SLURM_NODELIST", "SLURM_JOB_NODELIST", NULL};
static const char *const task_names[] = {"SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE",
					 NULL};

bool mxt_slurm_is_here(char *const *environment)
{
	const char *name = NULL;
	return mxt_node_first(environment, job_names, &name) != NULL;
}

/* The number in the first of the variables that is set; *value stays as it is when none is. */
static int first_number(char *const *environment, const char *const *names, int64_t min, int64_t max, int64_t *value,
			struct mxt_error *err)
{
	const char *name = NULL;
	if (!mxt_node_first(environment, names, &name))
		return 0;
	return mxt_node_number(environment, name, min, max, value, err);
}

int mxt_slurm_job(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err)
{
	const char *name = NULL;
	const char *id = mxt_node_first(environment, job_names, &name);
	int64_t number = 0;
	nodes->kill_wait_s = KILL_WAIT_S;
	if (!id || mxt_parse_i64_in(id, 0, MAX_ID, &number) < 0)
		return 0;
	nodes->job = strdup(id);
	return nodes->job ? 0 : mxt_error_oom(err);
}

bool mxt_slurm_started_several(char *const *environment)
{
	int64_t count = 1;
	const char *text = mxt_environ_get(environment, "SLURM_STEP_NUM_NODES");
	return text && mxt_parse_i64_in(text, 2, MXT_NODES_MAX, &count) == 0;
}

/* ---- tasks ---- */

/* "1(x2),1": is there a node with more than one task? -EINVAL: not in this form. */
static int has_several_tasks(const char *text, bool *ret_several)
{
	bool several = false;
	uint64_t tasks = 0, times = 0;
	for (const char *at = text;; at++) {
		if (mxt_parse_u64(at, &at, &tasks) < 0)
			return -EINVAL;
		several = several || tasks > 1;
		if (strncmp(at, "(x", 2) == 0 && (mxt_parse_u64(at + 2, &at, &times) < 0 || *at++ != ')'))
			return -EINVAL;
		if (*at == '\0')
			break;
		if (*at != ',')
			return -EINVAL;
	}
	*ret_several = several;
	return 0;
}

static int check_tasks(char *const *environment, struct mxt_error *err)
{
	const char *name = NULL;
	const char *tasks = mxt_node_first(environment, task_names, &name);
	bool several = false;
	char shown[MXT_PRINTABLE_SIZE];
	if (tasks && has_several_tasks(tasks, &several) < 0)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES, "%s=%s cannot be read", name,
				     mxt_printable(tasks, shown));
	if (!several)
		return 0;
	return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
			     "Slurm starts several tasks on a node (%s=%s), but one mindxtrain on each node starts the "
			     "processes of all its GPUs: srun --ntasks-per-node=1",
			     name, mxt_printable(tasks, shown));
}

/* ---- the step ---- */

/* salloc's shell or sbatch's script: it runs once, wherever the nodes are. */
static int without_srun(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err)
{
	int64_t count = 1;
	int rc = first_number(environment, job_count_names, 1, MXT_NODES_MAX, &count, err);
	nodes->count = 1;
	nodes->rank = 0;
	if (rc < 0 || count == 1)
		return rc;
	return mxt_error_set(
	    err, -EINVAL, MXT_E_LAUNCH_NODES,
	    "Slurm gave this job %" PRId64 " nodes, and this command was started on one of them only: "
	    "srun --ntasks-per-node=1 mindxtrain ... starts it on all; --nodes 1 says that one is meant",
	    count);
}

static int check_name(char *const *environment, const struct mxt_node_list *list, int64_t rank, struct mxt_error *err)
{
	const char *own = mxt_environ_get(environment, "SLURMD_NODENAME");
	char shown[MXT_PRINTABLE_SIZE];
	if (!own || strcmp(own, list->names[rank]) == 0)
		return 0;
	return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
			     "Slurm's variables contradict each other: node %" PRId64
			     " of the list (SLURM_NODEID) is %s, "
			     "and this is %s (SLURMD_NODENAME); say with --nodes, --node-rank and --main-address what "
			     "is meant",
			     rank, list->names[rank], mxt_printable(own, shown));
}

static int read_list(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err)
{
	MXT_CLEANUP_NODE_LIST struct mxt_node_list list = MXT_NODE_LIST_INIT;
	const char *name = NULL;
	const char *text = mxt_node_first(environment, list_names, &name);
	if (!text)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "Slurm says that there are %" PRId64 " nodes, but no variable names them",
				     nodes->count);
	int rc = mxt_node_list_parse(text, &list, err);
	if (rc < 0)
		return mxt_error_wrap(err, rc, "%s", name);
	if ((int64_t)list.count != nodes->count)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
				     "Slurm says that there are %" PRId64 " nodes, but %s names %zu", nodes->count,
				     name, list.count);
	rc = check_name(environment, &list, nodes->rank, err);
	if (rc < 0)
		return rc;
	nodes->address = mxt_steal_ptr(&list.names[0]);
	return 0;
}

static int of_step(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err)
{
	int64_t count = 1, rank = -1, parts = 1;
	int rc = mxt_node_number(environment, "SLURM_HET_SIZE", 0, MAX_ID, &parts, err);
	if (rc == 0 && parts > 1)
		return mxt_error_set(err, -ENOTSUP, MXT_E_LAUNCH_NODES,
				     "this is a heterogeneous job of Slurm, whose nodes are not read here: say with "
				     "--nodes, --node-rank and --main-address which node this is");
	if (rc == 0)
		rc = first_number(environment, count_names, 1, MXT_NODES_MAX, &count, err);
	if (rc == 0)
		rc = mxt_node_number(environment, "SLURM_NODEID", 0, count - 1, &rank, err);
	if (rc == 0)
		rc = check_tasks(environment, err);
	if (rc == 0 && rank < 0 && count > 1)
		rc = mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES, "SLURM_NODEID is not set");
	if (rc < 0)
		return rc;
	nodes->count = count;
	nodes->rank = rank < 0 ? 0 : rank;
	return count > 1 ? read_list(environment, nodes, err) : 0;
}

int mxt_slurm_nodes(char *const *environment, struct mxt_nodes *nodes, struct mxt_error *err)
{
	int64_t job = 0, step = NO_STEP;
	int rc = first_number(environment, job_names, 0, MAX_ID, &job, err);
	if (rc == 0)
		rc = first_number(environment, step_names, 0, MAX_ID, &step, err);
	if (rc < 0)
		return rc;
	nodes->found_by = "Slurm";
	if (step == NO_STEP || step >= FIRST_SPECIAL_STEP)
		return without_srun(environment, nodes, err);
	rc = of_step(environment, nodes, err);
	if (rc == 0 && nodes->count > 1)
		nodes->port = MXT_FIRST_PORT + (job + step) % MXT_N_PORTS;
	return rc;
}
