/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A manifest in the forms of others. Files are read again for their SHA-256, and their BLAKE3 must still be the
 * manifest's (MXT_E_VERIFY_FAILED). Of the request, `manifest`, the places and `watch` are used; a plan is looked for
 * in the run's folder. MXT_E_EXPORT: the form cannot hold this manifest.
 */
#ifndef MXT_MANIFEST_EXPORT_H
#define MXT_MANIFEST_EXPORT_H

#include <jansson.h>

#include "compiler.h"
#include "verify.h"

struct mxt_error;

#define MXT_IN_TOTO_STATEMENT       "https://in-toto.io/Statement/v1"
#define MXT_EXPORT_PREDICATE        "https://mindxtrain/manifest/v1"
#define MXT_MODEL_SIGNING_PREDICATE "https://model_signing/signature/v1.0"

/*
 * in-toto Statement v1 (github.com/in-toto/attestation, spec/v1), predicate type MXT_EXPORT_PREDICATE of
 * docs/manifest.md: each file of each list is a subject. New reference.
 */
int mxt_export_in_toto(const struct mxt_verify_request *where, json_t **ret_statement, struct mxt_error *err) MXT_WUR;

/*
 * The Statement that OpenSSF model-signing signs (github.com/sigstore/model-transparency, src/model_signing,
 * Payload), for the checkpoint. New reference.
 */
int mxt_export_model_signing(const struct mxt_verify_request *where, json_t **ret_statement,
			     struct mxt_error *err) MXT_WUR;

#endif
