#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: compiled.py BUILD < NUL-separated paths > NUL-separated paths

Passes on the sources that the build compiles. A source below src/ that it does not compile is named and makes the exit
status 1: it is dead, or escapes every check. (Some tests are compiled only where a vendor's headers are installed.)
"""

import json
import os
import sys


def main():
    build = sys.argv[1]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        known = {os.path.realpath(os.path.join(entry["directory"], entry["file"])) for entry in json.load(file)}
    status = 0
    for path in filter(None, sys.stdin.read().split("\0")):
        if os.path.realpath(path) in known:
            sys.stdout.write(path + "\0")
        elif path.startswith("src/"):
            print(f"{path}: not part of the build", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
