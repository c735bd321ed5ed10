# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# For fetch-torch.sh, fetch-python.sh, fetch-axolotl.sh and fetch-attestation.sh, which share a cache and its lock.

# lock_cache FOLDER: makes the folder, or calls skip, and holds its lock until the shell ends. One at a time: who comes
# second finds the work done. So a partial folder under the lock is what a kill left behind.
lock_cache() {
	locked_cache=$1
	if ! mkdir -p "$locked_cache" 2>/dev/null || [ ! -w "$locked_cache" ]; then
		skip "cannot write to $locked_cache"
	fi
	exec 9>"$locked_cache/.lock"
	flock 9
	rm -rf "$locked_cache"/.partial.*
	trap 'rm -rf "$locked_cache"/.partial.*' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}
