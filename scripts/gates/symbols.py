#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: symbols.py BUILD

What the objects define: every global symbol of the static rungs starts with mxt_, none of them holds mutable data
(.data or .bss; the command line interface may: signals are the process's), and the shared library exports exactly what its version map and its headers name.
"""

import pathlib
import re
import subprocess
import sys

MUTABLE = re.compile(r"^\.(data|bss|tdata|tbss)(?!\.rel\.ro)")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check_names(archive):
    for line in output("nm", "-g", "--defined-only", str(archive)).splitlines():
        fields = line.split()
        if len(fields) == 3 and not fields[2].startswith("mxt_"):
            yield f"{archive.name}: global symbol without the prefix: {fields[2]}"


def check_mutable(archive):
    """Rows of objdump -t: address, 7 flag characters, section, size, name."""
    for line in output("objdump", "-t", str(archive)).splitlines():
        row = re.match(r"^[0-9a-f]+ .{7} (\S+)\s+([0-9a-f]+) (.*)$", line)
        if row and MUTABLE.match(row[1]) and int(row[2], 16) > 0 and row[3].strip():
            yield f"{archive.name}: mutable global {row[3].strip()} in {row[1]}"


def names_in_map(path):
    text = re.sub(r"/\*.*?\*/|#.*", "", pathlib.Path(path).read_text(), flags=re.DOTALL)
    scopes = re.findall(r"global:(.*?)(?:local:|})", text, re.DOTALL)
    return {name for scope in scopes for name in re.findall(r"[\w*]+", scope)}


def names_in_headers():
    text = "".join(path.read_text() for path in sorted(pathlib.Path("include").rglob("*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return set(re.findall(r"\b(mxt_\w+)\s*\(", text))


def check_library(library, maps):
    rows = (line.split() for line in output("nm", "-D", "--defined-only", str(library)).splitlines())
    exported = {row[2].split("@")[0] for row in rows if len(row) == 3 and row[1] != "A"}
    for what, wanted in (("version map", set().union(*map(names_in_map, maps))), ("headers", names_in_headers())):
        for name in sorted(exported - wanted):
            yield f"{library.name}: exports {name}, which the {what} does not name"
        for name in sorted(wanted - exported):
            yield f"{library.name}: does not export {name} of the {what}"


def main():
    build = pathlib.Path(sys.argv[1])
    archives = sorted(build.glob("src/**/libmxt-*.a"))
    libraries = [path for path in sorted(build.glob("**/libmindxtrain.so*")) if path.is_file() and not path.is_symlink()]
    maps = [path for path in pathlib.Path("src").rglob("*.map")]
    complaints = [text for archive in archives for text in check_names(archive)]
    complaints += [text for archive in archives if archive.name != "libmxt-cli.a" for text in check_mutable(archive)]
    complaints += [text for library in libraries for text in check_library(library, maps)]
    if maps and not libraries:
        complaints.append("there is a version map, and no libmindxtrain.so in the build")
    print("\n".join(complaints) if complaints else f"{len(archives)} archives, {len(libraries)} shared libraries")
    return 1 if complaints or not archives else 0


if __name__ == "__main__":
    sys.exit(main())
