/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of manifests: those of OpenSSH (PROTOCOL.sshsig), made and checked by ssh-keygen(1), in manifest.json.sig.
 * The namespace is "mindxtrain.manifest/1", so that a signature for another purpose is none for a manifest.
 */
#ifndef MXT_MANIFEST_SIGNATURE_H
#define MXT_MANIFEST_SIGNATURE_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;

#define MXT_SIGNATURE_NAMESPACE "mindxtrain.manifest/1"

/*
 * Signs the file's bytes with a private key (or a public one whose private half an agent holds) and replaces
 * PATH.sig in one piece.
 */
int mxt_signature_make(const char *manifest_path, const char *key, char *const *environment,
		       struct mxt_error *err) MXT_WUR;

/*
 * 0: `signature_path` is a signature over exactly these bytes by the owner of `key`, a public key file or an
 * allowed_signers file. MXT_E_SIGNATURE: it is not, or there is none.
 */
int mxt_signature_check(const char *signature_path, const void *bytes, size_t len, const char *key,
			char *const *environment, struct mxt_error *err) MXT_WUR;

#endif
