#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: [FUZZ_SECONDS=1800] scripts/check-full.sh [GATE...]
#
# What `make check-full` runs before a release: the gates of `make check`, then the slow ones; or the named ones.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C.UTF-8

. scripts/gates/runner.sh
. scripts/gates/gates.sh
. scripts/gates/full_gates.sh

if [ $# -eq 0 ]; then
	set -- "${quick_gates[@]}" "${full_gates[@]}"
fi
run_gates "$@"
