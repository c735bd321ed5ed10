/* SPDX-License-Identifier: Apache-2.0 */
#include "read_lengths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "lengths_answer.h"
#include "python_env.h"
#include "python_folder.h"
#include "script.h"
#include "sysroot.h"
#include "workload_build.h"
#include "workload_lengths.h"

static int run_reader(const struct mxt_cli *cli, const struct mxt_lengths_request *request, char *interpreter,
		      char *dataset, struct mxt_buf *answer, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf reader = MXT_BUF_INIT;
	int rc = mxt_python_script(cli->environment, "lengths.py", &reader, err);
	if (rc < 0)
		return rc;
	static char no_bytecode[] = "-B", descriptor[] = "--descriptor", number[] = MXT_SCRIPT_DESCRIPTOR;
	char *const argv[] = {interpreter, no_bytecode, reader.data, descriptor, number, dataset, NULL};
	const struct mxt_script script = {.program = interpreter,
					  .argv = argv,
					  .environment = cli->environment,
					  .clock = &mxt_clock_monotonic,
					  .deadline_ns = mxt_now_ns(&mxt_clock_monotonic) + request->limit_ns,
					  .cancel_fd = -1,
					  .max_bytes = MXT_LENGTHS_ANSWER_BYTES};
	return mxt_script_run(&script, answer, err);
}

static int ask(const struct mxt_cli *cli, const struct mxt_lengths_request *request, char *dataset,
	       struct mxt_lengths_answer *ret_answer, struct mxt_error *err)
{
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	int rc = mxt_python_find(&live, cli->environment, request->python, &python, err);
	if (rc == 0 && !python.interpreter)
		return mxt_error_set(err, -ENOENT, MXT_E_LENGTHS, "there is no Python here");
	if (rc == 0)
		rc = run_reader(cli, request, python.interpreter, dataset, &text, err);
	return rc < 0 ? rc : mxt_lengths_answer_parse(mxt_buf_text(&text), text.len, ret_answer, err);
}

static int use(struct mxt_workload *workload, struct mxt_lengths_answer *answer, struct mxt_error *err)
{
	int rc = mxt_workload_use_lengths(workload, &answer->lengths, err);
	if (rc < 0)
		return rc;
	free(workload->schedule.dataset);
	workload->schedule.dataset = answer->folder;
	answer->folder = NULL;
	for (size_t i = 0; rc == 0 && i < answer->n_notes; i++)
		rc = mxt_workload_note(workload, err, "%s", answer->notes[i]);
	return rc;
}

/* What is wrong with a dataset, or with what reads it, must not end a run; what is wrong with us must. */
static bool is_note(const struct mxt_error *why)
{
	return why->id == MXT_E_LENGTHS || why->id == MXT_E_LENGTHS_ANSWER || why->id == MXT_E_SCRIPT ||
	       why->id == MXT_E_PYTHON_FILES;
}

static bool is_there(const char *path)
{
	return path && access(path, F_OK) == 0;
}

int mxt_read_lengths(const struct mxt_cli *cli, const struct mxt_lengths_request *request,
		     struct mxt_workload *workload, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	MXT_CLEANUP_LENGTHS_ANSWER struct mxt_lengths_answer answer = MXT_LENGTHS_ANSWER_INIT;
	if (request->dataset && !is_there(request->dataset))
		return mxt_error_set(err, -ENOENT, MXT_E_INPUT_FILE, "--dataset %s: there is no such file or folder",
				     request->dataset);
	if (!request->dataset && !is_there(workload->schedule.dataset))
		return 0;
	MXT_CLEANUP_FREE char *dataset = strdup(request->dataset ? request->dataset : workload->schedule.dataset);
	if (!dataset)
		return mxt_error_oom(err);
	int rc = ask(cli, request, dataset, &answer, &why);
	if (rc == 0)
		rc = use(workload, &answer, &why);
	if (rc == 0)
		return 0;
	if (is_note(&why))
		return mxt_workload_note(workload, err, "the lengths of %s could not be read: %s; lengths are assumed",
					 dataset, mxt_error_text(&why));
	mxt_error_move(err, &why);
	return rc;
}
