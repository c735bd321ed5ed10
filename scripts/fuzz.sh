#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: [FUZZ_SECONDS=60] scripts/fuzz.sh [TARGET...]
#
# Fuzzes every target (or the named ones) for FUZZ_SECONDS each, as many at once as there are processors, with the
# address and undefined-behaviour sanitizers on. Inputs that libFuzzer finds go to build-check/fuzz/corpus/TARGET, not
# into the tree; a crashing input goes to build-check/fuzz/crashes and makes the exit status 1.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60}
build="build-check/fuzz"
flags=(-Dfuzzer=true -Dtests=disabled -Dwerror=true -Dbuildtype=debugoptimized
	"-Db_sanitize=address,undefined" -Db_lundef=false)

scripts/setup.sh check
[ -f "$build/build.ninja" ] || CC=clang meson setup "$build" "${flags[@]}"
ninja -C "$build" >/dev/null
mkdir -p "$build/crashes"

# The address sanitizer's leak check runs at the end of a target; a single input may use 2 GiB and 10 s at most.
fuzz_one() {
	local target=$1 found=$build/corpus/$1 log=$build/$1.log rc=0
	mkdir -p "$found"
	"$build/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$build/crashes/$target-" "$found" "fuzz/corpus/$target" >"$log" 2>&1 || rc=$?
	printf '%-16s %s: %s inputs in %s s, %s kept\n' "$target" "$([ "$rc" -eq 0 ] && echo ok || echo FAIL)" \
		"$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$seconds" \
		"$(find "$found" -type f | wc -l)"
	[ "$rc" -eq 0 ] || tail -n 30 "$log"
	return "$rc"
}
export -f fuzz_one
export seconds build

targets=("$@")
if [ "${#targets[@]}" -eq 0 ]; then
	mapfile -t targets < <(cd fuzz && printf '%s\n' fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')
fi
printf '%s\0' "${targets[@]}" | xargs -0 -P "$(nproc)" -I TARGET bash -c 'fuzz_one TARGET'
