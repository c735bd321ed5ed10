# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# For fetch-python.sh, fetch-axolotl.sh and fetch-attestation.sh: virtual environments of pinned packages, in the cache
# that they share with fetch-torch.sh. Who sources this has sourced cache_lock.sh too, and has: me, its name in messages;
# cache; packages(), which prints its pins, one a line; sources, those of them that have no wheel; fill FOLDER, for what
# pip does not do; try, the Python that shows that they work.

# shellcheck disable=SC2154 # me, cache, try: of who sources this

skip() {
	echo "$me: $*"
	exit 77
}

# Prints a Python that these versions are made for, and that has pip and venv.
usable_python() {
	local python
	for python in python3 /usr/bin/python3; do
		if "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null &&
			"$python" -m pip --version >/dev/null 2>&1; then
			echo "$python"
			return
		fi
	done
	return 1
}

# install_packages FOLDER: makes the virtual environment there. The pins are all that it needs, so that pip resolves
# nothing: the same versions everywhere.
install_packages() {
	"$python" -m venv --without-pip "$1"
	packages >"$1/contents"
	"$python" -m pip --quiet --no-input --no-cache-dir --disable-pip-version-check --retries 3 --timeout 20 \
		--python "$1/bin/python3" install --no-deps --only-binary=:all: --no-binary="$sources" --no-compile \
		--requirement "$1/contents" 2>"$partial/pip.log" || skip "cannot fetch: $(grep -E '^ERROR' "$partial/pip.log" | tail -n 1)"
}

# make_tree FOLDER: makes the folder, unless it is there with these pins; called with the lock of the cache held. It
# appears when it is whole and its packages were imported once.
make_tree() {
	local folder=$1
	! cmp -s "$folder/contents" <(packages) || return 0
	partial=$(mktemp -d "$cache/.partial.XXXXXX")
	install_packages "$partial/tree"
	fill "$partial/tree"
	if ! "$partial/tree/bin/python3" -I -c "$try" >"$partial/try.log" 2>&1; then
		tail -n 5 "$partial/try.log" >&2
		echo "$me: what was fetched does not work" >&2
		return 1
	fi
	# The scripts of packages name the Python by its path.
	grep -lI "$partial/tree" "$partial"/tree/bin/* | xargs -r sed -i "s|$partial/tree|$folder|g"
	[ ! -e "$folder" ] || mv -T "$folder" "$partial/old"
	mv -T "$partial/tree" "$folder"
	rm -rf "$partial"
	echo "$me: $folder"
}

# answer_or_make OPTION FOLDER: what the options print, or the folder.
answer_or_make() {
	case $1 in
	--list) packages ;;
	--where) echo "$2" ;;
	*)
		python=$(usable_python) ||
			skip "no Python of 3.11 or later with pip and venv (Debian's python3-pip and python3-venv)"
		lock_cache "$cache"
		make_tree "$2"
		;;
	esac
}
