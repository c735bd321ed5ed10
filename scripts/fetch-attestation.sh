#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/fetch-attestation.sh [--where | --list]
#
# Fetches a Python with the packages that read what `mindxtrain manifest export` writes, for the tests that ask them: a
# virtual environment of the Python that is here with in-toto-attestation and model-signing, from the Python index, with
# pip. --where prints its folder, --list the packages.
#   CACHE/model-signing-VERSION/{bin/python3,pyvenv.cfg,lib/...}
# CACHE is the one of fetch-torch.sh. It takes 50 MB there.
#
# The folder appears when it is whole and its packages were imported once. Other pins make another one, under the same
# name. Exit status 77, after one line that says why: nothing can be fetched here.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=cache_lock.sh
. "$scripts/cache_lock.sh"
# shellcheck source-path=SCRIPTDIR source=python_tree.sh
. "$scripts/python_tree.sh"
me=fetch-attestation

# With all that they import. model-signing imports OpenSSL (pyOpenSSL) without naming it among what it needs.
packages() {
	cat <<-'END'
		annotated-types==0.8.0
		blake3==1.0.11
		certifi==2026.10.19.post1
		cffi==2.1.1
		charset-normalizer==3.5.3
		click==8.5.1
		cryptography==50.0.2
		id==1.6.1
		idna==3.20
		in-toto-attestation==0.9.3
		model-signing==1.1.1
		platformdirs==4.14.9
		protobuf==7.36.2
		pydantic==2.14.4
		pydantic_core==2.50.5
		PyJWT==2.15.1
		pyOpenSSL==26.4.0
		requests==2.34.2
		rfc3161-client==1.0.9
		rfc8785==0.1.4
		securesystemslib==1.6.0
		sigstore==4.5.1
		sigstore-models==0.0.6
		sigstore-rekor-types==0.0.18
		tuf==7.0.1
		typing-inspection==0.4.5
		typing_extensions==4.16.0
		urllib3==2.8.0
	END
}

# shellcheck disable=SC2034 # of python_tree.sh
sources=:none:

# What the tests do with it.
# shellcheck disable=SC2034 # of python_tree.sh
try='
import in_toto_attestation.v1.statement, model_signing._cli, model_signing.signing, model_signing.verifying
'

fill() { :; }

cache=$("$scripts/fetch-torch.sh" --where)
answer_or_make "${1:-}" "$cache/model-signing-$(packages | sed -n 's/^model-signing==//p')"
