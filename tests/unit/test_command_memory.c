/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of what tells the nodes and makes the command line fails once. */
#include <errno.h>
#include <jansson.h>

#include "alloc_faults.h"
#include "cmocka_all.h"
#include "command_line.h"
#include "error.h"
#include "import_check.h"
#include "node_list.h"
#include "nodes.h"
#include "remarks.h"

static int parse_list(void *context)
{
	MXT_CLEANUP_NODE_LIST struct mxt_node_list list = MXT_NODE_LIST_INIT;
	return mxt_node_list_parse(context, &list, NULL);
}

static int find_nodes(void *context)
{
	const struct mxt_nodes_request request = {.rank = -1, .address = "other"};
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_nodes nodes = MXT_NODES_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_nodes_find(context, &request, &remarks, &nodes, &err);
	if (rc == 0)
		rc = mxt_remarks_verdict(&remarks, &err);
	mxt_nodes_finish(&nodes);
	mxt_remarks_finish(&remarks);
	return rc;
}

static int make_line(void *context)
{
	struct mxt_command_line line = MXT_COMMAND_LINE_INIT;
	int rc = mxt_command_line_make(context, &line, NULL);
	mxt_command_line_finish(&line);
	return rc;
}

static int read_answer(void *context)
{
	static const char answer[] = "try a\nbad ImportError: none\nend\n";
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	mxt_import_check_read(context, answer, sizeof answer - 1, &remarks);
	int rc = remarks.failed ? -ENOMEM : 0;
	assert_int_equal(remarks.failed ? 0 : remarks.count, !remarks.failed);
	mxt_remarks_finish(&remarks);
	return rc;
}

static void memory_that_runs_out_is_an_error(void **state)
{
	(void)state;
	char list[] = "a[1-3]b[1-2],c", python[] = "python3";
	char *slurm[] = {(char[]){"SLURM_JOB_ID=1"}, (char[]){"SLURM_STEP_ID=0"},       (char[]){"SLURM_NNODES=2"},
			 (char[]){"SLURM_NODEID=1"}, (char[]){"SLURM_NODELIST=a[1-2]"}, NULL};
	char *kubeflow[] = {(char[]){"PET_NNODES=2"}, (char[]){"PET_NODE_RANK=1"}, (char[]){"PET_MASTER_ADDR=m"},
			    (char[]){"KUBERNETES_SERVICE_HOST=10.0.0.1"}, NULL};
	const struct mxt_nodes nodes = {.count = 2, .rank = 1, .address = (char[]){"a"}, .port = 1};
	struct mxt_command_request request = {.launcher = MXT_LAUNCHER_ACCELERATE,
					      .python = python,
					      .config = "run.yaml",
					      .accelerate_config = "accelerate.yaml",
					      .gpus = 2,
					      .nodes = &nodes,
					      .dtype = "bfloat16"};
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(parse_list, list) >= 5);
	assert_true(mxt_test_each_allocation(find_nodes, slurm) >= 5);
	assert_true(mxt_test_each_allocation(find_nodes, kubeflow) >= 3);
	assert_true(mxt_test_each_allocation(make_line, &request) >= 20);
	request.launcher = MXT_LAUNCHER_TORCHRUN;
	assert_true(mxt_test_each_allocation(make_line, &request) >= 8);
	assert_true(mxt_test_each_allocation(read_answer, python) >= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(memory_that_runs_out_is_an_error)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
