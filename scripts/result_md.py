#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: result_md.py [--check]

Writes the tables of docs/manifest.md that say what result_id is made of, from src/manifest/result_rules.def; with
--check says whether they are up to date.
"""

import pathlib
import re
import sys

import generated

SOURCE = pathlib.Path("src/manifest/result_rules.def")
TARGET = pathlib.Path("docs/manifest.md")
ROW = re.compile(r'^MXT_RESULT_(\w+)\("([^"]+)",\s+(?:(\w+),\s+)?"([^"]+)"\)$')
BEGIN = "<!-- result: written by scripts/result_md.py; do not edit -->\n"
END = "<!-- end of result -->\n"
HEADS = {
    "FILE": "| file | what it is |\n|---|---|\n",
    "OMITTED": "| no part | because it holds |\n|---|---|\n",
    "KEY": "| key | what it names |\n|---|---|\n",
}


def rows():
    found = {kind: [] for kind in HEADS}
    for line in SOURCE.read_text().splitlines():
        if not line.startswith("MXT_RESULT_"):
            continue
        match = ROW.match(line)
        if not match:
            sys.exit(f"{SOURCE}: cannot read: {line}")
        found[match[1]].append((match[2], match[4]))
    return found


def grouped(table):
    """Rows with the same words one after the other are one."""
    lines = []
    for name, words in table:
        if lines and lines[-1][1] == words:
            lines[-1][0].append(name)
        else:
            lines.append(([name], words))
    return "".join("| %s | %s |\n" % (", ".join(f"`{name}`" for name in names), words) for names, words in lines)


def main():
    tables = rows()
    made = "\n".join(HEADS[kind] + grouped(tables[kind]) for kind in HEADS)
    generated.settle({TARGET: generated.between(TARGET, BEGIN, END, "\n" + made + "\n")}, __doc__)


if __name__ == "__main__":
    main()
