#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/bundle.sh [FOLDER]
#
# Packs the program for machines that have no packages of its libraries: FOLDER/mindxtrain-VERSION-MACHINE.tar.gz
# (default: build-bundle). It holds bin/, every library of it but the C library's own in lib/, manual pages, completion
# and the plan's schema in share/, the licences of what is carried, and bench/. It runs from any folder, on any Linux
# with the C library that the last line names, or a newer one.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8

# What is linked against symbols of a newer C library than this one is not packed (RHEL 9 has 2.34, Ubuntu 22.04 2.35).
max_glibc=2.34
# The C library and the compiler's runtime come from the machine.
system_libraries='^(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s))\.so(\.|$)'
build="build-bundle"
out=${1:-$build}

fail() {
	echo "bundle: $*" >&2
	exit 1
}

# Prints "NAME PATH" for each library to carry.
libraries() {
	ldd "$1" | awk '$2 == "=>" { print $1, $3 }' | grep -Ev "$system_libraries"
}

# Prints the file that tells the licence of the Debian package that installed the file $1. /lib and /usr/lib are one
# folder; the package list has either name.
licence_of() {
	local path package
	for path in "$1" "$(realpath "$1")" "/usr$1" "/usr$(realpath "$1")" "$(realpath "$1" | sed 's,^/usr,,')"; do
		package=$(dpkg -S "$path" 2>/dev/null | sed 's/[:,].*//; q') || continue
		if [ -f "/usr/share/doc/$package/copyright" ]; then
			echo "/usr/share/doc/$package/copyright"
			return
		fi
	done
	fail "no licence text of $1: it was not installed by a Debian package"
}

# carry_licence FOLDER FILE: in a folder named like the package, with the common licences that the text refers to.
carry_licence() {
	local text package common
	text=$(licence_of "$2")
	package=$(basename "$(dirname "$text")")
	install -D -m 644 "$text" "$1/licences/$package/copyright"
	{ grep -o '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$text" || true; } | while read -r common; do
		install -D -m 644 "$common" "$1/licences/common/${common##*/}"
	done
}

# Prints the newest version of the C library whose symbols the files need.
needed_glibc() {
	objdump -T "$@" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 | sed 's/GLIBC_//'
}

scripts/setup.sh build
options=(-Dbundle=true -Dtests=disabled -Dprefix=/ -Dlibdir=lib -Dbuildtype=release)
if [ -f "$build/build.ninja" ]; then
	meson configure "$build" "${options[@]}"
else
	meson setup "$build" "${options[@]}"
fi >/dev/null
ninja -C "$build" >"$build/ninja.log" || {
	tail -n 30 "$build/ninja.log"
	exit 1
}

version=$("$build/src/cli/mindxtrain" --version | awk '{ print $2 }')
name=mindxtrain-$version-$(uname -m)
root=$build/$name
rm -rf "$root"
DESTDIR=$PWD/$root meson install -C "$build" --no-rebuild --quiet
rm -r "${root:?}/include" "${root:?}/lib" # of the C API, which nothing here uses
mkdir -p "$root/lib" "$root/bench" "$root/share/doc/mindxtrain"
docs=$root/share/doc/mindxtrain

cp "$build/bench/exhaustive" "$build/bench/launch_check" "$build/bench/torch_times" bench/{figures,fidelity,real_step,varying,coverage,attention_in_training}.py \
	bench/{gpu,gpu_jobs}.sh "$root/bench"
cp -r examples "$root/examples"
cp LICENSE README.md NEWS.md "$docs"
while read -r library path; do
	cp -L "$path" "$root/lib/$library"
	carry_licence "$docs" "$path"
done < <(libraries "$root/bin/mindxtrain")
# BLAKE3 is linked in, from its packaged sources; where it is a library, it was carried as one.
for path in /usr/share/cargo/registry/blake3-*/c/blake3.c; do
	[ ! -f "$path" ] || carry_licence "$docs" "$path"
done

programs=("$root/bin/mindxtrain" "$root/bench/exhaustive" "$root/bench/launch_check" "$root/bench/torch_times")
strip "${programs[@]}"
chmod 755 "${programs[@]}" "$root"/lib/*
glibc=$(needed_glibc "${programs[@]}" "$root"/lib/*)
newest=$(printf '%s\n' "$max_glibc" "$glibc" | sort -V | tail -n 1)
[ "$newest" = "$max_glibc" ] || fail "needs symbols of glibc $glibc; at most $max_glibc is wanted"

# The same tree gives the same archive: it is dated like the last commit, where there is one.
date=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y meson.build)}
mkdir -p "$out"
tar -C "$build" --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w --mtime="@$date" \
	-czf "$out/$name.tar.gz" "$name"
echo "libraries: $(cd "$root/lib" && echo *)"
echo "size: $(du -sb "$root" | cut -f 1) bytes, packed $(stat -c %s "$out/$name.tar.gz")"
echo "$out/$name.tar.gz needs glibc $glibc or newer (limit: $max_glibc)"
