/* SPDX-License-Identifier: Apache-2.0 */
#include "signature.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "affix.h"
#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "error.h"
#include "file.h"
#include "input_file.h"
#include "ssh_keygen.h"

#define MAX_SIGNATURE  ((size_t)64 << 10)
#define MAX_KEYS       ((size_t)1 << 20)
#define MAX_PRINCIPALS 64
#define OURS           "mindxtrain" /* the name that public keys without one get */

/* ---- making ---- */

/*
 * ssh-keygen asks for a passphrase only where its standard input is a terminal, so it cannot read there what it signs;
 * and it writes beside what it signs. So that is a link, in a folder of its own, to the bytes in memory.
 */
struct place {
	struct mxt_buf folder, link, signature; /* paths */
	bool made;
};

static void place_finish(struct place *place)
{
	if (place->made) {
		(void)unlink(mxt_buf_text(&place->signature));
		(void)unlink(mxt_buf_text(&place->link));
		(void)rmdir(mxt_buf_text(&place->folder));
	}
	mxt_buf_finish(&place->folder);
	mxt_buf_finish(&place->link);
	mxt_buf_finish(&place->signature);
}

static int place_make(struct place *place, char *const *environment, struct mxt_error *err)
{
	const char *parent = mxt_environ_get(environment, "TMPDIR");
	mxt_buf_printf(&place->folder, "%s/mindxtrain-XXXXXX", parent && *parent == '/' ? parent : "/tmp");
	int rc = mxt_buf_status(&place->folder, err);
	if (rc < 0)
		return rc;
	if (!mkdtemp(place->folder.data))
		return mxt_error_errno(err, errno, "cannot make the folder %s", place->folder.data);
	place->made = true;
	mxt_buf_printf(&place->link, "%s/manifest", place->folder.data);
	mxt_buf_printf(&place->signature, "%s/manifest.sig", place->folder.data);
	rc = mxt_buf_status(place->link.failed ? &place->link : &place->signature, err);
	if (rc == 0 && symlink(MXT_SSH_KEYGEN_EXTRA, place->link.data) < 0)
		rc = mxt_error_errno(err, errno, "cannot make the link %s", place->link.data);
	return rc;
}

/* What belongs to the terminal is asked for only by those in its foreground: others are stopped. */
static bool may_ask(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static int sign(const struct place *place, int bytes_fd, const char *key, char *const *environment, int cancel_fd,
		struct mxt_error *err)
{
	const char *const argv[] = {"ssh-keygen",     "-Y", "sign", "-f", key, "-n", MXT_SIGNATURE_NAMESPACE,
				    place->link.data, NULL};
	MXT_CLEANUP_BUF struct mxt_buf output = MXT_BUF_INIT;
	bool asks = may_ask();
	const struct mxt_ssh_keygen run = {.argv = argv,
					   .environment = environment,
					   .input_fd = asks ? STDIN_FILENO : -1,
					   .extra_fd = bytes_fd,
					   .cancel_fd = cancel_fd,
					   .takes_terminal = asks};
	int rc = mxt_ssh_keygen_run(&run, &output, err);
	if (rc != -EREMOTEIO)
		return rc;
	return mxt_error_set(
	    err, -EACCES, MXT_E_SIGNER_KEY,
	    "cannot sign with %s: %s; it must be a private key, or a public one of a key that an agent "
	    "holds (ssh-add); a passphrase is asked for at a terminal only",
	    key, mxt_error_text(err));
}

/* What ssh-keygen wrote: it may end well without. */
static int take_signature(const struct place *place, struct mxt_buf *signature, struct mxt_error *err)
{
	static const char start[] = "-----BEGIN SSH SIGNATURE-----\n";
	int rc = mxt_file_read_no_link(place->signature.data, MAX_SIGNATURE, signature, err);
	if (rc == -ENOMEM || (rc == 0 && strncmp(mxt_buf_text(signature), start, sizeof start - 1) == 0))
		return rc;
	return mxt_error_set(err, -EPROTO, MXT_E_SIGN_TOOL, "ssh-keygen ended well, but what it wrote is no signature");
}

int mxt_signature_make(const char *signature_path, const void *bytes, size_t len, const char *key,
		       char *const *environment, int cancel_fd, struct mxt_error *err)
{
	MXT_CLEANUP(place_finish) struct place place = {MXT_BUF_INIT, MXT_BUF_INIT, MXT_BUF_INIT, false};
	MXT_CLEANUP_BUF struct mxt_buf signature = MXT_BUF_INIT;
	MXT_CLEANUP_CLOSE int bytes_fd = -1;
	mxt_file_drop_link(signature_path); /* what ran may have left one to a file of somebody else */
	int rc = mxt_file_check_writable(signature_path, err);
	if (rc == 0)
		rc = mxt_ssh_keygen_memory(bytes, len, &bytes_fd, err);
	if (rc == 0)
		rc = place_make(&place, environment, err);
	if (rc == 0)
		rc = sign(&place, bytes_fd, key, environment, cancel_fd, err);
	if (rc == 0)
		rc = take_signature(&place, &signature, err);
	return rc < 0 ? rc : mxt_file_replace(signature_path, signature.data, signature.len, err);
}

/* ---- who may have signed ---- */

struct signers {
	const char *file;       /* for messages */
	struct mxt_buf allowed; /* what ssh-keygen reads */
	bool named;             /* the file has names of its own */
};

static void signers_finish(struct signers *signers)
{
	mxt_buf_finish(&signers->allowed);
}

static bool is_key_type(const char *word)
{
	static const char *const starts[] = {"ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(starts); i++)
		if (mxt_has_prefix(word, starts[i]))
			return true;
	return false;
}

static bool is_text_line(const char *line, size_t len)
{
	size_t blank = strspn(line, " \t\r");
	return blank < len && line[blank] != '#';
}

/* Adds the keys of a file that holds public keys and nothing else; false: it holds something else. */
static bool add_public_keys(const char *text, struct mxt_buf *allowed)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		if (is_text_line(text, len)) {
			const char *word = text + strspn(text, " \t");
			if (!is_key_type(word))
				return false;
			mxt_buf_printf(allowed, OURS " %.*s\n", (int)(len - (size_t)(word - text)), word);
		}
		text += len + (text[len] == '\n');
	}
	return allowed->len > 0;
}

