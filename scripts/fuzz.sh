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
# A folder of an earlier day may have other options.
if [ -f "$build/build.ninja" ]; then
	meson configure "$build" "${flags[@]}"
else
	CC=clang meson setup "$build" "${flags[@]}"
fi
ninja -C "$build" >/dev/null

# Without counters in the code under test, libFuzzer guesses blindly and nothing else says so.
find "$build/src" -name 'libmxt-*.a' | while read -r library; do
	if ! objdump -h "$library" | grep __sancov_cntrs >/dev/null; then
		echo "fuzz: $library is not instrumented" >&2
		exit 1
	fi
done
mkdir -p "$build/crashes"

# The address sanitizer's leak check runs at the end of a target; a single input may use 2 GiB and 10 s at most.
fuzz_one() {
	local target=$1 found=$build/corpus/$1 log=$build/$1.log rc=0
	mkdir -p "$found"
	"$build/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$build/crashes/$target-" "$found" "fuzz/corpus/$target" >"$log" 2>&1 || rc=$?
	printf '%-16s %s: %s inputs in %s s, %s kept, %s of %s counters reached\n' "$target" \
		"$([ "$rc" -eq 0 ] && echo ok || echo FAIL)" \
		"$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$seconds" \
		"$(find "$found" -type f | wc -l)" "$(grep -o ' cov: [0-9]*' "$log" | tail -n 1 | tr -dc 0-9)" \
		"$(sed -n 's/.*(\([0-9]*\) inline 8-bit counters).*/\1/p' "$log" | head -n 1)"
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
