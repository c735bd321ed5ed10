#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/setup.sh [build|check|full]
#
# Makes sure that what is needed is installed: `build` (default) to build and run the program, `check` also for
# `make check`, `full` also for `make check-full`. On Debian and Ubuntu, as root, missing packages are installed;
# elsewhere they are named. Exit status 1 when something required is missing in the end.
set -euo pipefail

level=${1:-build}
case $level in
build) levels='build' ;;
check) levels='build check' ;;
full) levels='build check full' ;;
*)
	echo "usage: scripts/setup.sh [build|check|full]" >&2
	exit 2
	;;
esac

# level, need, Debian package, how to see that it is there (see present() below). What is found in another way than
# by its package (a meson from pip, a compiler of one's own) counts as present.
requirements() {
	cat <<-'END'
		build required make                 cmd:make
		build required gcc                  cmd:gcc
		build required libc6-dev            path:/usr/include/stdio.h
		build required pkg-config           cmd:pkg-config
		build required meson                cmd:meson
		build required ninja-build          cmd:ninja
		build required libjansson-dev       pc:jansson
		build required libyaml-dev          pc:yaml-0.1
		build required libhwloc-dev         pc:hwloc
		build required librust-blake3-dev   blake3:
		build required libopenblas0-pthread lib:libopenblas.so.0
		build optional libblis4-pthread     lib:libblis.so.4
		build optional libssl3              lib:libcrypto.so.3
		check required git                  cmd:git
		check required libcmocka-dev        pc:cmocka
		check required clang                cmd:clang
		check required libclang-rt-dev      sanitizer:
		check required clang-tidy           cmd:clang-tidy
		check required clang-format         cmd:clang-format
		check required cppcheck             cmd:cppcheck
		check required shellcheck           cmd:shellcheck
		check required mandoc               cmd:mandoc
		check required g++                  cmd:g++
		check required binutils             cmd:nm
		check required jq                   cmd:jq
		check required b3sum                cmd:b3sum
		check required python3-jsonschema   py:jsonschema
		check required python3-yaml         py:yaml
		check optional openssh-client       cmd:ssh-keygen
		check optional libamdhip64-dev      path:/usr/include/hip/hip_runtime_api.h
		check optional libssl-dev           path:/usr/include/openssl/evp.h
		check optional python3-pip          pip:
		check optional ca-certificates      path:/etc/ssl/certs/ca-certificates.crt
		full  required valgrind             cmd:valgrind
		full  required gcovr                cmd:gcovr
		full  required locales              path:/usr/share/i18n/locales/fr_FR
	END
}

# The interpreter that runs meson also runs the Python tests, so its modules are the ones that count.
meson_python() {
	local line
	read -r line <"$(command -v meson)" 2>/dev/null || line=
	case $line in
	'#!'*python*) echo "${line#\#!}" ;;
	*) echo python3 ;;
	esac
}

present() {
	local what=${1#*:}
	case $1 in
	cmd:*) command -v "$what" >/dev/null ;;
	pc:*) pkg-config --exists "$what" 2>/dev/null ;;
	lib:*) ldconfig -p 2>/dev/null | grep -qF "$what" || /sbin/ldconfig -p 2>/dev/null | grep -qF "$what" ;;
	path:*) [ -e "$what" ] ;;
	py:*) $(meson_python) -c "import $what" 2>/dev/null ;;
	pip:*) python3 -m pip --version >/dev/null 2>&1 || /usr/bin/python3 -m pip --version >/dev/null 2>&1 ;;
	blake3:*) pkg-config --exists libblake3 2>/dev/null || compgen -G '/usr/share/cargo/registry/blake3-*/c' >/dev/null ;;
	sanitizer:*)
		# A whole link: the headers alone do not tell whether the runtimes are installed.
		echo 'int main(void) { return 0; }' |
			clang -fsanitize=address,undefined -x c - -o /dev/null 2>/dev/null
		;;
	esac
}

# Prints the packages of the wanted levels whose need is in $1 and that are not there.
missing() {
	local row_level need package probe
	while read -r row_level need package probe; do
		case " $levels " in *" $row_level "*) ;; *) continue ;; esac
		case " $1 " in *" $need "*) ;; *) continue ;; esac
		present "$probe" || echo "$package"
	done < <(requirements)
}

# Names differ between releases: what this one does not have is left out, and is named in the end if it is required.
install_packages() {
	local package known=()
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -q
	for package; do
		if apt-cache show "$package" >/dev/null 2>&1; then
			known+=("$package")
		fi
	done
	[ "${#known[@]}" -eq 0 ] || apt-get install -q -y --no-install-recommends "${known[@]}"
}

mapfile -t wanted < <(missing 'required optional')
if [ "${#wanted[@]}" -eq 0 ]; then
	exit 0
fi

if ! command -v apt-get >/dev/null; then
	echo "setup: not found, to be installed with this system's package manager (Debian's names): ${wanted[*]}" >&2
elif [ "$(id -u)" -ne 0 ]; then
	echo "setup: not root; to install what is missing: sudo apt-get install --no-install-recommends ${wanted[*]}" >&2
else
	echo "setup: installing ${wanted[*]}"
	install_packages "${wanted[@]}"
fi

mapfile -t wanted < <(missing 'optional')
if [ "${#wanted[@]}" -gt 0 ]; then
	echo "setup: optional, not there: ${wanted[*]}" >&2
fi
mapfile -t wanted < <(missing 'required')
if [ "${#wanted[@]}" -gt 0 ]; then
	echo "setup: required, not there: ${wanted[*]}" >&2
	exit 1
fi
