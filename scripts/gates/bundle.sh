#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/gates/bundle.sh ARCHIVE
#
# Unpacks what scripts/bundle.sh made into another folder and uses it there, with an empty environment, and where the
# kernel lets us without the system's copies of the libraries that it carries.
set -euo pipefail

archive=$1
system_libraries='^\s*(linux-vdso|.*/ld-linux-[^ ]*|lib(c|m|dl|rt|pthread|gcc_s))\.so\.'
scenario=$PWD/tests/fixtures/scenarios/clear_winner.json
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/some where"
tar -xf "$archive" -C "$folder/some where"
root=$(echo "$folder/some where/"*)

fail() {
	echo "$*" >&2
	exit 1
}

# Every library comes from the bundle, or is one of the C library's.
for program in bin/mindxtrain bench/exhaustive bench/torch_times; do
	env -i LD_TRACE_LOADED_OBJECTS=1 "$root/$program" >"$folder/trace"
	cat "$folder/trace"
	strangers=$(grep -vF " => $root/${program%/*}/../lib/" "$folder/trace" | grep -Ev "$system_libraries" || true)
	[ -z "$strangers" ] || fail "$program takes from elsewhere: $strangers"
done
nm "$root/bin/mindxtrain" 2>&1 | grep -q 'no symbols' || fail "the program is not stripped"

# One per library at least: BLAKE3 is linked in.
licences=$(find "$root/share/doc/mindxtrain/licences" -name copyright | wc -l)
[ "$licences" -gt "$(find "$root/lib" -type f | wc -l)" ] || fail "$licences licences are too few"
for file in share/man/man1/mindxtrain.1 share/mindxtrain/plan.schema.json share/bash-completion/completions/mindxtrain; do
	[ -s "$root/$file" ] || fail "$file is not there"
done

# Mounts an empty file over each of the system's copies, so that only the bundle's are left.
cat >"$folder/hidden.sh" <<-'END'
	set -eu
	for library in "$1"/lib/*; do
		for path in /lib/*/"${library##*/}" /usr/lib*/"${library##*/}"; do
			[ ! -e "$path" ] || mount --bind /dev/null "$(realpath "$path")"
		done
	done
	shift
	exec "$@"
END
as_elsewhere=()
if unshare --user --map-root-user --mount true 2>/dev/null; then
	as_elsewhere=(unshare --user --map-root-user --mount sh "$folder/hidden.sh" "$root")
else
	echo "no namespaces here: the system's libraries stay in sight"
fi

cd "$folder"
run() {
	"${as_elsewhere[@]}" env -i "$@"
}
run "$root/bin/mindxtrain" --version
rc=0
run "$root/bin/mindxtrain" doctor || rc=$?
[ "$rc" -eq 0 ] || [ "$rc" -eq 4 ] || fail "doctor: exit status $rc" # 4: it found something that is wrong here
run MINDXTRAIN_FAKE_SCENARIO="$scenario" "$root/bin/mindxtrain" autotune --device fake --model instella-3b --budget 60 \
	--out plan.json 2>&1 | tail -n 3
run MINDXTRAIN_FAKE_SCENARIO="$scenario" "$root/bin/mindxtrain" plan check --allow-simulated plan.json
