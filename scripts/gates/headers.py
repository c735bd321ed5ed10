#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: headers.py BUILD

Compiles every header alone, twice in one file (guards), as C17; the installed ones also as C++17, without the rest of
the tree in sight. A header of a rung sees the folders of its own rung and of those below it.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

import layout

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Wstrict-prototypes", "-Werror", "-fsyntax-only"]
C = ["gcc", "-x", "c", "-std=c17", "-D_GNU_SOURCE"]
PLAIN_C = ["gcc", "-x", "c", "-std=c17"]
CXX = ["g++", "-x", "c++", "-std=c++17"]


def folders_below(rung):
    """Include flags of a rung: its folders, and those of the levels below."""
    level = layout.LEVEL_OF[rung]
    rungs = [name for names in layout.LEVELS[:level] for name in names] + [rung]
    for name in rungs:
        for folder, _, _ in os.walk(os.path.join("src", name)):
            yield "-I" + folder


def pkg_config(*modules):
    return subprocess.run(["pkg-config", "--cflags", *modules], check=True, capture_output=True, text=True).stdout.split()


def blake3(build):
    """Where the build found its header, which no package of Debian tells."""
    commands = json.loads(pathlib.Path(build, "compile_commands.json").read_text())
    return sorted({flag for entry in commands for flag in re.findall(r"-isystem ?\S*blake3\S*", entry["command"])})


def compile_alone(compiler, flags, include):
    text = f"#include {include}\n#include {include}\ntypedef int mxt_not_empty;\n"
    warnings = [flag for flag in WARNINGS if compiler[0] == "gcc" or flag != "-Wstrict-prototypes"]
    run = subprocess.run([*compiler, *warnings, *flags, "-"], input=text, capture_output=True, text=True)
    return "" if run.returncode == 0 else f"{include} as {compiler[2]}:\n{run.stderr}"


def jobs_for(build):
    libraries = pkg_config("jansson", "yaml-0.1", "hwloc") + blake3(build)
    for path in layout.tracked():
        if path.suffix == ".h" and path.parts[0] == "src":
            flags = ["-I" + build, "-Isrc", "-Iinclude", *folders_below(layout.rung(path)), *libraries]
            yield C, flags, f'"{pathlib.Path(path).resolve()}"'
        if path.suffix == ".h" and path.parts[0] == "include":
            for compiler in (PLAIN_C, CXX):
                yield compiler, ["-Iinclude"], f"<{pathlib.PurePosixPath(*path.parts[1:])}>"


def main():
    jobs = list(jobs_for(sys.argv[1]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [text for text in pool.map(lambda job: compile_alone(*job), jobs) if text]
    print("\n".join(complaints) if complaints else f"{len(jobs)} compilations")
    return 1 if complaints or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
