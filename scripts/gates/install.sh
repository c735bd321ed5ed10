#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/gates/install.sh BUILD
#
# Installs into an empty folder and looks at what arrived: the program runs from there, every man page is there, the
# stripped program is at most 1.5 MB, and a C and a C++ program build against the installed library.
set -euo pipefail

build=$1
max_stripped_bytes=1500000
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

DESTDIR=$root meson install -C "$build" --no-rebuild --quiet
prefix=$root$(meson introspect --buildoptions "$build" | jq -r '.[] | select(.name == "prefix").value')

fail() {
	echo "$*" >&2
	exit 1
}

"$prefix/bin/mindxtrain" --version
for page in docs/man/*.1; do
	compgen -G "$prefix/share/man/man1/${page##*/}*" >/dev/null || fail "$page is not installed"
done

strip -o "$root/stripped" "$prefix/bin/mindxtrain"
size=$(stat -c %s "$root/stripped")
echo "stripped program: $size bytes"
[ "$size" -le "$max_stripped_bytes" ] || fail "more than $max_stripped_bytes bytes"

pc=$(find "$prefix" -name mindxtrain.pc)
if [ -z "$pc" ]; then
	[ ! -d include/mindxtrain ] || [ -z "$(git ls-files include)" ] || fail "no mindxtrain.pc is installed"
	exit 0
fi
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$root
headers=$(cd include && git ls-files '*.h' | sed 's/.*/#include <&>/')
for compiler in 'gcc -x c' 'g++ -x c++'; do
	# shellcheck disable=SC2046,SC2086 # both hold several words
	printf '%s\nint main(void) { return 0; }\n' "$headers" |
		$compiler -o "$root/program" - -x none $(pkg-config --cflags --libs mindxtrain)
done
