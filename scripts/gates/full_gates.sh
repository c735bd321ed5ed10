# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# The slow gates of `make check-full`, one function each; see gates.sh.

# shellcheck disable=SC2034 # for who sources this
full_gates=(setup-full axolotl-cache tidy-tests long-tests clang-whole-tests tsan valgrind analyzer coverage locale unprivileged dist fuzz)

gate_setup_full() {
	scripts/setup.sh full
}

# Without it, the tests that train with a real Axolotl are skipped.
gate_axolotl_cache() {
	[ -n "${MXT_TEST_AXOLOTL:-}" ] || scripts/fetch-axolotl.sh
}

gate_tidy_tests() {
	tidy 'tests/*.c'
}

gate_long_tests() {
	# shellcheck disable=SC2154 # of gates.sh
	meson_tests "$gcc_build" --suite long
}

# What the quick checks leave out with sanitizers.
gate_clang_whole_tests() {
	sanitized_tests --suite python --suite whole-runs --suite long
}

# Threads are in the CPU device and in what its tests run; BLAS libraries are not instrumented, so only our frames count.
gate_tsan() {
	export TSAN_OPTIONS=halt_on_error=1:exitcode=99:ignore_noninstrumented_modules=1
	meson_build build-check/tsan clang -Dtests=enabled -Db_sanitize=thread -Db_lundef=false -Dbuildtype=debugoptimized &&
		meson_tests build-check/tsan --suite unit --timeout-multiplier 5
}

# Not the simulation of choosing, which is nothing but arithmetic, for an hour. One BLAS thread: idle ones spin.
gate_valgrind() {
	export OPENBLAS_NUM_THREADS=1 BLIS_NUM_THREADS=1
	meson_build build-check/valgrind gcc -Dtests=enabled -Dbuildtype=debugoptimized &&
		meson_tests build-check/valgrind --suite unit --suite fuzz --no-suite simulation --timeout-multiplier 20 \
			--wrapper 'valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect,possible
				--error-exitcode=99 --suppressions='"$PWD"'/scripts/gates/valgrind.suppressions'
}

# gcc 12 loses track of pointers that are stored in arrays, so leaks are left to valgrind and LeakSanitizer.
gate_analyzer() {
	meson_build build-check/analyzer gcc -Dtests=disabled -Dc_args='-fanalyzer -Wno-analyzer-malloc-leak -DMXT_STATIC_ANALYSIS'
}

# Our own sources only, and all suites: the text is the result.
gate_coverage() {
	meson_build build-check/coverage gcc -Dtests=enabled -Db_coverage=true -Dbuildtype=debug || return
	find build-check/coverage -name '*.gcda' -delete
	meson_tests build-check/coverage || return
	gcovr --root . --filter src/ --sort-percentage --fail-under-line 85 build-check/coverage |
		tee build-check/coverage.txt
}

# Decimal commas: every test again, with the user's locale switched on in every process.
gate_locale() {
	# shellcheck disable=SC2154 # of gates.sh
	local preload=$PWD/$gcc_build/tests/lib/libuse-locale.so
	mkdir -p build-check/locale
	localedef -i fr_FR -f UTF-8 build-check/locale/fr_FR.UTF-8 || return
	meson_build "$gcc_build" gcc >/dev/null || return
	meson_tests "$gcc_build" --wrapper \
		"env LOCPATH=$PWD/build-check/locale LC_ALL=fr_FR.UTF-8 LD_PRELOAD=$preload"
}

# Everything again as a user without rights.
gate_unprivileged() {
	local as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
	if [ "$(id -u)" -ne 0 ] || ! $as_nobody test -x "$gcc_build/src/cli/mindxtrain"; then
		echo "needs root, and a tree that other users may read"
		return 77
	fi
	meson_build "$gcc_build" gcc >/dev/null && meson_tests "$gcc_build" --wrapper "$as_nobody"
}

# A release archive that builds and passes its own tests.
gate_dist() {
	meson_build "$gcc_build" gcc >/dev/null && meson dist -C "$gcc_build" --formats xztar --allow-dirty
}

gate_fuzz() {
	FUZZ_SECONDS=${FUZZ_SECONDS:-1800} scripts/fuzz.sh
}
