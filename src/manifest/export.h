/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A manifest in the forms of others. Files are read again for their SHA-256, and their BLAKE3 must still be the
 * manifest's.
 */
#ifndef MXT_MANIFEST_EXPORT_H
#define MXT_MANIFEST_EXPORT_H

#include <jansson.h>

#include "compiler.h"
#include "verify.h"

struct mxt_error;

/*
 * in-toto Statement v1 (github.com/in-toto/attestation, spec/v1), predicate type
 * https://.../manifest/v1 of docs/manifest.md: each file is a subject. New reference.
 */
int mxt_export_in_toto(const struct mxt_verify_request *where, json_t **ret_statement, struct mxt_error *err) MXT_WUR;

/*
 * The Statement of OpenSSF model-signing (github.com/sigstore/model-transparency) for the checkpoint. New reference.
 */
int mxt_export_model_signing(const struct mxt_verify_request *where, json_t **ret_statement,
			     struct mxt_error *err) MXT_WUR;

#endif
