#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: errors_md.py [--check]

Writes docs/errors.md from src/base/errors.def; with --check says whether it is up to date. Also checks the list
itself: sorted by number, no number and no name twice.
"""

import pathlib
import re
import sys

import generated

SOURCE = pathlib.Path("src/base/errors.def")
TARGET = pathlib.Path("docs/errors.md")
ROW = re.compile(r'^MXT_ERROR\((\w+),\s*(\d+),\s*(\w+),\s*"([^"]*)"\)$')
# As src/cli/exit_status.c maps classes; `train` and `run` report their own failures as 125.
STATUS = {"INTERNAL": "1", "USAGE": "2", "INPUT": "3", "DEVICE": "4", "MISMATCH": "5", "PROBE": "6", "VERIFY": "7",
          "INTERRUPT": "128 + signal"}
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by scripts/errors_md.py from src/base/errors.def; do not edit. -->
# Errors

Every message on standard error ends with a permanent id such as `[MXT-104]`. Ids are never reused; the words of a
message may change, its id does not. The exit status is the one of all commands but `train` and `run`.

| id | exit status | meaning |
|---|---|---|
"""


def rows():
    found = []
    for line in SOURCE.read_text().splitlines():
        if not line.startswith("MXT_ERROR("):
            continue
        match = ROW.match(line)
        if not match:
            sys.exit(f"{SOURCE}: cannot read: {line}")
        found.append((int(match[2]), match[1], match[3], match[4]))
    return found


def main():
    table = rows()
    numbers, names = [row[0] for row in table], [row[1] for row in table]
    if numbers != sorted(set(numbers)) or len(set(names)) != len(names):
        sys.exit(f"{SOURCE}: rows are not sorted by number, or a number or name occurs twice")
    text = HEAD + "".join(f"| MXT-{number} | {STATUS[kind]} | {meaning} |\n" for number, _, kind, meaning in table)
    generated.settle({TARGET: text}, __doc__)


if __name__ == "__main__":
    main()
