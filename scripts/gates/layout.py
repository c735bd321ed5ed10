#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: layout.py

The rules of the tree that a compiler does not see: no include leads up the ladder, every C file's name is unique,
every header has its own guard, every source names its licence, and no reference to a document leads nowhere.
"""

import os
import pathlib
import re
import subprocess
import sys

# A rung includes headers of its own folder and of lower levels; rungs of one level do not know each other.
LEVELS = [["base"], ["core"], ["torch", "report"], ["device"], ["probe"], ["worker"], ["tune", "doctor"], ["launch", "manifest"],
          ["cli", "lib"]]
LEVEL_OF = {rung: level for level, rungs in enumerate(LEVELS) for rung in rungs}
SOURCES = (".c", ".cpp", ".h", ".def", ".py", ".sh", ".map")
NAMED = ("Makefile", "meson.build", ".ci/run")


def tracked():
    output = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    return [pathlib.PurePosixPath(name) for name in output.split("\0") if name and pathlib.Path(name).is_file()]


def rung(path):
    return path.parts[1] if len(path.parts) > 2 and path.parts[0] == "src" else None


def check_names(files):
    seen = {}
    for path in files:
        if path.suffix in (".c", ".h", ".def"):
            other = seen.setdefault(path.name, path)
            if other != path:
                yield f"{path}: {other} has the same name"


def check_ladder(files):
    home = {path.name: path for path in files if path.suffix in (".h", ".def") and rung(path)}
    for path in files:
        if rung(path) is None or path.suffix not in (".c", ".h", ".def"):
            continue
        if rung(path) not in LEVEL_OF:
            yield f"{path}: {rung(path)} is no rung of the ladder (scripts/gates/layout.py)"
            continue
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', pathlib.Path(path).read_text(), re.MULTILINE):
            target = home.get(pathlib.PurePosixPath(name).name)
            if target is None or rung(target) == rung(path):
                continue
            if LEVEL_OF.get(rung(target), len(LEVELS)) >= LEVEL_OF[rung(path)]:
                yield f"{path}: includes {target}, which is not on a lower rung"


def check_guards(files):
    for path in files:
        if path.suffix != ".h":
            continue
        text = pathlib.Path(path).read_text()
        guard = re.search(r"^#ifndef ((?:MXT|MINDXTRAIN)_\w+_H)\n#define \1$", text, re.MULTILINE)
        if not guard or not text.rstrip().endswith("#endif"):
            yield f"{path}: no include guard MXT_..._H around the whole file"


def check_licence(files):
    for path in files:
        if path.suffix not in SOURCES and path.name not in NAMED and str(path) not in NAMED:
            continue
        head = pathlib.Path(path).read_text(errors="replace").splitlines()[:3]
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in head):
            yield f"{path}: no SPDX-License-Identifier in the first three lines"


def check_links(files):
    """Relative links of documents, and documents that the code refers to."""
    known = {str(path) for path in files} | {str(folder) for path in files for folder in pathlib.Path(path).parents}
    for path in files:
        if path.suffix not in (".md", ".c", ".h", ".def", ".py"):
            continue
        text = pathlib.Path(path).read_text(errors="replace")
        targets = {f"docs/{name}" for name in re.findall(r"\bdocs/([\w-]+\.(?:md|json))", text)}
        if path.suffix == ".md":
            links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
            targets |= {os.path.normpath(path.parent / link) for link in links}
        for target in sorted(targets - known):
            yield f"{path}: there is no {target}"


CHECKS = (check_names, check_ladder, check_guards, check_licence, check_links)


def main():
    files = tracked()
    data = (("fuzz", "corpus"), ("tests", "fixtures"), ("tests", "golden"))
    sources = [path for path in files if path.parts[:2] not in data]
    complaints = [text for check in CHECKS for text in check(sources)]
    print("\n".join(complaints) if complaints else f"{len(sources)} files")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
