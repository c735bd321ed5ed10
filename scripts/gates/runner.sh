# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs gates: a gate is a function gate_NAME (dashes in NAME are underscores in the function), silent or not, that
# returns 0 when it passed and 77 when it was skipped. A gate that runs tests adds their numbers with count_tests.
#
# run_gates NAME... [-- NAME... [-- NAME...]]: what stands between two "--" runs beside what follows.

logs=build-check/logs
passed=0 failed=0 skipped=0
failures=()
beside='' # the process group of what runs beside, if any

# Adds test cases: passed, failed, skipped. Gates run in a subshell, so the numbers go through a file.
count_tests() {
	echo "$1 $2 $3" >>"$logs/counts"
}

seconds_since() {
	local now=${EPOCHREALTIME/[.,]/}
	printf '%d.%d' $(((now - $1) / 1000000)) $(((now - $1) / 100000 % 10))
}

# Runs a gate and says what came of it, also in a file of its own.
run_gate() {
	local name=$1 log=$logs/$1.log start=${EPOCHREALTIME/[.,]/} word
	("gate_${name//-/_}") >"$log" 2>&1 </dev/null
	case $? in
	0) word=pass ;;
	77) word=skip ;;
	*) word=FAIL ;;
	esac
	printf '%s  %-14s %8s s' "$word" "$name" "$(seconds_since "$start")"
	if [ "$word" = skip ]; then
		printf '  %s' "$(tail -n 1 "$log")"
	fi
	printf '\n'
	if [ "$word" = FAIL ]; then
		tail -n "${MXT_CHECK_LINES:-60}" "$log" | sed 's/^/    /'
	fi
	echo "$word" >"$logs/$name.word"
}

# Runs gates one after the other with what the gates in front leave of the processors. They have a process group, so
# that all of it can be ended.
start_beside() {
	local name
	set -m
	(
		renice -n 10 "$BASHPID" >/dev/null
		for name; do
			run_gate "$name"
		done
	) >"$logs/beside" 2>&1 &
	beside=$!
	set +m
	trap 'kill -- "-$beside" 2>/dev/null' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

wait_beside() {
	[ -n "$beside" ] || return 0
	wait "$beside"
	trap - EXIT
	cat "$logs/beside"
}

count_gate() {
	case $(cat "$logs/$1.word") in
	pass) passed=$((passed + 1)) ;;
	skip) skipped=$((skipped + 1)) ;;
	*) failed=$((failed + 1)) && failures+=("$1") ;;
	esac
}

# Sorts names into the arrays of run_gates.
sort_gates() {
	local name place=0
	for name; do
		if [ "$name" = -- ]; then
			place=$((place + 1))
		elif ! declare -F "gate_${name//-/_}" >/dev/null; then
			echo "no gate is called $name" >&2
			exit 2
		elif [ "$place" -eq 0 ]; then
			first_gates+=("$name")
		elif [ "$place" -eq 1 ]; then
			beside_gates+=("$name")
		else
			last_gates+=("$name")
		fi
	done
}

run_gates() {
	local name p f s first_gates=() beside_gates=() last_gates=()
	mkdir -p "$logs" && rm -f "$logs"/*.word && : >"$logs/counts" || exit 1
	sort_gates "$@"
	for name in "${first_gates[@]}"; do
		run_gate "$name"
	done
	[ "${#beside_gates[@]}" -eq 0 ] || start_beside "${beside_gates[@]}"
	for name in "${last_gates[@]}"; do
		run_gate "$name"
	done
	wait_beside
	for name in "${first_gates[@]}" "${beside_gates[@]}" "${last_gates[@]}"; do
		count_gate "$name"
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
