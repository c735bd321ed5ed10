#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/record-host.sh DIR [MINDXTRAIN]
#
# Records this machine into the new folder DIR, for `mindxtrain doctor --sysroot DIR`: the files that doctor reads and
# nothing else. Of libraries and interpreters only the first bytes are kept, of the mount table only control groups, of
# the environment only what src/core/variables.def lists by name, and what leads to a Python. No host name, no
# addresses, no tokens; ids of AMD's cards, which are serial numbers, become 1, 2, 3 ... It needs no privileges; what
# cannot be read is left out, and doctor says "not reported".
# With MINDXTRAIN, the program to ask, what NVIDIA's driver libraries tell is recorded too (UUIDs of cards, names of
# programs that compute on them).
set -euo pipefail
export LC_ALL=C

if [ $# -lt 1 ] || [ $# -gt 2 ] || [ "${1#-}" != "$1" ]; then
	sed -n 's/^# usage: /usage: /p' "$0" >&2
	exit 2
fi
if [ -e "$1" ]; then
	echo "$0: $1 exists already; name a new folder" >&2
	exit 1
fi
table=$(dirname "$0")/../src/core/variables.def
if [ ! -r "$table" ]; then
	echo "$0: $table is missing: run this script from its place in the source tree" >&2
	exit 1
fi
program=${2:-}
mkdir -p "$1"
out=$(cd "$1" && pwd)

# trace PATH: records every symbolic link on the way to PATH and prints where it ends; nothing when that is nowhere.
# Absolute links become relative ones, so that no link leads out of the record.
trace() {
	local rest=${1#/} path='' part target hops=0
	while [ -n "$rest" ]; do
		part=${rest%%/*}
		rest=${rest#"$part"}
		rest=${rest#/}
		case $part in
		'' | .) continue ;;
		..) path=${path%/*} && continue ;;
		esac
		if [ ! -L "$path/$part" ]; then
			path=$path/$part
			continue
		fi
		hops=$((hops + 1))
		[ $hops -le 40 ] || return 0
		target=$(readlink "$path/$part")
		mkdir -p "$out$path"
		case $target in
		/*)
			ln -sfn "$(realpath -ms --relative-to="$path/" "$target")" "$out$path/$part"
			path=''
			;;
		*) ln -sfn "$target" "$out$path/$part" ;;
		esac
		rest=${target#/}${rest:+/$rest}
	done
	[ ! -e "${path:-/}" ] || printf '%s\n' "$path"
}

# put PATH: makes the recorded file of that name from standard input. Links on the way are recorded as links, but for
# those of /proc and /sys, where they lead to what only this process or this boot has.
put() {
	local folder
	case $1 in
	/proc/* | /sys/*) folder=$(dirname "$1") ;;
	*) folder=$(trace "$(dirname "$1")") ;;
	esac
	mkdir -p "$out$folder"
	cat >"$out$folder/$(basename "$1")"
}

# whole FILE...: records files as they are.
whole() {
	local file
	for file; do
		if [ -f "$file" ] && [ -r "$file" ]; then
			put "$file" < <(cat "$file" 2>/dev/null || true)
		fi
	done
}

# first BYTES FILE: records the beginning of a file, and links to it as links. Prints where the links end.
first() {
	local target
	target=$(trace "$2")
	[ -f "$target" ] && [ -r "$target" ] || return 0
	put "$target" < <(head -c "$1" "$target")
	[ ! -x "$target" ] || chmod +x "$out$target"
	printf '%s\n' "$target"
}

# The mounted control groups, each hierarchy once.
cgroup_mounts() {
	grep -E ' - cgroup2? ' /proc/self/mountinfo | awk '!seen[$(NF - 2), $NF]++' || true
}

record_kernel() {
	whole /proc/cpuinfo /proc/meminfo /proc/self/cgroup /proc/self/limits /proc/sys/kernel/osrelease \
		/proc/sys/kernel/numa_balancing /proc/sys/vm/overcommit_memory /etc/os-release \
		/sys/class/dmi/id/sys_vendor /sys/devices/system/clocksource/clocksource0/current_clocksource \
		/sys/kernel/mm/transparent_hugepage/enabled /sys/devices/system/cpu/online \
		/sys/devices/system/cpu/cpufreq/boost /sys/devices/system/cpu/intel_pstate/no_turbo \
		/sys/devices/system/node/online /sys/devices/system/node/node*/meminfo \
		/sys/devices/system/node/node*/cpulist /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor \
		/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver
	head -n 1 /proc/stat | put /proc/stat
	grep '^Cpus_allowed_list:' /proc/self/status | put /proc/self/status
	cgroup_mounts | put /proc/self/mountinfo
	if ! grep -q '^physical id' /proc/cpuinfo; then
		whole /sys/devices/system/cpu/cpu*/topology/{physical_package_id,core_id}
	fi
	local mark
	for mark in /.dockerenv /run/.containerenv; do
		[ ! -e "$mark" ] || put "$mark" </dev/null
	done
	[ ! -d /run/.singularity.d ] || put /run/.singularity.d/recorded </dev/null
}

# The limits of the process's control groups, from its own group up to the mount points.
record_cgroups() {
	local mount group folder
	while read -r mount; do
		while IFS=: read -r _ _ group; do
			folder=$mount$group
			while [ "${folder#"$mount"}" != "$folder" ]; do
				whole "$folder"/{cpu.max,memory.max,memory.high,memory.current} \
					"$folder"/{cpu.cfs_quota_us,cpu.cfs_period_us} \
					"$folder"/{memory.limit_in_bytes,memory.usage_in_bytes}
				[ "$folder" != "$mount" ] || break
				folder=$(dirname "$folder")
			done
		done </proc/self/cgroup
		whole "$mount"/{cpu.max,memory.max,memory.high,memory.current,cpu.cfs_quota_us,cpu.cfs_period_us} \
			"$mount"/{memory.limit_in_bytes,memory.usage_in_bytes}
	done < <(cgroup_mounts | awk '{print $5}')
}

# The class of every device; the vendor of what may be a GPU: display controllers and processing accelerators.
record_pci() {
	local device
	for device in /sys/bus/pci/devices/*; do
		whole "$device/class"
		case $(cat "$device/class" 2>/dev/null || true) in
		0x03* | 0x12*)
			whole "$device"/{vendor,device,current_compute_partition,current_memory_partition}
			;;
		esac
	done
}

# What AMD's compute driver shows. What it refuses to show, of cards that this container was not given, is kept empty.
topology=/sys/class/kfd/kfd/topology/nodes

# Numbers the ids of cards, and those of xGMI hives, in the order in which they appear.
hide_ids() {
	awk '
		FNR == NR { if (($1 == "unique_id" || $1 == "hive_id") && $2 != "0" && !(($1, $2) in seen)) {
			seen[$1, $2] = ++count[$1] } next }
		{ print $1, (($1, $2) in seen) ? seen[$1, $2] : $2 }
	' "$@"
}

record_amd() {
	local file all
	all=$(mktemp)
	for file in "$topology"/*/properties; do
		cat "$file" 2>/dev/null >>"$all" || true
	done
	for file in "$topology"/*/properties; do
		[ ! -e "$file" ] || { cat "$file" 2>/dev/null || true; } | hide_ids "$all" - | put "$file"
	done
	rm -f "$all"
	for file in "$topology"/*/{mem_banks,io_links}; do
		[ ! -d "$file" ] || (cd / && find "${file#/}/" -name properties -exec cp --parents -t "$out" {} + 2>/dev/null) || true
	done
	whole /sys/module/amdgpu/version
	record_device_files
}

# Whether this user may open the device files of GPUs: "open PATH", "denied PATH" or "forbidden PATH" (by a container).
record_device_files() {
	local file
	for file in /dev/kfd /dev/dri/renderD*; do
		[ -e "$file" ] || continue
		if [ -r "$file" ] && [ -w "$file" ]; then
			printf 'open %s\n' "$file"
		elif (exec 3<>"$file") 2>&1 | grep -q 'Operation not permitted'; then
			printf 'forbidden %s\n' "$file"
		else
			printf 'denied %s\n' "$file"
		fi
	done | put /device-files
}

record_filesystems() {
	local path
	for path in /dev/shm . /tmp; do
		df -B1 --output=size,avail "$path" 2>/dev/null | awk -v path="$path" 'NR == 2 {print $1, $2, path}'
	done | put /filesystems
}

record_blas() {
	local folder name
	whole /etc/ld.so.conf /etc/ld.so.conf.d/*.conf
	{
		cat /etc/ld.so.conf /etc/ld.so.conf.d/*.conf 2>/dev/null | grep '^/' || true
		printf '%s\n' /lib64 /usr/lib64 /lib /usr/lib
	} | while read -r folder; do
		for name in "$folder"/{,openblas-*/}libopenblas{,p,o}.so.0 "$folder"/{,blis-*/}libblis.so.4; do
			[ ! -e "$name" ] || first 64 "$name" >/dev/null
		done
	done
}

# Of a package's metadata, only the head: the description that follows can be long.
record_torch() {
	local folder=$1 info
	[ -d "$folder" ] || return 0
	whole "$folder/torch/version.py"
	for info in "$folder"/torch-*.dist-info/METADATA; do
		[ ! -f "$info" ] || sed '/^$/q' "$info" | put "$info"
	done
	for info in "$folder"/nvidia_{cudnn,cublas,nccl}*.dist-info/METADATA; do
		[ ! -f "$info" ] || sed '/^$/q' "$info" | put "$info"
	done
	record_cuda_libraries "$folder"/nvidia/*/lib "$folder/torch/lib"
}

# record_cuda_libraries FOLDER...: the names of NVIDIA's libraries, which doctor looks for.
record_cuda_libraries() {
	local folder name
	for folder; do
		for name in "$folder"/lib{cudnn,cudnn_graph,cublasLt,nccl}.so.[0-9]*; do
			[ ! -e "$name" ] || first 64 "$name" >/dev/null
		done
	done
}

record_search_path() {
	local folder
	while read -r -d : folder; do
		case $folder in
		/*) record_cuda_libraries "$folder" ;;
		esac
	done <<<"${LD_LIBRARY_PATH:-}:"
}

record_prefix() {
	local prefix=$1 folder
	whole "$prefix/pyvenv.cfg"
	for folder in "$prefix"/lib{,64}/python3*/{site,dist}-packages; do
		record_torch "$folder"
	done
}

record_interpreter() {
	local interpreter=$1 target root version
	[ -e "$interpreter" ] || return 0
	target=$(first 4096 "$interpreter")
	[ -n "$target" ] || return 0
	record_prefix "$(dirname "$(dirname "$interpreter")")"
	record_prefix "$(dirname "$(dirname "$target")")"
	if head -c 2 "$target" | grep -q '^#!' && [ "${target%/shims/*}" != "$target" ]; then
		root=${target%/shims/*}
		whole "$root/version"
		version=${PYENV_VERSION:-$(head -n 1 "$root/version" 2>/dev/null || true)}
		record_interpreter "$root/versions/${version%%:*}/bin/python3"
	fi
}

record_python() {
	local folder prefix
	for prefix in "${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}"; do
		[ -z "$prefix" ] || record_interpreter "$prefix/bin/python3"
	done
	while read -r -d : folder; do
		case $folder in
		/*)
			record_interpreter "$folder/python3"
			record_interpreter "$folder/python"
			;;
		esac
	done <<<"${PATH:-}:"
	record_prefix /usr
	record_prefix /usr/local
	[ -z "${HOME:-}" ] || record_prefix "$HOME/.local"
	while read -r -d : folder; do
		case $folder in
		/*) record_torch "$folder" ;;
		esac
	done <<<"${PYTHONPATH:-}:"
}

record_environment() {
	local name
	{
		printf '%s\n' PATH HOME VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONNOUSERSITE PYENV_VERSION LD_PRELOAD \
			LD_LIBRARY_PATH
		sed -n 's/^MXT_VARIABLE([CS][A-Z]*, "\([A-Za-z0-9_]*\)".*/\1/p' "$table"
	} | while read -r name; do
		[ -z "${!name+set}" ] || printf '%s=%s\0' "$name" "${!name}"
	done >"$out/environ"
	# Their numbers; ids of cards are hidden.
	for name in {ROCR,HIP,CUDA}_VISIBLE_DEVICES; do
		case ${!name-GPU-} in
		*GPU-* | *MIG-*) ;;
		*) printf '%s=%s\0' "$name" "${!name}" ;;
		esac
	done >>"$out/environ"
}

record_nvidia() {
	[ -z "$program" ] || "$program" doctor --survey | put /nvidia.json
}

record_kernel
record_cgroups
record_pci
record_amd
record_filesystems
record_blas
record_python
record_search_path
record_environment
record_nvidia
echo "recorded $(find "$out" -type f | wc -l) files into $1"
