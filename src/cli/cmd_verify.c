/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds what lies here against the manifest of a run, or against a list for b3sum.
 */
#include <errno.h>
#include <string.h>

#include "affix.h"
#include "b3_list.h"
#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "compiler.h"
#include "error.h"
#include "file.h"
#include "hash_meter.h"
#include "input_file.h"
#include "manifest_operand.h"
#include "quick_cache.h"
#include "signature.h"
#include "verify.h"
#include "verify_print.h"
#include "verify_same_result.h"

static const struct mxt_option options[] = {
    {"plan", "FILE", "a copy of plan.json that lies elsewhere"},
    {"dataset", "PATH...", "once for each, in their order: where it lies now; or a list's files"},
    {"checkpoint", "PATH...", "where the checkpoint lies now; with --same-result: each run's"},
    {"allow-extra", NULL, "let listed folders hold files that are not listed"},
    {"quick", NULL, "read no file whose size and times are those of an earlier check here"},
    {"threads", "N", "how many threads hash, at most 16 (default: one per processor)"},
    {"signed-by", "KEY", "demand a signature by this key: a public key or allowed_signers file"},
    {"same-result", NULL, "compare what two runs came to: the first key, file, tensor that differs"},
    {"json", NULL, "print one JSON object"},
};

/* The command line as a request; what it points to is owned here. */
struct call {
	struct mxt_verify_request request;
	char **datasets;
	struct mxt_buf cache;
};

static void call_finish(struct call *call)
{
	free(call->datasets);
	mxt_buf_finish(&call->cache);
}

static int read_call(const struct mxt_cli *cli, const struct mxt_args *args, struct call *call, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char **checkpoints = NULL;
	int64_t threads = 0;
	int rc = mxt_args_int(args, "threads", 1, MXT_HASH_MAX_THREADS, &threads, err);
	if (rc == 0)
		rc = mxt_args_list(args, "checkpoint", &checkpoints, err);
	if (rc == 0 && checkpoints && checkpoints[1])
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "a run has one checkpoint: --checkpoint once");
	if (rc == 0)
		rc = mxt_args_list(args, "dataset", &call->datasets, err);
	mxt_quick_cache_folder(cli->environment, &call->cache);
	if (rc == 0)
		rc = mxt_buf_status(&call->cache, err);
	call->request = (struct mxt_verify_request){
	    .plan = mxt_args_get(args, "plan"),
	    .datasets = call->datasets,
	    .checkpoint = mxt_args_get(args, "checkpoint"),
	    .allows_extra = mxt_args_has(args, "allow-extra"),
	    .quick = mxt_args_has(args, "quick"),
	    .cache = call->cache.len ? call->cache.data : NULL,
	    .threads = (unsigned)threads,
	    .now_ns = mxt_real_time_ns(),
	};
	return rc;
}

static int verify(const struct mxt_cli *cli, const struct mxt_verify_subject *subject,
		  struct mxt_verify_request *request, struct mxt_verify_report *ret_report, struct mxt_error *err)
{
	struct mxt_hash_meter meter;
	const struct mxt_hash_meter_request asked = {.out = stderr, .environment = cli->environment};
	const char *slash = subject->list_name ? strrchr(subject->list_name, '/') : NULL;
	const char *own_name = slash ? slash + 1 : subject->list_name;
	int rc = mxt_hash_meter_start(&meter, &asked, err);
	if (rc < 0)
		return rc;
	request->watch = meter.watch;
	if (subject->list_name)
		rc = mxt_verify_list(request, subject->list, subject->list_place, request->datasets ? NULL : own_name,
				     ret_report, err);
	else
		rc = mxt_verify(request, ret_report, err);
	return mxt_hash_meter_end(&meter, rc, err);
}

