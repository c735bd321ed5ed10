/* SPDX-License-Identifier: Apache-2.0 */
#include "verify_same_result.h"

#include <limits.h>
#include <stdio.h>

#include "command.h"
#include "error.h"
#include "json.h"
#include "manifest.h"
#include "manifest_operand.h"
#include "print_json.h"
#include "same_result.h"

static int read_side(const char *run, struct mxt_manifest **ret_manifest, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	int rc = mxt_manifest_operand(run, &path, &folder, err);
	return rc < 0 ? rc : mxt_manifest_read(mxt_buf_text(&path), ret_manifest, err);
}

static json_t *side_value(const struct mxt_same_side *side)
{
	return json_pack("{s:o, s:s*}", "run", mxt_json_clean_text(side->name, PATH_MAX), "result_id",
			 mxt_manifest_result_id(side->manifest));
}

/* `difference`: NULL where there is none. */
static int print_json(struct mxt_cli *cli, const struct mxt_same_side sides[2], const char *difference,
		      struct mxt_error *err)
{
	json_t *object = json_pack("{s:s, s:i, s:b, s:[o, o]}", "event", "same_result", "v", 1, "same",
				   difference == NULL, "runs", side_value(&sides[0]), side_value(&sides[1]));
	if (difference && json_object_set_new(object, "difference", mxt_json_clean_text(difference, PATH_MAX)) < 0) {
		json_decref(object);
		return mxt_error_oom(err);
	}
	return mxt_print_json(cli->out, object, err);
}

static int report(struct mxt_cli *cli, bool json, const struct mxt_same_side sides[2], struct mxt_error *err)
{
	int rc = mxt_same_result(&sides[0], &sides[1], err);
	if (rc == 0 && json)
		return print_json(cli, sides, NULL, err);
	if (rc == 0)
		(void)fprintf(cli->out, "%s and %s came to the same result, by their manifests: %s\n", sides[0].name,
			      sides[1].name, mxt_manifest_result_id(sides[0].manifest));
	MXT_CLEANUP_ERROR struct mxt_error fault = MXT_ERROR_INIT;
	if (rc < 0 && json && err->id == MXT_E_RESULT_DIFFERS &&
	    print_json(cli, sides, mxt_error_text(err), &fault) < 0) {
		mxt_error_move(err, &fault);
		return err->status;
	}
	return rc;
}

int mxt_verify_same_result(struct mxt_cli *cli, const struct mxt_same_result_request *request, struct mxt_error *err)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *first = NULL;
	MXT_CLEANUP_MANIFEST struct mxt_manifest *second = NULL;
	char *const *checkpoints = request->checkpoints;
	int rc = read_side(request->runs[0], &first, err);
	if (rc == 0)
		rc = read_side(request->runs[1], &second, err);
	if (rc < 0)
		return rc;
	const struct mxt_same_side sides[2] = {
	    {request->runs[0], first, checkpoints ? checkpoints[0] : NULL},
	    {request->runs[1], second, checkpoints && checkpoints[0] ? checkpoints[1] : NULL},
	};
	return report(cli, request->json, sides, err);
}
