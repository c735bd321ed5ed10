/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "free_port.h"
#include "nodes.h"
#include "remarks.h"

#define MAX_ITEMS 16
#define NO_RANK   (-1)

struct nodes_case {
	const char *environment[MAX_ITEMS];
	struct mxt_nodes_request request;
	const char *found_by; /* NULL: refused */
	int64_t count, rank;
	const char *address; /* NULL: none */
	int64_t port;
	const char *words; /* of the refusal */
};

#define SLURM "SLURM_JOB_ID=4242", "SLURM_STEP_ID=3", "SLURM_LOCALID=0"
#define SLURM_2                                                                                                        \
	SLURM, "SLURM_NNODES=2", "SLURM_STEP_NUM_NODES=2", "SLURM_STEP_NODELIST=gpu[07-08]",                           \
	    "SLURM_STEP_TASKS_PER_NODE=1(x2)"
#define SLURM_PORT (MXT_FIRST_PORT + (4242 + 3) % MXT_N_PORTS)
#define KUBEFLOW_2 "PET_NNODES=2", "PET_MASTER_ADDR=job-master-0", "PET_MASTER_PORT=23456", "PET_NPROC_PER_NODE=8"
#define ASKS_NOTHING                                                                                                   \
	{                                                                                                              \
		.rank = NO_RANK                                                                                        \
	}

static char *const *items_of(const struct nodes_case *test)
{
	return (char *const *)test->environment;
}

static void check_found(const struct nodes_case *test, const struct mxt_nodes *nodes)
{
	assert_string_equal(nodes->found_by, test->found_by);
	assert_int_equal(nodes->count, test->count);
	assert_int_equal(nodes->rank, test->rank);
	assert_int_equal(nodes->port, test->port);
	assert_int_equal(nodes->address != NULL, test->address != NULL);
	if (test->address)
		assert_string_equal(nodes->address, test->address);
}

static void run_case(const struct nodes_case *test)
{
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_nodes nodes = MXT_NODES_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_nodes_find(items_of(test), &test->request, &remarks, &nodes, &err);
	print_message("%s ...: %s\n", test->environment[0], rc < 0 ? mxt_error_text(&err) : nodes.found_by);
	assert_int_equal(rc == 0, test->found_by != NULL);
	if (rc == 0) {
		check_found(test, &nodes);
	} else {
		assert_int_equal(err.id, MXT_E_LAUNCH_NODES);
		assert_non_null(strstr(mxt_error_text(&err), test->words));
		assert_null(nodes.found_by);
	}
	mxt_nodes_finish(&nodes);
	mxt_remarks_finish(&remarks);
}

static void run_cases(const struct nodes_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		run_case(&cases[i]);
}

/* ---- one node, and the command line ---- */

