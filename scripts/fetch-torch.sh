#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/fetch-torch.sh [--list | --where | VERSION...]
#
# Fetches what the tests need of real torches, all in the table below or the named ones, from the Python index, with
# pip: libtorch_cpu.so with the libraries that it needs, torch/version.py and the metadata; nothing that runs on a GPU,
# nothing of Python. Each becomes a folder that looks like a virtual environment (what --python takes):
#   CACHE/VERSION/{bin/python3,pyvenv.cfg,lib/python3.11/site-packages/...}
# CACHE is MXT_TORCH_CACHE, else mindxtrain/torch in XDG_CACHE_HOME, else in ~/.cache; --where prints it, --list prints
# the versions, oldest first. Two versions take 0.9 GB there, and 1 GB more while a wheel is unpacked.
#
# A folder appears when it is whole and its library has been loaded once. What is not whole is fetched again. Exit
# status 77, after one line that says why: nothing can be fetched here.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=cache_lock.sh
. "$scripts/cache_lock.sh"

# The oldest and the newest torch that is supported: version, machine, and the other packages with libraries that
# libtorch_cpu.so needs.
torches() {
	cat <<-'END'
		2.8.0  x86_64  nvidia-cuda-runtime-cu12==12.8.90 nvidia-cuda-cupti-cu12==12.8.90
		2.8.0  aarch64
		2.15.0 x86_64  nvidia-cuda-runtime==13.2.86 nvidia-cuda-cupti==13.2.86
		2.15.0 aarch64 nvidia-cuda-runtime==13.2.86 nvidia-cuda-cupti==13.2.86
	END
}

machine=$(uname -m)
cache=${MXT_TORCH_CACHE:-${XDG_CACHE_HOME:-${HOME:-/dev/null}/.cache}/mindxtrain/torch}

skip() {
	echo "fetch-torch: $*"
	exit 77
}

# The names of the versions that there are for this machine.
versions() {
	torches | while read -r version of_machine _; do
		[ "$of_machine" != "$machine" ] || echo "$version"
	done
}

# Prints a Python that has pip: the one on PATH need not be the one that the system installs pip for.
python_with_pip() {
	local python
	for python in python3 /usr/bin/python3; do
		if "$python" -m pip --version >/dev/null 2>&1; then
			echo "$python"
			return
		fi
	done
	return 1
}

# download FOLDER PACKAGE...: wheels for this machine, whatever Python is used. Each platform tag has to be named:
# pip knows that newer ones include older ones for the system that it runs on only.
download() {
	local folder=$1 glibc platforms=()
	shift
	for glibc in 2_28 2_27 2_26 2_25 2_24 2_17; do
		platforms+=(--platform "manylinux_${glibc}_$machine")
	done
	"$python" -m pip --quiet --no-input --no-cache-dir --disable-pip-version-check --retries 3 --timeout 20 download \
		--no-deps --only-binary=:all: --python-version 3.11 --implementation cp "${platforms[@]}" \
		--platform "manylinux2014_$machine" --dest "$folder" "$@" 2>"$folder/pip.log"
}

# fetch VERSION: called with the lock of the cache held.
fetch() {
	local version=$1 needs partial
	needs=$(torches | awk -v v="$version" -v m="$machine" '$1 == v && $2 == m { $1 = $2 = ""; print }')
	partial=$(mktemp -d "$cache/.partial.XXXXXX")
	mkdir "$partial/wheels"
	# shellcheck disable=SC2086 # several words
	download "$partial/wheels" "torch==$version" $needs ||
		skip "cannot fetch torch $version: $(grep -E '^ERROR' "$partial/wheels/pip.log" | head -n 1)"
	"$python" "$scripts/torch_tree.py" unpack "$partial/tree" "$partial"/wheels/*.whl
	rm -rf "$partial/wheels"
	[ ! -e "$cache/$version" ] || mv -T "$cache/$version" "$partial/old"
	mv -T "$partial/tree" "$cache/$version"
	rm -rf "$partial"
	echo "fetch-torch: $cache/$version"
}

mapfile -t known < <(versions)
case ${1:-} in
--list)
	versions
	exit
	;;
--where)
	echo "$cache"
	exit
	;;
esac
for version; do
	case " ${known[*]} " in
	*" $version "*) ;;
	*)
		echo "fetch-torch: $version is not one of: ${known[*]}" >&2
		exit 2
		;;
	esac
done
[ $# -gt 0 ] || set -- "${known[@]}"
[ $# -gt 0 ] || skip "no torch is known for $machine"
python=$(python_with_pip) || skip "no Python with pip (Debian's python3-pip)"
lock_cache "$cache"
for version; do
	"$python" "$scripts/torch_tree.py" check "$cache/$version" || fetch "$version"
done