static int verify_and_tell(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_verify_subject *subject,
			   struct mxt_verify_request *request, struct mxt_error *err)
{
	MXT_CLEANUP_VERIFY_REPORT struct mxt_verify_report report = MXT_VERIFY_REPORT_INIT;
	subject->request = request;
	int rc = verify(cli, subject, request, &report, err);
	if (rc == 0)
		rc = mxt_args_has(args, "json") ? mxt_verify_print_json(cli->out, subject, &report, err)
						: mxt_verify_print_text(cli->out, subject, &report, err);
	return rc < 0 ? rc : mxt_verify_verdict(subject, &report, err);
}

/* The bytes that are parsed are those whose signature is looked at. */
static int read_manifest(const struct mxt_cli *cli, const char *path, const char *key,
			 struct mxt_manifest **ret_manifest, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf signature = MXT_BUF_INIT;
	mxt_buf_printf(&signature, "%s" MXT_SIGNATURE_SUFFIX, path);
	int rc = mxt_input_refine(mxt_file_read(path, MXT_MANIFEST_MAX_BYTES, &text, err), err);
	if (rc == 0)
		rc = mxt_buf_status(&signature, err);
	if (rc == 0 && key)
		rc = mxt_signature_check(signature.data, mxt_buf_text(&text), text.len, key, cli->environment, err);
	return rc < 0 ? rc : mxt_manifest_parse(path, mxt_buf_text(&text), text.len, ret_manifest, err);
}

static int verify_manifest(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_verify_request *request,
			   struct mxt_error *err)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	struct mxt_verify_subject subject = {.signed_by = mxt_args_get(args, "signed-by")};
	int rc = mxt_manifest_operand(args->operands[0], &path, &folder, err);
	if (rc == 0)
		rc = read_manifest(cli, path.data, subject.signed_by, &manifest, err);
	if (rc < 0)
		return rc;
	request->manifest = manifest;
	request->run_folder = folder.data;
	return verify_and_tell(cli, args, &subject, request, err);
}

static int check_list_options(const struct mxt_args *args, const struct mxt_verify_request *request,
			      struct mxt_error *err)
{
	static const char *const others[] = {"plan", "checkpoint", "signed-by"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(others); i++)
		if (mxt_args_has(args, others[i]))
			return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "verify takes no --%s for a list of files",
					     others[i]);
	if (request->datasets && request->datasets[1])
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "the files of a list lie in one place: --dataset once");
	return 0;
}

static int verify_list(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_verify_request *request,
		       struct mxt_error *err)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	const char *name = args->operands[0];
	int rc = check_list_options(args, request, err);
	(void)mxt_operand_folder(name, &folder);
	if (rc == 0)
		rc = mxt_buf_status(&folder, err);
	if (rc == 0)
		rc = mxt_input_refine(mxt_file_read(name, MXT_MANIFEST_MAX_BYTES, &text, err), err);
	if (rc == 0)
		rc = mxt_b3_list_read(name, mxt_buf_text(&text), text.len, &list, err);
	if (rc < 0)
		return rc;
	struct mxt_verify_subject subject = {
	    .list_name = name,
	    .list = &list,
	    .list_place = request->datasets ? request->datasets[0] : folder.data,
	};
	return verify_and_tell(cli, args, &subject, request, err);
}

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	MXT_CLEANUP(call_finish) struct call call = {.datasets = NULL};
	if (mxt_args_has(args, "same-result"))
		return mxt_verify_same_result(cli, args, err);
	if (args->n_operands != 1)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "verify takes the folder of one run, its manifest, or a list: mindxtrain verify "
				     "RUN_DIR");
	int rc = read_call(cli, args, &call, err);
	if (rc < 0)
		return rc;
	return mxt_has_suffix(args->operands[0], ".b3") ? verify_list(cli, args, &call.request, err)
							: verify_manifest(cli, args, &call.request, err);
}

const struct mxt_command mxt_cmd_verify = {
    .name = "verify",
    .summary = "hold a run's files against its manifest",
    .synopsis = "RUN_DIR|MANIFEST|LIST.b3 [OPTIONS]",
    .options = options,
    .n_options = MXT_ARRAY_LEN(options),
    .run = run,
};
