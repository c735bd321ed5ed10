# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# The gates of `make check`, one function each. They run in the root of the tree.

# shellcheck disable=SC2034 # for who sources this
quick_gates=(setup torch-cache python-cache gcc-build clang-build
	-- format tidy cppcheck shellcheck layout headers symbols man errors-doc models-doc install bundle
	-- gcc-tests clang-tests) # tests wait for time to pass, and leave some to what runs beside

gcc_build=build-check/gcc
clang_build=build-check/clang
jobs=$(nproc)

tracked() {
	git ls-files -z -- "$@"
}

# meson_build FOLDER COMPILER OPTION...: sets the folder up, or updates it, and builds everything.
meson_build() {
	local folder=$1 compiler=$2
	shift 2
	if [ -f "$folder/build.ninja" ]; then
		meson configure "$folder" "$@" || return
	else
		CC=$compiler meson setup "$folder" -Dwerror=true "$@" || return
	fi
	ninja -C "$folder"
}

# meson_tests FOLDER ARGUMENT...: runs and counts the tests of a build. A build without any test is a failure.
meson_tests() {
	local folder=$1 rc=0 passed failed skipped
	shift
	rm -f "$folder"/meson-logs/testlog*.json # with a wrapper, the name holds the wrapper's
	# One more than there are processors: some wait for their turn to measure.
	meson test -C "$folder" --no-rebuild --print-errorlogs --num-processes "$((jobs + 1))" "$@" || rc=$?
	read -r passed failed skipped < <(python3 scripts/tally.py "$folder"/meson-logs/testlog*.json) || return 1
	count_tests "$passed" "$failed" "$skipped"
	[ "$rc" -eq 0 ] && [ $((passed + failed)) -gt 0 ]
}

gate_setup() {
	scripts/setup.sh check
}

# Without it, the tests that need a real torch are skipped one by one.
gate_torch_cache() {
	scripts/fetch-torch.sh
}

# The Pythons with packages of a training, and of attestations; MXT_TEST_PYTHON and MXT_TEST_ATTESTATION name others.
gate_python_cache() {
	{ [ -n "${MXT_TEST_PYTHON:-}" ] || scripts/fetch-python.sh; } &&
		{ [ -n "${MXT_TEST_ATTESTATION:-}" ] || scripts/fetch-attestation.sh; }
}

gate_gcc_build() {
	meson_build "$gcc_build" gcc -Dtests=enabled
}

# What takes minutes is for the full checks; of most of it, a part runs here.
gate_gcc_tests() {
	meson_tests "$gcc_build" --no-suite long
}

gate_clang_build() {
	meson_build "$clang_build" clang -Dtests=enabled -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debugoptimized
}

# sanitized_tests OPTION...: a report of a sanitizer ends the process with a status that no test takes for an answer of
# the program's own.
sanitized_tests() {
	export ASAN_OPTIONS=detect_leaks=1:halt_on_error=1:exitcode=99:detect_stack_use_after_return=1
	export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99
	meson_tests "$clang_build" "$@"
}

# What spends most of its time in Python, and what runs the whole program many times, runs without sanitizers here, and
# with them in the full checks.
gate_clang_tests() {
	sanitized_tests --no-suite python --no-suite whole-runs --no-suite long
}

gate_format() {
	tracked '*.c' '*.h' | xargs -0 clang-format --dry-run -Werror
}

# tidy FILES...: compiled ones that git tracks.
tidy() {
	tracked "$@" | scripts/gates/compiled.py "$gcc_build" |
		xargs -0 -P "$jobs" -n 2 clang-tidy -p "$gcc_build" -quiet --extra-arg=-DMXT_STATIC_ANALYSIS 2>&1 |
		sed '/ warnings\{0,1\} generated\.$/d'
}

# The tests' own code is looked at in the full checks.
gate_tidy() {
	tidy 'src/*.c' 'fuzz/*.c'
}

gate_cppcheck() {
	cppcheck --quiet --std=c11 --language=c -j "$jobs" --enable=warning,performance,portability --error-exitcode=1 \
		--inline-suppr --suppressions-list=scripts/gates/cppcheck.suppressions -D_GNU_SOURCE \
		--project="$gcc_build/compile_commands.json"
}

gate_shellcheck() {
	tracked '*.sh' .ci/run completions/mindxtrain | xargs -0 shellcheck -x
}

gate_layout() {
	scripts/gates/layout.py
}

gate_headers() {
	scripts/gates/headers.py "$gcc_build"
}

gate_symbols() {
	scripts/gates/symbols.py "$gcc_build"
}

gate_man() {
	tracked 'docs/man/*.[15]' | xargs -0 mandoc -T lint -W warning
}

gate_errors_doc() {
	scripts/errors_md.py --check
	scripts/recording_docs.py --check && scripts/manifest_docs.py --check &&
		scripts/result_md.py --check
}

gate_models_doc() {
	scripts/models_md.py --check
}

gate_install() {
	scripts/gates/install.sh "$gcc_build"
}

gate_bundle() {
	scripts/bundle.sh build-check/bundle && scripts/gates/bundle.sh build-check/bundle/mindxtrain-*.tar.gz
}
