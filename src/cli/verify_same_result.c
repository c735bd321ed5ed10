/* SPDX-License-Identifier: Apache-2.0 */
#include "verify_same_result.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "cleanup.h"
#include "command.h"
#include "error.h"
#include "json.h"
#include "manifest.h"
#include "manifest_operand.h"
#include "print_json.h"
#include "same_result.h"

/* What one side consists of. */
struct run {
	struct mxt_manifest *manifest; /* owned */
	struct mxt_buf folder;
};
#define RUN_INIT                                                                                                       \
	{                                                                                                              \
		NULL, MXT_BUF_INIT                                                                                     \
	}

static void run_finish(struct run *run)
{
	mxt_manifest_destroy(run->manifest);
	mxt_buf_finish(&run->folder);
}

static int run_read(struct run *run, const char *operand, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	int rc = mxt_manifest_operand(operand, &path, &run->folder, err);
	return rc < 0 ? rc : mxt_manifest_read(mxt_buf_text(&path), &run->manifest, err);
}

static json_t *side_value(const struct mxt_same_side *side)
{
	json_t *result = json_object_get(mxt_manifest_document(side->manifest), "result");
	return json_pack("{s:o, s:s*, s:O*}", "run", mxt_json_clean_text(side->name, PATH_MAX), "result_id",
			 mxt_manifest_result_id(side->manifest), "unknown", json_object_get(result, "unknown"));
}

/* "same" is left out where it is not known; "difference" where there is none. */
static int print_json(struct mxt_cli *cli, const struct mxt_same_side sides[2], const struct mxt_error *outcome,
		      struct mxt_error *err)
{
	bool differs = outcome->id == MXT_E_RESULT_DIFFERS, is_known = outcome->id != MXT_E_RESULT_UNKNOWN;
	return mxt_print_json(cli->out,
			      json_pack("{s:s, s:i, s:o*, s:[o, o], s:o*}", "event", "same_result", "v", 1, "same",
					is_known ? json_boolean(!differs) : NULL, "runs", side_value(&sides[0]),
					side_value(&sides[1]), "difference",
					differs ? mxt_json_clean_text(mxt_error_text(outcome), PATH_MAX) : NULL),
			      err);
}

static int report(struct mxt_cli *cli, bool json, const struct mxt_same_side sides[2], struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error fault = MXT_ERROR_INIT;
	int rc = mxt_same_result(&sides[0], &sides[1], err);
	bool compared = rc == 0 || err->id == MXT_E_RESULT_DIFFERS || err->id == MXT_E_RESULT_UNKNOWN;
	if (compared && json && print_json(cli, sides, err, &fault) < 0) {
		mxt_error_move(err, &fault);
		return err->status;
	}
	if (rc == 0 && !json)
		(void)fprintf(cli->out, "%s and %s came to the same result, by their manifests: %s\n", sides[0].name,
			      sides[1].name, mxt_manifest_result_id(sides[0].manifest));
	return rc;
}

static int compare(struct mxt_cli *cli, const struct mxt_args *args, char *const *checkpoints, struct mxt_error *err)
{
	MXT_CLEANUP(run_finish) struct run first = RUN_INIT;
	MXT_CLEANUP(run_finish) struct run second = RUN_INIT;
	int rc = run_read(&first, args->operands[0], err);
	if (rc == 0)
		rc = run_read(&second, args->operands[1], err);
	if (rc < 0)
		return rc;
	const struct mxt_same_side sides[2] = {
	    {args->operands[0], first.manifest, first.folder.data, checkpoints ? checkpoints[0] : NULL},
	    {args->operands[1], second.manifest, second.folder.data,
	     checkpoints && checkpoints[0] ? checkpoints[1] : NULL},
	};
	return report(cli, mxt_args_has(args, "json"), sides, err);
}

static int check_arguments(const struct mxt_args *args, char *const *checkpoints, struct mxt_error *err)
{
	static const char *const others[] = {"plan", "dataset", "allow-extra", "quick", "threads", "signed-by"};
	if (args->n_operands != 2)
		return mxt_error_set(
		    err, -EINVAL, MXT_E_USAGE,
		    "verify --same-result takes two runs: mindxtrain verify --same-result RUN_DIR RUN_DIR");
	for (size_t i = 0; i < MXT_ARRAY_LEN(others); i++)
		if (mxt_args_has(args, others[i]))
			return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "verify --same-result takes no --%s",
					     others[i]);
	if (checkpoints && checkpoints[0] && checkpoints[1] && checkpoints[2])
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "there are two runs: --checkpoint at most twice");
	return 0;
}

int mxt_verify_same_result(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char **checkpoints = NULL;
	int rc = mxt_args_list(args, "checkpoint", &checkpoints, err);
	if (rc == 0)
		rc = check_arguments(args, checkpoints, err);
	return rc < 0 ? rc : compare(cli, args, checkpoints, err);
}
