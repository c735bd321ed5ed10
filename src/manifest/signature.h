/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of manifests: those of OpenSSH (PROTOCOL.sshsig), made and checked by ssh-keygen(1), in manifest.json.sig.
 * The namespace is "mindxtrain.manifest/1", so that a signature for another purpose is none for a manifest.
 *
 * `environment` is the caller's: its PATH leads to ssh-keygen, its SSH_AUTH_SOCK to an agent. Where ssh-keygen is
 * missing, older than OpenSSH 8.2, or fails for reasons of its own, the id is MXT_E_SIGN_TOOL. Call from the main
 * thread only.
 */
#ifndef MXT_MANIFEST_SIGNATURE_H
#define MXT_MANIFEST_SIGNATURE_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;

#define MXT_SIGNATURE_NAMESPACE "mindxtrain.manifest/1"
#define MXT_SIGNATURE_SUFFIX    ".sig" /* what is added to the path of the manifest */

/*
 * Signs these bytes with a private key, or with a public one whose private half an agent holds, and replaces
 * `signature_path` in one piece, where that is a link the link itself. A passphrase is asked for on our terminal, when
 * standard input is one and we are in its foreground, and nowhere else; MXT_E_CANCELLED when that is interrupted, or
 * `cancel_fd` (-1: none) becomes readable.
 */
int mxt_signature_make(const char *signature_path, const void *bytes, size_t len, const char *key,
		       char *const *environment, int cancel_fd, struct mxt_error *err) MXT_WUR;

/*
 * 0: the file `signature_path` is a signature over exactly these bytes by the owner of `key`. That is a file of public
 * keys, as in id_ed25519.pub, of which one must have signed, or an allowed_signers file (ssh-keygen(1)), whose limits
 * of time and namespace hold. MXT_E_SIGNATURE: it is not, or there is none. MXT_E_SIGNER_KEY: `key` is no such file.
 */
int mxt_signature_check(const char *signature_path, const void *bytes, size_t len, const char *key,
			char *const *environment, struct mxt_error *err) MXT_WUR;

#endif