static const struct nodes_case plain[] = {
    {{"HOME=/root"}, ASKS_NOTHING, "one node", 1, 0, NULL, 0, NULL},
    {{"MASTER_ADDR=x", "WORLD_SIZE=16"}, ASKS_NOTHING, "one node", 1, 0, NULL, 0, NULL},
    {{"HOME=/"}, {1, NO_RANK, NULL, 0}, "one node", 1, 0, NULL, 0, NULL},
    {{"HOME=/"}, {1, 0, NULL, 0}, "command line", 1, 0, NULL, 0, NULL},
    {{"HOME=/"}, {4, 3, "node0", 0}, "command line", 4, 3, "node0", 29500, NULL},
    {{"HOME=/"}, {4, 0, "10.1.2.3", 1234}, "command line", 4, 0, "10.1.2.3", 1234, NULL},
    {{"HOME=/"}, {2, 1, "[fd00::1]", 1234}, "command line", 2, 1, "[fd00::1]", 1234, NULL},
    {{"HOME=/"}, {2, 0, "localhost", 0}, "command line", 2, 0, "localhost", 29500, NULL},
    {{"HOME=/"}, {4, 3, NULL, 0}, NULL, 0, 0, NULL, 0, "--main-address"},
    {{"HOME=/"}, {4, NO_RANK, "node0", 0}, NULL, 0, 0, NULL, 0, "--node-rank"},
    {{"HOME=/"}, {4, 4, "node0", 0}, NULL, 0, 0, NULL, 0, "from 0"},
    {{"HOME=/"}, {0, 1, "node0", 0}, NULL, 0, 0, NULL, 0, "--nodes"},
    {{"HOME=/"}, {2, 1, "--help", 0}, NULL, 0, 0, NULL, 0, "no name or address"},
    {{"HOME=/"}, {2, 1, "a b", 0}, NULL, 0, 0, NULL, 0, "no name or address"},
    {{"HOME=/"}, {2, 1, "", 0}, NULL, 0, 0, NULL, 0, "no name or address"},
    {{"HOME=/"}, {2, 1, "localhost", 0}, NULL, 0, 0, NULL, 0, "itself"},
    {{"LOCAL_RANK=0"}, {1, 0, NULL, 0}, NULL, 0, 0, NULL, 0, "LOCAL_RANK"},
    {{"TORCHELASTIC_RUN_ID=none", "LOCAL_RANK=1"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "TORCHELASTIC_RUN_ID"},
    {{"OMPI_COMM_WORLD_SIZE=8"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "mpirun"},
    {{"OMPI_COMM_WORLD_SIZE=8"}, {2, 0, "a", 0}, "command line", 2, 0, "a", 29500, NULL},
    {{"OMPI_COMM_WORLD_SIZE=1"}, ASKS_NOTHING, "one node", 1, 0, NULL, 0, NULL},
};

static void takes_the_command_line(void **state)
{
	(void)state;
	run_cases(plain, MXT_ARRAY_LEN(plain));
}

/* ---- Slurm ---- */

static const struct nodes_case slurm[] = {
    {{SLURM_2, "SLURM_NODEID=0"}, ASKS_NOTHING, "Slurm", 2, 0, "gpu07", SLURM_PORT, NULL},
    {{SLURM_2, "SLURM_NODEID=1"}, ASKS_NOTHING, "Slurm", 2, 1, "gpu07", SLURM_PORT, NULL},
    {{SLURM_2, "SLURM_NODEID=1", "SLURMD_NODENAME=gpu08"}, ASKS_NOTHING, "Slurm", 2, 1, "gpu07", SLURM_PORT, NULL},
    {{SLURM_2, "SLURM_NODEID=1"}, {0, NO_RANK, "ib-gpu07", 77}, "Slurm", 2, 1, "ib-gpu07", 77, NULL},
    {{SLURM_2, "SLURM_NODEID=1"}, {2, NO_RANK, NULL, 0}, "Slurm", 2, 1, "gpu07", SLURM_PORT, NULL},
    {{SLURM_2, "SLURM_NODEID=1"}, {1, NO_RANK, NULL, 0}, "one node", 1, 0, NULL, 0, NULL},
    {{SLURM_2, "SLURM_NODEID=0"}, {3, 2, "x", 0}, "command line", 3, 2, "x", 29500, NULL},
    /* the hook of containers */
    {{SLURM_2, "SLURM_NODEID=1", "LOCAL_RANK=0", "RANK=1", "WORLD_SIZE=2"},
     ASKS_NOTHING,
     "Slurm",
     2,
     1,
     "gpu07",
     SLURM_PORT,
     NULL},
    /* a part of the job's nodes */
    {{SLURM_2, "SLURM_NODEID=1", "SLURM_JOB_NUM_NODES=4", "SLURM_JOB_NODELIST=gpu[06-09]"},
     ASKS_NOTHING,
     "Slurm",
     2,
     1,
     "gpu07",
     SLURM_PORT,
     NULL},
    /* an old Slurm */
    {{"SLURM_JOBID=4242", "SLURM_STEPID=3", "SLURM_NNODES=2", "SLURM_NODELIST=a,b", "SLURM_NODEID=1",
      "SLURM_TASKS_PER_NODE=1(x2)"},
     ASKS_NOTHING,
     "Slurm",
     2,
     1,
     "a",
     SLURM_PORT,
     NULL},
    {{SLURM, "SLURM_NNODES=1", "SLURM_NODELIST=a", "SLURM_NODEID=0"}, ASKS_NOTHING, "Slurm", 1, 0, NULL, 0, NULL},
    /* sbatch's own script, and the shell of salloc */
    {{"SLURM_JOB_ID=1", "SLURM_NNODES=1", "SLURM_NTASKS_PER_NODE=8"}, ASKS_NOTHING, "Slurm", 1, 0, NULL, 0, NULL},
    {{"SLURM_JOB_ID=1", "SLURM_STEP_ID=4294967290", "SLURM_NNODES=1"}, ASKS_NOTHING, "Slurm", 1, 0, NULL, 0, NULL},
    {{"SLURM_JOB_ID=1", "SLURM_NNODES=2"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "srun"},
    {{"SLURM_JOB_ID=1", "SLURM_STEP_ID=4294967291", "SLURM_NNODES=2", "SLURM_NODEID=0"},
     ASKS_NOTHING,
     NULL,
     0,
     0,
     NULL,
     0,
     "srun"},
    {{"SLURM_JOB_ID=1", "SLURM_NNODES=2"}, {1, NO_RANK, NULL, 0}, "one node", 1, 0, NULL, 0, NULL},
    {{SLURM, "SLURM_NNODES=2", "SLURM_NODELIST=a,b", "SLURM_NODEID=0", "SLURM_STEP_TASKS_PER_NODE=8(x2)"},
     ASKS_NOTHING,
     NULL,
     0,
     0,
     NULL,
     0,
     "--ntasks-per-node=1"},
    {{SLURM, "SLURM_NNODES=2", "SLURM_NODELIST=a,b", "SLURM_NODEID=0", "SLURM_STEP_TASKS_PER_NODE=1,2"},
     ASKS_NOTHING,
     NULL,
     0,
     0,
     NULL,
     0,
     "--ntasks-per-node=1"},
    {{SLURM, "SLURM_NNODES=1", "SLURM_NODEID=0", "SLURM_NTASKS_PER_NODE=8"},
     ASKS_NOTHING,
     NULL,
     0,
     0,
     NULL,
     0,
     "--ntasks-per-node=1"},
    {{SLURM, "SLURM_NNODES=1", "SLURM_NODEID=0", "SLURM_STEP_TASKS_PER_NODE=1(x"},
     ASKS_NOTHING,
     NULL,
     0,
     0,
     NULL,
     0,
     "cannot be read"},
    {{SLURM_2, "SLURM_NODEID=2"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "SLURM_NODEID=2"},
    {{SLURM_2, "SLURM_NODEID=x"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "SLURM_NODEID=x"},
    {{SLURM_2}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "SLURM_NODEID"},
    {{SLURM_2, "SLURM_NODEID=0", "SLURMD_NODENAME=gpu08"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "gpu08"},
    {{SLURM_2, "SLURM_NODEID=0", "SLURM_HET_SIZE=2"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "heterogeneous"},
    {{SLURM_2, "SLURM_NODEID=1"}, {3, NO_RANK, NULL, 0}, NULL, 0, 0, NULL, 0, "--nodes says 3"},
    {{SLURM, "SLURM_NNODES=3", "SLURM_NODELIST=a,b", "SLURM_NODEID=0"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "names 2"},
    {{SLURM, "SLURM_NNODES=2", "SLURM_NODEID=0"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "no variable names"},
    {{SLURM, "SLURM_NNODES=2", "SLURM_NODELIST=a[", "SLURM_NODEID=0"},
     ASKS_NOTHING,
     NULL,
     0,
     0,
     NULL,
     0,
     "SLURM_NODELIST: "},
    {{"SLURM_JOB_ID=12a"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "SLURM_JOB_ID=12a"},
    {{SLURM_2, "SLURM_NODEID=1", "TORCHELASTIC_RUN_ID=1"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "TORCHELASTIC_RUN_ID"},
};

static void reads_slurm(void **state)
{
	(void)state;
	run_cases(slurm, MXT_ARRAY_LEN(slurm));
}

static void knows_how_slurm_kills(void **state)
{
	(void)state;
	const struct nodes_case test = {{SLURM_2, "SLURM_NODEID=0"}, ASKS_NOTHING, "Slurm", 2, 0, "gpu07", 0, NULL};
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_nodes nodes = MXT_NODES_INIT;
	assert_int_equal(mxt_nodes_find(items_of(&test), &test.request, &remarks, &nodes, NULL), 0);
	assert_string_equal(nodes.job, "4242");
	assert_int_equal(nodes.kill_wait_s, 30);
	assert_int_equal(remarks.count, 1);
	assert_int_equal(remarks.items[0].kind, MXT_REMARK_NOTE);
	assert_non_null(strstr(remarks.items[0].text, "KillWait"));
	mxt_nodes_finish(&nodes);
	mxt_remarks_finish(&remarks);
}

static void warns_of_nodes_that_train_alone(void **state)
{
	(void)state;
	const struct nodes_case test = {
	    {SLURM_2, "SLURM_NODEID=0"}, {1, NO_RANK, NULL, 0}, "one node", 1, 0, NULL, 0, NULL};
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_nodes nodes = MXT_NODES_INIT;
	assert_int_equal(mxt_nodes_find(items_of(&test), &test.request, &remarks, &nodes, NULL), 0);
	assert_int_equal(remarks.count, 2);
	assert_int_equal(remarks.items[1].kind, MXT_REMARK_WARNING);
	assert_non_null(strstr(remarks.items[1].text, "several nodes"));
	mxt_nodes_finish(&nodes);
	mxt_remarks_finish(&remarks);
}

/* ---- Kubeflow ---- */

static const struct nodes_case kubeflow[] = {
    {{KUBEFLOW_2, "PET_NODE_RANK=1", "RANK=1", "WORLD_SIZE=2"},
     ASKS_NOTHING,
     "Kubeflow",
     2,
     1,
     "job-master-0",
     23456,
     NULL},
    /* since WORLD_SIZE counts processes */
    {{KUBEFLOW_2, "PET_NODE_RANK=1", "RANK=1", "WORLD_SIZE=16"},
     ASKS_NOTHING,
     "Kubeflow",
     2,
     1,
     "job-master-0",
     23456,
     NULL},
    {{KUBEFLOW_2, "PET_NODE_RANK=1", "RANK=8", "WORLD_SIZE=16"},
     ASKS_NOTHING,
     "Kubeflow",
     2,
     1,
     "job-master-0",
     23456,
     NULL},
    {{KUBEFLOW_2, "PET_NODE_RANK=0"}, ASKS_NOTHING, "Kubeflow", 2, 0, "job-master-0", 23456, NULL},
    {{KUBEFLOW_2, "RANK=1", "WORLD_SIZE=2"}, ASKS_NOTHING, "Kubeflow", 2, 1, "job-master-0", 23456, NULL},
    {{KUBEFLOW_2, "PET_NODE_RANK=1"}, {0, NO_RANK, "other", 0}, "Kubeflow", 2, 1, "other", 23456, NULL},
    {{"PET_NNODES=2:2", "PET_NODE_RANK=1", "PET_MASTER_ADDR=m"}, ASKS_NOTHING, "Kubeflow", 2, 1, "m", 29500, NULL},
    /* an old operator */
    {{"RANK=3", "WORLD_SIZE=4", "MASTER_ADDR=m", "MASTER_PORT=23456"},
     ASKS_NOTHING,
     "Kubeflow",
     4,
     3,
     "m",
     23456,
     NULL},
    {{"RANK=0", "WORLD_SIZE=4", "MASTER_ADDR=localhost"}, ASKS_NOTHING, "Kubeflow", 4, 0, "localhost", 29500, NULL},
    {{"RANK=1", "WORLD_SIZE=4", "MASTER_ADDR=localhost"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "itself"},
    {{"RANK=0", "WORLD_SIZE=1", "MASTER_ADDR=m"}, ASKS_NOTHING, "Kubeflow", 1, 0, NULL, 0, NULL},
    {{"PET_NNODES=1", "PET_NPROC_PER_NODE=8", "RANK=0", "WORLD_SIZE=8"}, ASKS_NOTHING, "Kubeflow", 1, 0, NULL, 0, NULL},
    {{"PET_NNODES=1:4", "PET_NODE_RANK=0"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "change while"},
    {{"PET_NNODES=0", "PET_NODE_RANK=0"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "PET_NNODES=0"},
    {{KUBEFLOW_2, "RANK=3"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "RANK=3 is none of 2 nodes"},
    {{"PET_NNODES=2:", "PET_NODE_RANK=0"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "PET_NNODES=2:"},
    {{"PET_NNODES=99999999999999999999"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "no number of nodes"},
    {{KUBEFLOW_2, "PET_NODE_RANK=1", "WORLD_SIZE=3"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "contradict"},
    {{KUBEFLOW_2, "PET_NODE_RANK=1", "RANK=0", "WORLD_SIZE=2"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "contradict"},
    {{KUBEFLOW_2, "PET_NODE_RANK=2"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "PET_NODE_RANK=2"},
    {{KUBEFLOW_2}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "which of them"},
    {{"PET_NODE_RANK=0"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "how many nodes"},
    {{"PET_NNODES=2", "PET_NODE_RANK=1"}, ASKS_NOTHING, NULL, 0, 0, NULL, 0, "where they meet"},
    {{"PET_NNODES=2", "PET_NODE_RANK=1", "PET_MASTER_ADDR=-x"},
     ASKS_NOTHING,
     NULL,
     0,
     0,
     NULL,
     0,
     "PET_MASTER_ADDR=-x"},
    {{"PET_NNODES=2", "PET_NODE_RANK=1", "PET_MASTER_ADDR=m", "MASTER_PORT=99999"},
     ASKS_NOTHING,
     NULL,
     0,
     0,
     NULL,
     0,
     "MASTER_PORT=99999"},
};

static void reads_kubeflow(void **state)
{
	(void)state;
	run_cases(kubeflow, MXT_ARRAY_LEN(kubeflow));
}

static void finds_a_free_port(void **state)
{
	(void)state;
	int64_t port = mxt_free_port(UINT64_MAX);
	assert_in_range(port, MXT_FIRST_PORT, MXT_FIRST_PORT + MXT_N_PORTS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(takes_the_command_line), cmocka_unit_test(reads_slurm),
	    cmocka_unit_test(knows_how_slurm_kills),  cmocka_unit_test(warns_of_nodes_that_train_alone),
	    cmocka_unit_test(reads_kubeflow),         cmocka_unit_test(finds_a_free_port),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