static int signers_read(struct signers *signers, const char *file, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	signers->file = file;
	int rc = mxt_input_refine(mxt_file_read(file, MAX_KEYS, &text, err), err);
	if (rc < 0)
		return rc;
	if (text.len == 0 || strlen(text.data) != text.len || strstr(text.data, "-----BEGIN"))
		return mxt_error_set(
		    err, -EINVAL, MXT_E_SIGNER_KEY,
		    "%s is no public key and no allowed_signers file; a public key's file ends in .pub", file);
	signers->named = !add_public_keys(text.data, &signers->allowed);
	if (signers->named) {
		mxt_buf_truncate(&signers->allowed, 0);
		mxt_buf_append(&signers->allowed, text.data, text.len);
	}
	return mxt_buf_status(&signers->allowed, err);
}

/* ---- checking ---- */

struct check {
	const char *signature_path;
	char *const *environment;
	const struct signers *signers;
	int bytes_fd, allowed_fd;
};

static int refuse(const struct check *check, struct mxt_error *err)
{
	return mxt_error_set(err, -EBADMSG, MXT_E_SIGNATURE,
			     "%s is no signature over this manifest by a key of %s (%s)", check->signature_path,
			     check->signers->file, mxt_error_text(err));
}

static int verify_as(const struct check *check, const char *principal, struct mxt_error *err)
{
	const char *const argv[] = {"ssh-keygen",
				    "-Y",
				    "verify",
				    "-f",
				    MXT_SSH_KEYGEN_EXTRA,
				    "-n",
				    MXT_SIGNATURE_NAMESPACE,
				    "-I",
				    principal,
				    "-s",
				    check->signature_path,
				    NULL};
	const struct mxt_ssh_keygen run = {.argv = argv,
					   .environment = check->environment,
					   .input_fd = check->bytes_fd,
					   .extra_fd = check->allowed_fd,
					   .cancel_fd = -1};
	MXT_CLEANUP_BUF struct mxt_buf output = MXT_BUF_INIT;
	if (lseek(check->bytes_fd, 0, SEEK_SET) < 0)
		return mxt_error_errno(err, errno, "cannot go back in a file in memory");
	int rc = mxt_ssh_keygen_run(&run, &output, err);
	return rc == -EREMOTEIO ? refuse(check, err) : rc;
}

/* Those whom the file gives the key that signed: whether it signed these bytes is not looked at. */
static int find_principals(const struct check *check, struct mxt_buf *principals, struct mxt_error *err)
{
	const char *const argv[] = {"ssh-keygen",         "-Y", "find-principals",     "-f",
				    MXT_SSH_KEYGEN_EXTRA, "-s", check->signature_path, NULL};
	const struct mxt_ssh_keygen run = {.argv = argv,
					   .environment = check->environment,
					   .input_fd = -1,
					   .extra_fd = check->allowed_fd,
					   .cancel_fd = -1};
	int rc = mxt_ssh_keygen_run(&run, principals, err);
	return rc == -EREMOTEIO ? refuse(check, err) : rc;
}

/* As one of those after the other, until one is right. */
static int verify_as_any(const struct check *check, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf principals = MXT_BUF_INIT;
	int rc = find_principals(check, &principals, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	rc = mxt_error_set(&why, -EBADMSG, MXT_E_SIGNATURE, "%s names nobody", check->signers->file);
	char *rest = principals.data, *principal;
	for (int i = 0; i < MAX_PRINCIPALS && rc == -EBADMSG && (principal = strsep(&rest, ",\n")) != NULL; i++)
		if (*principal != '\0')
			rc = verify_as(check, principal, &why);
	if (rc < 0)
		mxt_error_move(err, &why);
	return rc;
}

static int require_signature(const char *path, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return mxt_error_set(err, -ENOENT, MXT_E_SIGNATURE,
				     "the manifest is not signed: there is no %s; whoever ran it makes one with "
				     "'mindxtrain manifest sign RUN_DIR --key KEY'",
				     path);
	return mxt_file_read(path, MAX_SIGNATURE, &text, err);
}

int mxt_signature_check(const char *signature_path, const void *bytes, size_t len, const char *key,
			char *const *environment, struct mxt_error *err)
{
	MXT_CLEANUP(signers_finish) struct signers signers = {.allowed = MXT_BUF_INIT};
	MXT_CLEANUP_CLOSE int bytes_fd = -1;
	MXT_CLEANUP_CLOSE int allowed_fd = -1;
	int rc = signers_read(&signers, key, err);
	if (rc == 0)
		rc = require_signature(signature_path, err);
	if (rc == 0)
		rc = mxt_ssh_keygen_memory(bytes, len, &bytes_fd, err);
	if (rc == 0)
		rc = mxt_ssh_keygen_memory(signers.allowed.data, signers.allowed.len, &allowed_fd, err);
	if (rc < 0)
		return rc;
	const struct check check = {signature_path, environment, &signers, bytes_fd, allowed_fd};
	return signers.named ? verify_as_any(&check, err) : verify_as(&check, OURS, err);
}
