#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/check.sh [GATE...]
#
# What `make check` runs: every gate, even after one has failed; or the named ones. Each gate is one line; its output
# is in build-check/logs/GATE.log, and is shown when it fails. The last line counts tests and gates.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C.UTF-8

. scripts/gates/runner.sh
. scripts/gates/gates.sh

if [ $# -eq 0 ]; then
	set -- "${quick_gates[@]}"
fi
run_gates "$@"
