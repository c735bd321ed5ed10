# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs gates: a gate is a function gate_NAME (dashes in NAME are underscores in the function), silent or not, that
# returns 0 when it passed and 77 when it was skipped. A gate that runs tests adds their numbers with count_tests.

logs=build-check/logs
passed=0 failed=0 skipped=0
failures=()

# Adds test cases: passed, failed, skipped. Gates run in a subshell, so the numbers go through a file.
count_tests() {
	echo "$1 $2 $3" >>"$logs/counts"
}

seconds_since() {
	local now=${EPOCHREALTIME/[.,]/}
	printf '%d.%d' $(((now - $1) / 1000000)) $(((now - $1) / 100000 % 10))
}

run_gate() {
	local name=$1 log=$logs/$1.log start=${EPOCHREALTIME/[.,]/} word
	("gate_${name//-/_}") >"$log" 2>&1 </dev/null
	case $? in
	0) word=pass && passed=$((passed + 1)) ;;
	77) word=skip && skipped=$((skipped + 1)) ;;
	*) word=FAIL && failed=$((failed + 1)) && failures+=("$name") ;;
	esac
	printf '%s  %-14s %8s s' "$word" "$name" "$(seconds_since "$start")"
	if [ "$word" = skip ]; then
		printf '  %s' "$(tail -n 1 "$log")"
	fi
	printf '\n'
	if [ "$word" = FAIL ]; then
		tail -n "${MXT_CHECK_LINES:-60}" "$log" | sed 's/^/    /'
	fi
}

run_gates() {
	local name p f s
	mkdir -p "$logs" && : >"$logs/counts" || exit 1
	for name; do
		if ! declare -F "gate_${name//-/_}" >/dev/null; then
			echo "no gate is called $name" >&2
			exit 2
		fi
	done
	for name; do
		run_gate "$name"
	done
	while read -r p f s; do
		passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	done <"$logs/counts"
	if [ "${#failures[@]}" -gt 0 ]; then
		echo "failed: ${failures[*]} (logs: $logs)"
	fi
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}
