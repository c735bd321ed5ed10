/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mindxtrain manifest sign: a signature of OpenSSH beside the manifest.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "buf.h"
#include "clean_text.h"
#include "cleanup.h"
#include "command.h"
#include "error.h"
#include "exit_status.h"
#include "file.h"
#include "input_file.h"
#include "interrupt.h"
#include "json.h"
#include "manifest.h"
#include "manifest_operand.h"
#include "manifest_verbs.h"
#include "print_json.h"
#include "signature.h"

/* At a terminal the signal was for ssh-keygen, and nothing is there to be read. */
static int interrupted(int stop_fd, struct mxt_error *err)
{
	struct signalfd_siginfo info;
	int number = read(stop_fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : SIGINT;
	return mxt_error_set(err, mxt_interrupt_status(number), MXT_E_INTERRUPTED, "%s", mxt_error_text(err));
}

/* `path`: of the manifest. What is signed are the bytes that were found to be one. */
static int sign(struct mxt_cli *cli, const char *path, const char *key, const char *signature_path,
		struct mxt_manifest **ret_manifest, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_CLOSE int stop_fd = -1;
	int rc = mxt_input_refine(mxt_file_read(path, MXT_MANIFEST_MAX_BYTES, &text, err), err);
	if (rc == 0)
		rc = mxt_manifest_parse(path, mxt_buf_text(&text), text.len, ret_manifest, err);
	if (rc == 0)
		rc = mxt_interrupt_open(&stop_fd, err);
	if (rc == 0)
		rc = mxt_signature_make(signature_path, text.data, text.len, key, cli->environment, stop_fd, err);
	return rc == -ECANCELED ? interrupted(stop_fd, err) : rc;
}

static int print(struct mxt_cli *cli, bool as_json, const struct mxt_manifest *manifest, const char *signature_path,
		 struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	if (as_json)
		return mxt_print_json(cli->out,
				      json_pack("{s:s, s:i, s:s, s:o}", "event", "signed", "v", 1, "manifest_id",
						mxt_manifest_id(manifest), "signature",
						mxt_json_clean_text(signature_path, strlen(signature_path))),
				      err);
	mxt_buf_printf(&shown, "signed manifest %s\nsignature       ", mxt_manifest_id(manifest));
	mxt_clean_text(&shown, signature_path, strlen(signature_path));
	mxt_buf_putc(&shown, '\n');
	return mxt_print_buf(cli->out, &shown, err);
}

int mxt_manifest_sign_verb(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf signature_path = MXT_BUF_INIT;
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	const char *key = mxt_args_get(args, "key");
	if (!key)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "say with which key: mindxtrain manifest sign RUN_DIR --key ~/.ssh/id_ed25519");
	int rc = mxt_manifest_operand(args->operands[1], &path, &folder, err);
	if (rc < 0)
		return rc;
	mxt_buf_printf(&signature_path, "%s" MXT_SIGNATURE_SUFFIX, path.data);
	rc = mxt_buf_status(&signature_path, err);
	if (rc == 0)
		rc = sign(cli, path.data, key, signature_path.data, &manifest, err);
	return rc < 0 ? rc : print(cli, mxt_args_has(args, "json"), manifest, signature_path.data, err);
}
