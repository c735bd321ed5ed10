/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signed statement: a bundle of sigstore (github.com/sigstore/protobuf-specs, sigstore_bundle.proto, version 0.3)
 * around a DSSE envelope (github.com/secure-systems-lab/dsse, protocol.md), as `model_signing verify key` reads it.
 */
#ifndef MXT_MANIFEST_SIGSTORE_BUNDLE_H
#define MXT_MANIFEST_SIGSTORE_BUNDLE_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;

/* `key_path`: see mxt_ec_key_read(). The payload is the statement's canonical form. New reference. */
int mxt_sigstore_bundle(const json_t *statement, const char *key_path, json_t **ret_bundle,
			struct mxt_error *err) MXT_WUR;

/* 0: the key is one that a bundle can be signed with. */
int mxt_sigstore_check_key(const char *key_path, struct mxt_error *err) MXT_WUR;

#endif
